import { describe, expect, it } from "vitest";
import type { Memory } from "../../api/client";
import { inOneLine, lanesOf, markOf, minuteOf, momentOf, within } from "./marks";

const memory = (id: string, speaker: string, day: number, more: Partial<Memory> = {}) =>
  markOf({ id, speaker, occurred_at: `2026-03-0${day}T10:00:00Z`, valid_from: `2026-03-0${day}T10:00:00Z`, recorded_at: "2026-03-09T10:00:00Z", address: "default/home#1@d2t0", ...more } as Memory);

describe("lanes", () => {
  it("are the fullest first, and the rest share one", () => {
    const marks = [memory("a", "ann", 1), memory("b", "bob", 2), memory("c", "bob", 3), memory("d", "cy", 4)];
    expect(lanesOf(marks, "speaker", 2).map((lane) => [lane.name, lane.marks.length])).toEqual([["bob", 2], ["2 others", 2]]);
  });
});

it("keeps the lines of a text apart", () => {
  expect(inOneLine("Ship the release\n  - write the notes\r\n\n- tag it\n")).toBe("Ship the release · - write the notes · - tag it");
});

describe("a span", () => {
  it("is taken on the clock that was chosen", () => {
    const marks = [memory("a", "ann", 1), memory("b", "ann", 5)];
    const span = { from: Date.parse("2026-03-04T00:00:00Z") };
    expect(within(marks, "happened", span).map((one) => one.record.id)).toEqual(["b"]);
    expect(within(marks, "recorded", span)).toHaveLength(2);
  });

  it("comes back from the address as it was said", () => {
    expect(minuteOf(momentOf("2026-03-04T12:30") ?? 0)).toBe("2026-03-04T12:30");
    expect(momentOf("")).toBeUndefined();
  });
});

describe("a later version", () => {
  it("stands where it became true", () => {
    expect(memory("a", "ann", 1, { version: 2, valid_from: "2026-03-05T10:00:00Z" }).happened).toBe(Date.parse("2026-03-05T10:00:00Z"));
  });
});
