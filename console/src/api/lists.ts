// The lists of memories that were fetched: changed in place, so that nothing jumps.
import type { Query, QueryClient } from "@tanstack/react-query";
import type { Memory, Schemas } from "./client";
import type { At } from "./whose";

const LISTS = ["page", "search"];

function everywhere(queries: QueryClient, at: At, change: (records: Memory[]) => Memory[]): void {
  queries.setQueriesData<Schemas["Page"]>({ queryKey: ["records", at, "page"] }, (known) => known && { ...known, records: change(known.records) });
  queries.setQueriesData<Schemas["Hit"][]>({ queryKey: ["records", at, "search"] }, (known) =>
    known?.flatMap((hit) => change([hit.record]).map((record) => ({ ...hit, record }))),
  );
}

const others = (queries: QueryClient, except: string[]) =>
  void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === "records" && !except.includes(String(queryKey[2])) });

/** Show a memory as it is now, wherever it is listed. */
export function changed(queries: QueryClient, at: At, record: Memory): void {
  everywhere(queries, at, (records) => records.map((one) => (one.id === record.id ? record : one)));
  others(queries, [...LISTS, "outline"]);
}

/** Take memories out of every list; the long ones are then closed up. What is known of the memories themselves is
 * not asked for again, as it is not there; what was erased is dropped. */
export function gone(queries: QueryClient, at: At, ids: readonly string[], erased = false): void {
  const those = new Set(ids);
  const about = ({ queryKey }: Query) => queryKey[0] === "records" && typeof queryKey[3] === "string" && those.has(queryKey[3]);
  everywhere(queries, at, (records) => records.filter((one) => !those.has(one.id)));
  if (erased) queries.removeQueries({ predicate: about });
  else void queries.invalidateQueries({ predicate: about, refetchType: "none" });
  void queries.invalidateQueries({ predicate: (query) => query.queryKey[0] === "records" && query.queryKey[2] !== "search" && !about(query) });
}

/** Ask for everything again. */
export function afresh(queries: QueryClient): void {
  void queries.invalidateQueries({ queryKey: ["records"] });
}
