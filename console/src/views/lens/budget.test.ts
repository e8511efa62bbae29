import { describe, expect, it } from "vitest";
import { spent, type Context } from "./budget";

const item = (depth: number, tokens: number) => ({ depth, tokens }) as Context["items"][number];
const context = (budget: number, tokens: number, items: Context["items"], periphery = 0) =>
  ({ items, tokens, receipt: { token_budget: budget, zones: periphery ? { periphery } : {} }, periphery: [] }) as unknown as Context;

describe("what a budget is spent on", () => {
  it("adds up to the budget", () => {
    const parts = spent(context(100, 80, [item(2, 40), item(1, 20), item(0, 5)], 7));
    expect(parts.map((one) => one.tokens)).toEqual([40, 20, 12, 8, 20]);
    expect(parts.reduce((sum, one) => sum + one.tokens, 0)).toBe(100);
  });

  it("is all free when nothing is shown", () => {
    expect(spent(context(50, 0, [])).at(-1)).toEqual({ span: "free", tokens: 50, count: 0 });
  });
});
