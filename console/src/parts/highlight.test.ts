import { expect, test } from "vitest";
import { pieces } from "./highlight";

const marked = (text: string, query: string) => pieces(text, query).filter((one) => one.marked).map((one) => one.text);

test("words of the question are marked in any form, and words that every question has are not", () => {
  expect(marked("Heron ships in September, after the audit.", "When does Heron ship?")).toEqual(["Heron", "ships"]);
  expect(marked("The meetings moved.", "meeting")).toEqual(["meetings"]);
  expect(marked("They were there.", "what were they")).toEqual([]);
});

test("the pieces make the text", () => {
  for (const query of ["heron", "", "ß ähre"]) expect(pieces("Heron, ähre; HERON!", query).map((one) => one.text).join("")).toBe("Heron, ähre; HERON!");
});
