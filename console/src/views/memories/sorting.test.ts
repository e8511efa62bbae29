import { expect, test } from "vitest";
import type { Row } from "./rows";
import { pressed, sorted, sortIn } from "./sorting";

const row = (id: string, text: string, importance: number): Row => ({ record: { id, text, occurred_at: `2026-01-0${id}T00:00:00Z`, vitals: { importance } } }) as Row;
const rows = [row("1", "beta", 0.2), row("2", "Alpha", 0.9), row("3", "gamma", 0.5)];
const ids = (said: string) => sorted(rows, sortIn(said)).map((one) => one.record.id).join("");

test("rows are sorted by any column, both ways, and stay as they came without one", () => {
  expect(ids("memory")).toBe("213");
  expect(ids("-memory")).toBe("312");
  expect(ids("-weight")).toBe("231");
  expect(ids("happened")).toBe("123");
  expect(ids("nonsense")).toBe("123");
});

test("a heading sorts the usual way, then the other, then not at all", () => {
  expect(pressed(null, "weight")).toBe("-weight");
  expect(pressed(sortIn("-weight"), "weight")).toBe("weight");
  expect(pressed(sortIn("weight"), "weight")).toBe("");
  expect(pressed(sortIn("weight"), "kind")).toBe("kind");
});
