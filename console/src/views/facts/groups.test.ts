import { expect, test } from "vitest";
import { grouped, passes, type KnownFact } from "./groups";

const fact = (id: string, kind: string, subject: string, more: Partial<KnownFact> = {}): KnownFact => ({
  id, kind, subject, text: `${subject} ${id}`, attribute: "home", value: id, since: "2026-01-01T00:00:00Z", sources: [], confidence: 0.8, line: "", disputed: [], status: "current", by: "rules", why: "", evidence: [], ...more,
});

test("instructions and preferences come first, then whoever most is known about", () => {
  const found = grouped([fact("a", "fact", "Mira"), fact("b", "fact", "user"), fact("c", "fact", "user"), fact("d", "preference", "user"), fact("e", "instruction", "user")]);
  expect(found.map(([name]) => name)).toEqual(["Standing instructions", "Preferences", "About the user", "About Mira"]);
});

test("a fact is found by its words, its kind, and whether it is disputed or changed", () => {
  const moved = fact("Graz", "fact", "user", { before: "Linz", disputed: ["x"] });
  expect(passes(moved, "all", "graz home")).toBe(true);
  expect(passes(moved, "all", "vienna")).toBe(false);
  expect(passes(moved, "preference", "")).toBe(false);
  expect(passes(moved, "changed", "")).toBe(true);
  expect(passes(moved, "disputed", "")).toBe(true);
  expect(passes(fact("x", "fact", "user"), "disputed", "")).toBe(false);
  expect(passes(fact("x", "fact", "user", { status: "wrong" }), "past", "")).toBe(true);
});
