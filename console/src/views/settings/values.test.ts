import { expect, test } from "vitest";
import { drafted, fieldOf, labelOf, toldOf, undoing, valueOf, type Value } from "./values";

const held = (name: string, value: unknown, origin: Value["origin"] = "default"): Value => ({ name, value, origin, otherwise: value });
const SHARES = [held("policy.relevant_ratio", 0.3), held("policy.recent_ratio", 0.4), held("policy.early_ratio", 0.3), held("memory.l2.capacity", 50), held("policy.recent_records", 2)];

test("shares are shown in percent, and no bound as nothing", () => {
  expect(fieldOf("policy.early_ratio", 0.3)).toBe("30");
  expect(valueOf("policy.early_ratio", "33.3")).toBe(0.333);
  expect(valueOf("memory.l2.capacity", "")).toBeNull();
  expect(valueOf("policy.recent_records", "")).toBeUndefined();
  expect(valueOf("memory.l1.auto_compress", "false")).toBe(false);
  expect(toldOf("policy.early_ratio", 0.3)).toBe("30 %");
  expect(toldOf("memory.l4.capacity", null)).toBe("no bound");
  expect(labelOf("memory.l2.retention_hours")).toBe("L2 session, keeps for hours");
});

test("only what differs is sent, and what makes no whole is told before", () => {
  expect(drafted(SHARES, {})).toEqual({ values: {}, wrong: null });
  expect(drafted(SHARES, { "policy.early_ratio": "30", "memory.l2.capacity": "" })).toEqual({ values: { "memory.l2.capacity": null }, wrong: null });
  expect(drafted(SHARES, { "policy.early_ratio": "50" }).wrong).toMatch(/100 % together, not 120 %/);
  expect(drafted(SHARES, { "policy.early_ratio": "20", "policy.recent_ratio": "50" })).toEqual({
    values: { "policy.early_ratio": 0.2, "policy.recent_ratio": 0.5 },
    wrong: null,
  });
  expect(drafted(SHARES, { "policy.recent_records": "" }).wrong).toMatch(/needs a number/);
});

test("an undo gives back what the store kept, and resets what it did not", () => {
  const before = [held("policy.recent_records", 4, "store"), held("policy.early_records", 1), held("policy.working_ratio", 0.3)];
  const after = [held("policy.recent_records", 6, "store"), held("policy.early_records", 2, "store"), held("policy.working_ratio", 0.3)];
  expect(undoing(before, after)).toEqual({ values: { "policy.recent_records": 4 }, reset: ["policy.early_records"] });
});
