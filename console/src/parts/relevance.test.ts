import { describe, expect, it } from "vitest";
import { percent } from "./relevance";

describe("a chance in percent", () => {
  it("is never rounded to never, nor to always", () => {
    expect([0, 0.004, 0.0149, 0.5, 0.99, 0.998, 1].map(percent)).toEqual(["0 %", "under 1 %", "1 %", "50 %", "99 %", "over 99 %", "100 %"]);
  });
});
