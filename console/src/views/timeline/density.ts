// How many memories lie in each stretch of time: bars, where single marks would hide each other.
import type { Lane, Mark, Span } from "./marks";

export type Bin = { from: number; to: number; marks: Mark[] };
/** With more marks than this, bars are drawn instead of dots. */
export const CROWD = 120;
const WIDE = 10;

export const crowded = (lanes: readonly Lane[]): boolean => lanes.reduce((sum, lane) => sum + lane.marks.length, 0) > CROWD;

/** The stretches of a lane that hold something, each about as wide as a finger's tip. */
export function binsOf(lane: Lane, span: Span, width: number): Bin[] {
  const count = Math.max(8, Math.floor(width / WIDE));
  const size = (span.to - span.from) / count;
  const bins = new Map<number, Mark[]>();
  for (const mark of lane.marks) {
    const place = Math.min(count - 1, Math.max(0, Math.floor((mark.happened - span.from) / size)));
    const known = bins.get(place);
    if (known) known.push(mark);
    else bins.set(place, [mark]);
  }
  return [...bins].sort(([a], [b]) => a - b).map(([place, marks]) => ({ from: span.from + place * size, to: span.from + (place + 1) * size, marks }));
}
