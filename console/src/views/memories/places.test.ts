import { expect, test } from "vitest";
import { PAGE, pagesOf, placeOf } from "./places";

test("the pages of what is in sight are asked for, and those it nears", () => {
  expect(pagesOf(0, 20)).toEqual([0]);
  expect(pagesOf(80, 99)).toEqual([0, 1]);
  expect(pagesOf(10 * PAGE + 5, 10 * PAGE + 30)).toEqual([9, 10]);
  expect(pagesOf(150, 450, 0)).toEqual([1, 2, 3, 4]);
});

test("a day is found by the marks of the list", () => {
  const marks = ["2026-03-03", "2026-03-02", "2026-03-01"].map((day) => ({ at: `${day}T12:00:00Z` }));
  expect(placeOf(marks, new Date("2026-03-04T00:00:00Z"))).toBe(0);
  expect(placeOf(marks, new Date("2026-03-02T13:00:00Z"))).toBe(1);
  expect(placeOf(marks, new Date("2026-03-02T12:00:00Z"))).toBe(2);
  expect(placeOf(marks, new Date("2026-01-01T00:00:00Z"))).toBe(3);
});
