import { describe, expect, it } from "vitest";
import { chosenIn, filterOf } from "./filters";

describe("the filters of the table", () => {
  it("come from the address", () => {
    expect(chosenIn(new URLSearchParams("q=tea&kind=fact&pinned=yes&tier="))).toEqual({ kind: "fact", pinned: "yes" });
  });

  it("become the filter that the server takes", () => {
    expect(filterOf({ kind: "fact", tag: "taste", pinned: "no" })).toEqual({ kind: "fact", tags: "taste", pinned: false });
  });

  it("take the last day whole", () => {
    const { gte, lt } = filterOf({ since: "2026-03-01", until: "2026-03-01" }).occurred_at as Record<string, string>;
    expect(new Date(lt as string).getTime() - new Date(gte as string).getTime()).toBe(86_400_000);
  });

  it("say nothing when nothing is chosen", () => {
    expect(filterOf({})).toEqual({});
  });
});
