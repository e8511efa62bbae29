import { QueryClient } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { ask, outdated } from "./following";

const AT = { actor_id: "ada", world: "default", node: "/" };
const key = (...rest: unknown[]) => ["records", AT, ...rest];
const said = (kind: string, ids: string[] = [], count = ids.length) => ({ at: "2026-01-01T00:00:00Z", kind, ids, count });

test("what happened makes the answers old that tell of it", () => {
  expect(outdated(key("gauges"), said("metabolism.move", ["a"]))).toBe(true);
  expect(outdated(key("ledger", "goals"), said("ledger.change", ["goal-1"]))).toBe(true);
  expect(outdated(key("ledger", "goals"), said("memory.write", ["a"]))).toBe(false);
  expect(outdated(key("crystal", "crystal_1"), said("crystal.change", ["crystal_2"]))).toBe(true);
  expect(outdated(key("families", "digest"), said("tape.change", ["2"]))).toBe(true);
  expect(outdated(["health"], said("memory.write", ["a"]))).toBe(false);
});

test("the inspector is asked again only when its own memory is meant", () => {
  expect(outdated(key("one", "a"), said("memory.change", ["a"]))).toBe(true);
  expect(outdated(key("one", "a"), said("memory.change", ["b"]))).toBe(false);
  expect(outdated(key("one", "a"), said("memory.change", ["b"], 40))).toBe(true);
  expect(outdated(key("journal", 2000), said("memory.change", ["b"]))).toBe(true);
});

test("the lists of memories stay as they are, also when notices were missed", () => {
  for (const name of ["page", "search", "outline", "stats"])
    for (const kind of ["memory.write", "memory.forget", "gap"]) expect(outdated(key(name, {}), said(kind, ["a"]))).toBe(false);
  expect(outdated(key("one", "a"), said("gap"))).toBe(true);
});

test("many notices ask once for what is old", () => {
  const queries = new QueryClient();
  for (const name of ["gauges", "page"]) queries.setQueryData(key(name), []);
  ask(queries, [said("memory.write", ["a"]), said("memory.write", ["b"])]);
  expect(queries.getQueryState(key("gauges"))?.isInvalidated).toBe(true);
  expect(queries.getQueryState(key("page"))?.isInvalidated).toBe(false);
});
