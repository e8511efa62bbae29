// The lists of memories that were fetched: changed in place, because to fetch many pages again takes long.
import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import type { Memory, Schemas } from "./client";
import type { At } from "./whose";

type Pages = InfiniteData<Schemas["Page"], string | null>;
const LISTS = ["page", "search"];

function everywhere(queries: QueryClient, at: At, change: (records: Memory[]) => Memory[]): void {
  queries.setQueriesData<Pages>({ queryKey: ["records", at, "page"] }, (known) =>
    known && { ...known, pages: known.pages.map((page) => ({ ...page, records: change(page.records) })) },
  );
  queries.setQueriesData<Schemas["Hit"][]>({ queryKey: ["records", at, "search"] }, (known) =>
    known?.flatMap((hit) => change([hit.record]).map((record) => ({ ...hit, record }))),
  );
  void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === "records" && !LISTS.includes(String(queryKey[2])) });
}

/** Show a memory as it is now, wherever it is listed. */
export const changed = (queries: QueryClient, at: At, record: Memory) =>
  everywhere(queries, at, (records) => records.map((one) => (one.id === record.id ? record : one)));

/** Take memories out of every list. */
export function gone(queries: QueryClient, at: At, ids: readonly string[]): void {
  const those = new Set(ids);
  everywhere(queries, at, (records) => records.filter((one) => !those.has(one.id)));
}

/** Keep only the first page of the long lists: what is asked again is one page, not all that were scrolled through. */
export function firstPages(queries: QueryClient, at: At): void {
  queries.setQueriesData<Pages>({ queryKey: ["records", at, "page"] }, (known) =>
    known && known.pages.length > 1 ? { pages: known.pages.slice(0, 1), pageParams: known.pageParams.slice(0, 1) } : known,
  );
}

/** Ask for everything again. */
export function afresh(queries: QueryClient, at: At): void {
  firstPages(queries, at);
  void queries.invalidateQueries({ queryKey: ["records"] });
}
