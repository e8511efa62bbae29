import { expect, test } from "vitest";
import { countingOf } from "./counting";
import type { Item } from "./talk";

const items = (...relevances: number[]) => relevances.map((relevance) => ({ relevance }) as Item);
const counting = (...relevances: number[]) => countingOf(items(...relevances)).counting.map((one) => one.relevance);

test("few sources are shown, the most telling first", () => {
  expect(counting(0.01, 0.9, 0.02, 0.3, 0.0)).toEqual([0.9, 0.3, 0.02]);
  expect(counting(0.5, 0.6, 0.7, 0.8, 0.9, 0.95)).toHaveLength(5);
  expect(counting(0.5)).toEqual([0.5]);
  expect(countingOf(items(0.01, 0.9, 0.02, 0.3, 0.0)).rest).toHaveLength(2);
});
