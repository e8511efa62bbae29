import { expect, test } from "vitest";
import { bars, flows, type Move } from "./flow";

const vitals = (tier: "working" | "session", archived_at: string | null = null) => ({ tier, archived_at });
const move = (id: string, what: string, at: string, after: object, undone_at: string | null = null) =>
  ({ id, at, who: "metabolism", what, why: "", undone_at, changes: [{ record_id: "m", before: vitals("working"), after }] }) as unknown as Move;

const MOVES = [
  move("1", "promoted", "2026-01-01T00:00:00Z", vitals("session")),
  move("2", "promoted", "2026-01-01T01:00:00Z", vitals("session")),
  move("3", "archived", "2026-01-09T00:00:00Z", vitals("working", "2026-01-09T00:00:00Z")),
  move("4", "promoted", "2026-01-09T00:00:00Z", vitals("session"), "2026-01-10T00:00:00Z"),
];

test("flows are counted by where from and where to, without what was taken back", () => {
  expect(flows(MOVES)).toEqual([
    { from: "working", to: "session", count: 2 },
    { from: "working", to: "archived", count: 1 },
  ]);
});

test("bars cover all the time there is, and keep apart what happened", () => {
  const { bars: made } = bars(MOVES);
  expect(made.length).toBeLessThanOrEqual(24);
  expect(made[0]?.counts.get("promoted")).toBe(2);
  expect(made.at(-1)?.counts.get("archived")).toBe(1);
  expect(made.reduce((sum, one) => sum + one.total, 0)).toBe(3);
});
