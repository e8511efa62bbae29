// The triangle of the map on a plane, the cells in it, and what lies inside a line drawn around it.
import type { Schemas } from "../../api/client";

export type Family = Schemas["Family"];
export type Point = readonly [number, number];
export const TALL = Math.sqrt(3) / 2;

/** From the corners (0, 0), (1, 0), (0, 1) to a triangle with equal sides, its tip above. */
export const placed = (x: number, y: number): Point => [x + y / 2, TALL * (1 - y)];

/** The three corners of a cell: each digit halves the triangle towards a corner. */
export function cellOf(digits: string): Point[] {
  let [x, y, size] = [0, 0, 1];
  for (const digit of digits) {
    size /= 2;
    if (digit === "1") x += size;
    if (digit === "2") y += size;
  }
  return [placed(x, y), placed(x + size, y), placed(x, y + size)];
}

/** Whether a point lies inside a closed line: a ray from it crosses the line an odd number of times. */
export function inside([x, y]: Point, line: Point[]): boolean {
  let is = false;
  for (let place = 0, before = line.length - 1; place < line.length; before = place++) {
    const [ax, ay] = line[place] as Point;
    const [bx, by] = line[before] as Point;
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) is = !is;
  }
  return is;
}

const MOST = 40;

/** A line as the address says it: so many points at most, to a thousandth. */
export function saidOf(line: Point[]): string {
  const every = Math.max(1, Math.ceil(line.length / MOST));
  return line
    .filter((_, place) => place % every === 0)
    .map(([x, y]) => `${x.toFixed(3)},${y.toFixed(3)}`)
    .join(";");
}

export function lineIn(said: string): Point[] {
  const points = said.split(";").map((one) => one.split(",").map(Number));
  const good = points.filter((one) => one.length === 2 && one.every(Number.isFinite));
  return good.length > 2 ? good.map(([x, y]) => [x as number, y as number] as const) : [];
}

/** The names of those most used that do not hide each other. */
export function labelled(families: Family[], width: number, most = 14): Family[] {
  const taken: { x: number; y: number; wide: number }[] = [];
  return families.filter((one) => {
    if (taken.length >= most) return false;
    const [px, py] = placed(one.x, one.y);
    const box = { x: px * width, y: py * width, wide: nameOf(one).length * 7 + 12 };
    if (box.x + box.wide > width * 1.02) return false;
    if (taken.some((two) => Math.abs(two.y - box.y) < 16 && box.x < two.x + two.wide && two.x < box.x + box.wide)) return false;
    taken.push(box);
    return true;
  });
}

export const nameOf = (one: Family) => `${one.glyph} ${one.label.length > 24 ? `${one.label.slice(0, 23)}…` : one.label}`;
