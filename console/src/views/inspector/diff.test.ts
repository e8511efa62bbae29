import { describe, expect, it } from "vitest";
import { diff } from "./diff";

const side = (pieces: ReturnType<typeof diff>, other: "gone" | "new") =>
  pieces
    .filter((one) => one.kind !== other)
    .map((one) => one.text)
    .join("");

describe("what changed between two versions", () => {
  it("names the words that went and those that came", () => {
    expect(diff("Heron ships in April.", "Heron ships in June.")).toEqual([
      { kind: "same", text: "Heron ships in " },
      { kind: "gone", text: "April." },
      { kind: "new", text: "June." },
    ]);
  });

  it("keeps both texts whole", () => {
    const [before, after] = ["a b  c d e", "b c x  e f"];
    const pieces = diff(before, after);
    expect(side(pieces, "new")).toBe(before);
    expect(side(pieces, "gone")).toBe(after);
  });

  it("tells very long texts as one change", () => {
    const long = "word ".repeat(5000);
    expect(diff(long, `${long}x`)).toHaveLength(2);
  });
});
