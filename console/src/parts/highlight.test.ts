import { expect, test } from "vitest";
import { nearMatch, pieces } from "./highlight";

const marked = (text: string, query: string) => pieces(text, query).filter((one) => one.marked).map((one) => one.text);

test("words of the question are marked in any form, and words that every question has are not", () => {
  expect(marked("Heron ships in September, after the audit.", "When does Heron ship?")).toEqual(["Heron", "ships"]);
  expect(marked("The meetings moved.", "meeting")).toEqual(["meetings"]);
  expect(marked("They were there.", "what were they")).toEqual([]);
});

test("the pieces make the text", () => {
  for (const query of ["heron", "", "ß ähre"]) expect(pieces("Heron, ähre; HERON!", query).map((one) => one.text).join("")).toBe("Heron, ähre; HERON!");
});

test("a short word that begins like a longer one is not a form of it", () => {
  expect(marked("She ate all of it, and is allergic.", "Who is allergic?")).toEqual(["allergic"]);
  expect(marked("All of it is an allergy.", "allergy")).toEqual(["allergy"]);
});

test("one line of a text begins where its first match can be seen", () => {
  const text = "Funny evening, by the way: the packet says hazelnuts, badly.";
  expect(nearMatch(text, "hazelnuts")).toBe("… packet says hazelnuts, badly.");
  expect(nearMatch(text, "evening")).toBe(text);
  expect(nearMatch(text, "")).toBe(text);
});
