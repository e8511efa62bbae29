import { describe, expect, it } from "vitest";
import { cellOf, inside, lineIn, placed, saidOf } from "./plane";

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
});
