import { expect, test } from "vitest";
import { points, scale, told } from "./series";

const hour = (at: string, total: number, count = 1, least = total / count, most = total / count) => ({ id: at, name: "heat", hour: at, count, total, least, most });

test("an hour is told by its mean, in the order of time", () => {
  const found = points([hour("2026-01-01T02:00:00Z", 30, 3, 8, 12), hour("2026-01-01T01:00:00Z", 5)]);
  expect(found.map((one) => one.mean)).toEqual([5, 10]);
  expect(found[1]).toMatchObject({ least: 8, most: 12, count: 3 });
});

test("the scale is round and holds everything", () => {
  const { low, high, steps } = scale(points([hour("2026-01-01T01:00:00Z", 3), hour("2026-01-01T02:00:00Z", 17)]));
  expect([low, high]).toEqual([0, 20]);
  expect(steps).toEqual([0, 5, 10, 15, 20]);
  const flat = scale(points([hour("2026-01-01T01:00:00Z", 7)]));
  expect(flat.low).toBeLessThanOrEqual(7);
  expect(flat.high).toBeGreaterThanOrEqual(7);
  expect(flat.high).toBeGreaterThan(flat.low);
  const negative = scale(points([hour("2026-01-01T01:00:00Z", -0.3), hour("2026-01-01T02:00:00Z", 0.2)]));
  expect(negative.low).toBeLessThanOrEqual(-0.3);
  expect(negative.high).toBeGreaterThanOrEqual(0.2);
  expect(told(0.123456)).toBe("0.1235");
});
