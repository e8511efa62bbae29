// The hours of a metric as a line: where each lies on the picture, and the scale beside it.
import type { Schemas } from "../../api/client";

export type Hour = Schemas["MetricHour"];
export type Point = { at: number; mean: number; least: number; most: number; count: number };

export const points = (hours: readonly Hour[]): Point[] =>
  hours.map((one) => ({ at: new Date(one.hour).getTime(), mean: one.total / one.count, least: one.least, most: one.most, count: one.count })).sort((a, b) => a.at - b.at);

/** A round scale that holds all values: its ends, and the steps between. */
export function scale(all: readonly Point[]): { low: number; high: number; steps: number[] } {
  const [least, most] = [Math.min(...all.map((one) => one.least)), Math.max(...all.map((one) => one.most))];
  const span = most - least || Math.abs(most) || 1;
  const rough = span / 3;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = size * ([1, 2, 5, 10].find((one) => one * size >= rough) ?? 10);
  const low = Math.floor(least / step + 1e-9) * step;
  const count = Math.max(1, Math.ceil((most - low) / step - 1e-9));
  const steps = Array.from({ length: count + 1 }, (_, place) => Number((low + place * step).toPrecision(12)));
  return { low, high: steps.at(-1) ?? most, steps };
}

/** A number as short as it can be told without being wrong at a glance. */
export const told = (value: number): string => value.toLocaleString(undefined, { maximumSignificantDigits: Math.abs(value) >= 1000 ? 6 : 4 });
