import { describe, expect, it } from "vitest";
import { cameraIn, moved, planeAt, saidOf, shownAt, WHOLE, zoomed } from "./camera";
import { placed } from "./plane";

const FRAME = { width: 800, height: 500 };

describe("the camera of the map", () => {
  it("shows the whole triangle at first, in the middle", () => {
    for (const corner of [placed(0, 0), placed(1, 0), placed(0, 1)]) {
      const [x, y] = shownAt(WHOLE, FRAME, corner);
      expect(x > 0 && x < 800 && y > 0 && y < 500).toBe(true);
    }
  });

  it("finds the place of a pixel, whatever is seen", () => {
    const camera = zoomed(WHOLE, FRAME, 7, [300, 200]);
    const [x, y] = planeAt(camera, FRAME, shownAt(camera, FRAME, [0.4, 0.5]));
    expect(x).toBeCloseTo(0.4);
    expect(y).toBeCloseTo(0.5);
  });

  it("keeps what is under the pointer there when it enlarges", () => {
    const under = planeAt(WHOLE, FRAME, [420, 260]);
    const [x, y] = shownAt(zoomed(WHOLE, FRAME, 4, [420, 260]), FRAME, under);
    expect(x).toBeCloseTo(420);
    expect(y).toBeCloseTo(260);
  });

  it("never loses the map: the whole cannot be pushed away, and out is no further than the whole", () => {
    expect(moved(WHOLE, FRAME, 900, -900)).toEqual(WHOLE);
    expect(zoomed(WHOLE, FRAME, 0.1)).toEqual(WHOLE);
    const far = moved(zoomed(WHOLE, FRAME, 4), FRAME, -99_999, 0);
    expect(far.x).toBeLessThanOrEqual(1);
  });

  it("is said in the address, and nonsense there shows the whole", () => {
    const camera = cameraIn("0.4000,0.3000,8.00");
    expect(saidOf(camera)).toBe("0.4000,0.3000,8.00");
    expect(saidOf(WHOLE)).toBe("");
    expect(cameraIn("near here")).toEqual(WHOLE);
    expect(cameraIn("1,2,NaN")).toEqual(WHOLE);
  });
});
