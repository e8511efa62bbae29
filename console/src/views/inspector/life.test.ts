import { expect, test } from "vitest";
import type { Memory, Schemas } from "../../api/client";
import { lifeOf } from "./life";

const version = (number: number, day: string) => ({ id: "a", version: number, text: `v${number}`, recorded_at: `2026-0${day}T00:00:00Z` }) as Memory;

test("versions, updates and moves are one line of time, newest first", () => {
  const related = [
    { link: { source_id: "b", target_id: "a", kind: "updates", created_at: "2026-05-03T00:00:00Z" }, record: { id: "b", text: "newer" } },
    { link: { source_id: "a", target_id: "c", kind: "relates", created_at: "2026-05-03T00:00:00Z" }, record: { id: "c", text: "beside" } },
  ] as Schemas["Related"][];
  const moves = [{ id: "m", at: "2026-03-01T00:00:00Z", who: "metabolism", what: "archived", why: "L1 keeps 1 h", changes: [] }] as unknown as Schemas["Move"][];
  const life = lifeOf("a", [version(1, "1-01"), version(2, "4-01")], related, moves);
  expect(life.map((one) => (one.kind === "version" ? `v${one.version.version}` : one.told))).toEqual(["A newer statement replaced it", "v2", "It was archived", "v1"]);
  expect(life[1]?.kind === "version" && life[1].before?.version).toBe(1);
});
