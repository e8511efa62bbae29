import { expect, test } from "vitest";
import { matches } from "./matching";

test("every typed word begins a word of the entry, in any order", () => {
  expect(matches("Choose whose memory", "mem cho")).toBe(true);
  expect(matches("Choose whose memory", "emory")).toBe(false);
  expect(matches("Lens What a model is given", "lens given")).toBe(true);
  expect(matches("Lens", "lens given")).toBe(false);
});

test("nothing typed means every entry", () => {
  expect(matches("Settings", "")).toBe(true);
  expect(matches("Settings", "  ")).toBe(true);
});
