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

/** The corner, above on the right, where the buttons of the map are. */
const TOOLS = { wide: 44, high: 130 };
/** The height of a name, with a little room. */
const HIGH = 26;
type Box = { x: number; y: number; wide: number };

/** The names of those most used, as many as have room beside their dot without hiding each other. */
export function labelled(families: Family[], at: (place: Point) => Point, frame: { width: number; height: number }): (Box & { one: Family })[] {
  const taken: (Box & { one: Family })[] = [];
  const most = Math.max(6, Math.round((frame.width * frame.height) / 32_000));
  for (const one of families) {
    const [x, y] = at(placed(one.x, one.y));
    const wide = nameOf(one).length * 7 + 44;
    const edge = frame.width - (y < TOOLS.high ? TOOLS.wide : 0);
    if (x < 0 || y < 10 || x + wide > edge || y > frame.height - 10) continue;
    if (taken.some((two) => Math.abs(two.y - y) < HIGH && x < two.x + two.wide && two.x < x + wide)) continue;
    taken.push({ x, y, wide, one });
    if (taken.length >= most) break;
  }
  return taken;
}

/** The family whose dot is nearest to a place of the plane, if it is within reach. */
export function nearest(families: Family[], [x, y]: Point, reach: number): Family | null {
  let [best, away]: [Family | null, number] = [null, reach * reach];
  for (const one of families) {
    const right = one.x + one.y / 2 - x;
    const down = TALL * (1 - one.y) - y;
    const far = right * right + down * down;
    if (far < away) [best, away] = [one, far];
  }
  return best;
}

export const nameOf = (one: Family) => (one.label.length > 24 ? `${one.label.slice(0, 23)}…` : one.label);
