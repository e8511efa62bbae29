import { QueryClient } from "@tanstack/react-query";
import { describe, expect, it } from "vitest";
import type { Memory } from "./client";
import { changed, gone } from "./lists";

const AT = { actor_id: "ada", world: "default", node: "/" };
const key = (cursor: string | null) => ["records", AT, "page", {}, cursor];
const record = (id: string, text = id) => ({ id, text }) as Memory;

function listed(): QueryClient {
  const queries = new QueryClient();
  queries.setQueryData(key(null), { records: [record("a"), record("b")], cursor: "x" });
  queries.setQueryData(key("x"), { records: [record("c")] });
  return queries;
}

const shown = (queries: QueryClient) =>
  [null, "x"].map((cursor) => (queries.getQueryData(key(cursor)) as { records: Memory[] }).records.map((one) => one.text));

describe("the lists of memories", () => {
  it("show a change where it stands, on whatever page", () => {
    const queries = listed();
    changed(queries, AT, record("c", "corrected"));
    expect(shown(queries)).toEqual([["a", "b"], ["corrected"]]);
  });

  it("lose what was forgotten, and are asked for again", () => {
    const queries = listed();
    gone(queries, AT, ["a", "c"]);
    expect(shown(queries)).toEqual([["b"], []]);
    expect(queries.getQueryState(key("x"))?.isInvalidated).toBe(true);
  });

  it("are asked for again without what is gone, of which nothing is kept if it was erased", () => {
    const queries = listed();
    const [one, other] = [["records", AT, "one", "a"], ["records", AT, "one", "b"]];
    for (const about of [one, other]) queries.setQueryData(about, record("x"));
    gone(queries, AT, ["a"]);
    expect(queries.getQueryData(one)).toBeDefined();
    gone(queries, AT, ["a"], true);
    expect(queries.getQueryData(one)).toBeUndefined();
    expect(queries.getQueryState(other)?.isInvalidated).toBe(true);
  });

  it("stay as they are when one of them changes", () => {
    const queries = listed();
    changed(queries, AT, record("a", "corrected"));
    expect(queries.getQueryState(key(null))?.isInvalidated).toBe(false);
  });
});
