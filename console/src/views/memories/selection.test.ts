import { expect, test } from "vitest";
import { changedBy, EVERYTHING, has, NOTHING, size, targetOf } from "./selection";

test("some are selected, one after the other", () => {
  const two = changedBy(changedBy(NOTHING, ["a", "b", "c"], true), ["b"], false);
  expect([has(two, "a"), has(two, "b"), size(two, 100_000)]).toEqual([true, false, 2]);
});

test("all are selected but some, also those that were never shown", () => {
  const most = changedBy(EVERYTHING, ["b"], false);
  expect([has(most, "a"), has(most, "b"), size(most, 100_000)]).toEqual([true, false, 99_999]);
  expect(size(changedBy(most, ["b"], true), 100_000)).toBe(100_000);
  expect(targetOf(most, { kind: "fact" })).toEqual({ and: [{ kind: "fact" }, { pinned: false }, { not: { id: { in: ["b"] } } }] });
});
