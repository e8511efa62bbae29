import { expect, test } from "vitest";
import { reason, sentence, type Move } from "./moves";

const move = (what: string, count: number): Move => ({ id: "m", at: "2026-01-01T00:00:00Z", who: "metabolism", what, why: "", changes: Array.from({ length: count }, () => ({ record_id: "r", before: {}, after: {} })) }) as Move;

test("a move is a sentence, with its plural", () => {
  expect(sentence(move("archived", 1))).toBe("A memory was archived");
  expect(sentence(move("sedimented", 12))).toBe("12 memories were kept for good");
});

test("reasons of the metabolism are said in words, others as they are", () => {
  expect(reason("L1 keeps 1 h")).toBe("working memory keeps things for 1 hour, and nothing had made it important");
  expect(reason("L3 keeps 7 d; importance 0.73 is above 0.6")).toBe("its time in recent memory was over, and it is important enough (0.73, at least 0.6)");
  expect(reason("it was used again; used 3 times")).toBe("it was used again, and it was used 3 times");
  expect(reason("Bo asked us to")).toBe("Bo asked us to");
});
