import { describe, expect, it } from "vitest";
import type { Memory } from "../../api/client";
import { curve } from "./decay";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const record = (vitals: object) => ({ occurred_at: "2026-01-01T00:00:00Z", vitals: { importance: 1, tier: "working", ...vitals } }) as Memory;
const RATES = { decay_l1: 0.1, decay_l4: 0.01 };

describe("the forecast of decay", () => {
  it("loses a tenth a day in the first tier", () => {
    const last = curve(record({}), [], RATES, NOW, 2).at(-1);
    expect(last?.strength).toBeCloseTo(0.81);
  });

  it("leaves a pinned memory as it is", () => {
    expect(curve(record({ pinned: true }), [], RATES, NOW, 30).every((one) => one.strength === 1)).toBe(true);
  });

  it("fades at the rate of the tier it moved to, and is gone when its time runs out", () => {
    const moves = [
      { at: "2026-01-02T00:00:00Z", what: "promoted" as const, tier: "semantic", why: "" },
      { at: "2026-01-10T00:00:00Z", what: "expired" as const, tier: "semantic", why: "" },
    ];
    const points = curve(record({}), moves, RATES, NOW, 12);
    expect(points.find((one) => one.at >= Date.parse("2026-01-03T00:00:00Z"))?.strength).toBeCloseTo(0.9 * 0.99, 1);
    expect(points.at(-1)?.strength).toBe(0);
  });
});
