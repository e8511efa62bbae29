import { describe, expect, it } from "vitest";
import { cellOf, inside, labelled, lineIn, nearest, placed, saidOf, type Family } from "./plane";

const family = (number: number, x: number, y: number) => ({ number, x, y, glyph: "亍", label: `family ${number}` }) as Family;

describe("the plane of the map", () => {
  it("has the cell of no digits as the whole triangle, and each digit halves it", () => {
    expect(cellOf("")).toEqual([placed(0, 0), placed(1, 0), placed(0, 1)]);
    expect(cellOf("1")[0]).toEqual(placed(0.5, 0));
    expect(cellOf("22")[0]).toEqual(placed(0, 0.75));
  });

  it("knows what lies inside a line drawn around it", () => {
    const square = [[0, 0], [1, 0], [1, 1], [0, 1]] as const;
    expect(inside([0.5, 0.5], [...square])).toBe(true);
    expect(inside([1.5, 0.5], [...square])).toBe(false);
  });

  it("gives a line back from the address, and nothing from nonsense", () => {
    expect(lineIn(saidOf([[0, 0], [1, 0], [0.5, 0.25]]))).toEqual([[0, 0], [1, 0], [0.5, 0.25]]);
    expect(lineIn("x;1,2")).toEqual([]);
  });

  it("names those most used first, and nobody over another or beyond the edge", () => {
    const at = ([x, y]: readonly [number, number]) => [x * 800, y * 800] as const;
    const all = [family(1, 0.2, 0.5), family(2, 0.21, 0.5), family(3, 0.2, 0.3), family(4, 0.99, 0)];
    expect(labelled(all, at, { width: 800, height: 700 }).map(({ one }) => one.number)).toEqual([1, 3]);
  });

  it("finds the nearest within reach, or nobody", () => {
    const all = [family(1, 0.2, 0.5), family(2, 0.3, 0.5)];
    const [x, y] = placed(0.28, 0.5);
    expect(nearest(all, [x, y], 0.1)?.number).toBe(2);
    expect(nearest(all, [x, y], 0.01)).toBeNull();
  });
});
