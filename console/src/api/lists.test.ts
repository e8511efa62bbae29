import { QueryClient } from "@tanstack/react-query";
import { describe, expect, it } from "vitest";
import type { Memory } from "./client";
import { changed, firstPages, gone } from "./lists";

const AT = { actor_id: "ada", world: "default", node: "/" };
const KEY = ["records", AT, "page", {}];
const record = (id: string, text = id) => ({ id, text }) as Memory;

function listed(): QueryClient {
  const queries = new QueryClient();
  queries.setQueryData(KEY, { pages: [{ records: [record("a"), record("b")], cursor: "x" }, { records: [record("c")] }], pageParams: [null, "x"] });
  return queries;
}

const shown = (queries: QueryClient) =>
  (queries.getQueryData(KEY) as { pages: { records: Memory[] }[] }).pages.map((page) => page.records.map((one) => one.text));

describe("the lists of memories", () => {
  it("show a change where it stands, on whatever page", () => {
    const queries = listed();
    changed(queries, AT, record("c", "corrected"));
    expect(shown(queries)).toEqual([["a", "b"], ["corrected"]]);
  });

  it("lose what was forgotten", () => {
    const queries = listed();
    gone(queries, AT, ["a", "c"]);
    expect(shown(queries)).toEqual([["b"], []]);
  });

  it("are asked again from their first page only", () => {
    const queries = listed();
    firstPages(queries, AT);
    expect(shown(queries)).toEqual([["a", "b"]]);
  });
});
