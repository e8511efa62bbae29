import { expect, test } from "vitest";
import { binsOf, crowded } from "./density";
import type { Lane, Mark } from "./marks";

const mark = (happened: number) => ({ key: String(happened), happened, recorded: happened, gone: false, lift: 0 }) as Mark;
const lane = (...times: number[]): Lane => ({ name: "user", marks: times.map(mark) });

test("every mark is in one bin, and bins without any are left out", () => {
  const bins = binsOf(lane(0, 5, 999, 1000), { from: 0, to: 1000 }, 100);
  expect(bins.map((one) => one.marks.length)).toEqual([2, 2]);
  expect(bins[0]?.from).toBe(0);
  expect(bins.at(-1)?.to).toBe(1000);
});

test("few marks are drawn as they are, many as bars", () => {
  expect(crowded([lane(1, 2, 3)])).toBe(false);
  expect(crowded([lane(...Array.from({ length: 200 }, (_, at) => at))])).toBe(true);
});
