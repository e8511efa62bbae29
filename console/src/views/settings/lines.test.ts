import { expect, test } from "vitest";
import { linesOf, problemIn } from "./lines";

const NOW = [1, 2, 3, 4].map((number) => ({ capacity: number * 10, retention_hours: null }));

test("only what differs is said", () => {
  expect(linesOf(NOW, NOW)).toBe("");
  const wanted = NOW.map((one, place) => (place === 1 ? { capacity: null, retention_hours: 48 } : one));
  expect(linesOf(NOW, wanted)).toBe("memory:\n  l2: {capacity: null, retention_hours: 48}");
});

test("what the server would refuse is refused before", () => {
  expect(problemIn(NOW)).toBeNull();
  expect(problemIn([{ capacity: 0, retention_hours: null }])).toMatch(/at least 1/);
  expect(problemIn([{ capacity: 1.5, retention_hours: null }])).toMatch(/whole number/);
  expect(problemIn([{ capacity: 1, retention_hours: 0 }])).toMatch(/more than 0/);
});
