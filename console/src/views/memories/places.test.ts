import { expect, test } from "vitest";
import { bandAround, bandFor, bandOf, PAGE, pagesOf, placeOf } from "./places";

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

test("a list that no browser can lay out is laid out in bands, and every place is in one", () => {
  const [all, band] = [1_000_000, bandOf(44)];
  for (const place of [0, 170_000, 500_000, all - 1]) {
    const from = bandAround(place, all, band);
    expect(from <= place && place < from + band && from + band <= all).toBe(true);
  }
  expect(bandAround(5, 100, band)).toBe(0);
});

test("at the end of a band the next begins, and at the ends of the list none", () => {
  const [all, band] = [1_000_000, 300_000];
  expect(bandFor(0, 0, 20, all, band)).toBe(0);
  expect(bandFor(0, 299_950, 299_990, all, band)).toBe(150_000);
  expect(bandFor(150_000, 150_010, 150_030, all, band)).toBe(0);
  expect(bandFor(700_000, 999_970, 999_999, all, band)).toBe(700_000);
  expect(bandFor(600_000, 899_950, 899_990, all, band)).toBe(700_000);
});
