import { expect, test } from "vitest";
import { byQuestion, shared, why } from "./why";

const item = (parts: Record<string, number> | null, zone = "relevant") => ({ id: "a", rank: 1, relevance: 0.5, parts, zone, depth: 2 });

test("why a memory was recalled is a sentence: what it names, and what decided", () => {
  expect(why("Where do I live?", "I live in Graz now.", item({ question: -9, second_look: 4.9, meaning: 0.5, kind: 0.8, life: -0.2 }))).toBe(
    "It names “live”, means nearly the same and holds the kind of thing that is asked for.",
  );
});

test("a weak match is called one, and does not claim to mean the same", () => {
  expect(why("Which tickets are open?", "Heron ships in September.", { ...item({ second_look: 1.2, kind: 0.8 }), relevance: 0.004 })).toBe(
    "A weak match: it means something near and holds the kind of thing that is asked for.",
  );
});

test("what came for another reason says that reason", () => {
  expect(why("Where?", "Tea.", item(null, "recent"))).toBe("It was shown because it was new.");
  expect(why("Where?", "Tea.", item({ words: 0.1 }, "whole"))).toBe("It was shown because everything fitted into the budget.");
});

test("what only filled the room is not called good, and what many small reasons brought is not called weak", () => {
  expect(why("Where?", "Tea.", { ...item({ words: 0.1 }), rank: 8, relevance: 0.004 })).toBe("A weak match: nothing in it decided, but there was room for it.");
  expect(why("Where?", "Tea.", item({ words: 0.1 }))).toBe("No single reason stands out: many small ones came together.");
});

test("a question that was asked several times is told once, with its latest time", () => {
  const reads = [{ query: "Where?", at: "3" }, { query: "When?", at: "2" }, { query: "Where?", at: "1" }];
  expect(byQuestion(reads).map(({ read, times }) => `${read.query} ${read.at} ${times}`)).toEqual(["Where? 3 2", "When? 2 1"]);
});

test("a word that the text repeats is named once", () => {
  expect(shared("heron", "Heron, heron and HERON")).toEqual(["HERON"]);
});
