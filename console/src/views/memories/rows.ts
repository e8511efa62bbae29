// The rows of the table: pages of the list, fetched where one looks, or what a search found.
import { keepPreviousData, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { answer, api, type Memory, type Schemas } from "../../api/client";
import { useWhose } from "../../api/whose";
import { PAGE, pagesOf, placeOf } from "./places";
import { SORTABLE, sorted, type Sort } from "./sorting";

export const FOUND = 100;
/** How long a page that is no longer looked at is kept. */
const KEPT = 60_000;
/** How long a memory that was searched stays read in, for all we know. */
const WARM = 300_000;

export type Row = { record: Memory; relevance?: number; replaced_by?: string | null };

export function useRows(query: string, filters: Record<string, unknown>, sort: Sort | null = null) {
  const at = useWhose();
  const queries = useQueryClient();
  const [[first, last], look] = useState<readonly [number, number]>([0, 0]);
  const newest_first = sort?.by !== "happened" || sort.down;
  const said = useMemo(() => ({ ...at, filters: JSON.stringify(filters), newest_first }), [at, filters, newest_first]);
  const outline = useQuery({
    queryKey: ["records", at, "outline", filters, newest_first],
    queryFn: ({ signal }) => answer(api.GET("/v1/outline", { params: { query: { ...said, every: PAGE } }, signal })),
    enabled: !query,
  });
  const marks = outline.data?.marks;
  const asking = useCallback(
    (page: number) => {
      const cursor = page === 0 ? null : (marks?.[page - 1]?.cursor ?? undefined);
      return {
        queryKey: ["records", at, "page", filters, newest_first, cursor],
        queryFn: () => answer(api.GET("/v1/records", { params: { query: { ...said, limit: PAGE, cursor } } })),
        enabled: !query && cursor !== undefined,
        gcTime: KEPT,
      };
    },
    [at, filters, newest_first, said, marks, query],
  );
  // What stood on a page until now is shown until it is known what stands there.
  const before = useRef({ said, pages: new Map<number, Schemas["Page"]>() });
  const shown = pagesOf(first, last);
  const pages = useQueries({
    queries: shown.map((page) => ({
      ...asking(page),
      placeholderData: () => (before.current.said === said || page === 0 ? before.current.pages.get(page) : undefined),
    })),
  });
  useEffect(() => {
    const known = before.current.said === said ? before.current.pages : new Map<number, Schemas["Page"]>();
    shown.forEach((page, place) => {
      const { data, isPlaceholderData } = pages[place] ?? {};
      if (data && !isPlaceholderData) known.set(page, data);
    });
    if (known.size) before.current = { said, pages: known };
  });
  const found = useQuery({
    queryKey: ["records", at, "search", query, filters],
    queryFn: ({ signal }) => answer(api.POST("/v1/search", { body: { ...at, query, filters, k: FOUND, touch: false }, signal })),
    enabled: Boolean(query),
    placeholderData: keepPreviousData,
  });
  // By another column than the time: all of them, if they are few enough.
  const bySize = !query && sort !== null && sort.by !== "happened";
  const few = (outline.data?.records ?? Infinity) <= SORTABLE;
  const whole = useQuery({
    queryKey: ["records", at, "page", filters, "whole"],
    queryFn: () => answer(api.GET("/v1/records", { params: { query: { ...said, limit: SORTABLE } } })),
    enabled: bySize && few,
    placeholderData: keepPreviousData,
  });
  const ordered = useMemo(() => (bySize && few && whole.data ? sorted(whole.data.records.map((record) => ({ record })), sort) : null), [bySize, few, whole.data, sort]);
  const top = pages[shown.indexOf(0)];
  const known = new Map(shown.map((page, place) => [page, pages[place]?.data?.records]));
  const hits = useMemo(() => sorted(found.data ?? [], sort), [found.data, sort]);
  const row = (place: number): Row | undefined => {
    if (query) return hits[place];
    if (ordered) return ordered[place];
    const record = known.get(Math.floor(place / PAGE))?.[place % PAGE];
    return record && { record };
  };
  const listed = known.get(0)?.length ?? 0;
  const count = query ? hits.length : (outline.data?.records ?? listed + (top?.data?.cursor ? 1 : 0));
  const asked = query ? found : (pages.find((one) => one.error) ?? top ?? pages[0]);
  return {
    row,
    /** How many there are; until the outline has come, at least so many. */
    count,
    exact: query !== "" || outline.data !== undefined,
    look: useCallback((from: number, to: number) => look((was) => (was[0] === from && was[1] === to ? was : [from, to])), []),
    /** The rows from one place to another, fetched if need be. */
    range: async (from: number, to: number): Promise<Memory[]> => {
      if (query || ordered) return (query ? hits : (ordered ?? [])).slice(from, to + 1).map((row) => row.record);
      const wanted = pagesOf(from, to, 0);
      const given = await Promise.all(wanted.map((page) => queries.fetchQuery({ ...asking(page), staleTime: Infinity })));
      return given.flatMap((page) => page.records).slice(from - (wanted[0] ?? 0) * PAGE, to + 1 - (wanted[0] ?? 0) * PAGE);
    },
    /** The place of the newest that happened on a day or before it. */
    dayAt: async (day: string): Promise<number> => {
      const end = new Date(new Date(`${day}T00:00`).getTime() + 86_400_000);
      const page = placeOf(marks ?? [], end);
      const { records } = await queries.fetchQuery({ ...asking(page), staleTime: Infinity });
      const inside = records.findIndex((one) => new Date(one.occurred_at) < end);
      return page * PAGE + (inside < 0 ? records.length : inside);
    },
    /** Whether the order that is asked for needs fewer rows. */
    tooMany: bySize && outline.data !== undefined && !few,
    error: asked?.error ?? whole.error ?? null,
    pending: query ? found.isPending : count === 0 && (top ?? pages[0])?.isPending !== false,
    stale: query ? found.isPlaceholderData : (top?.isPlaceholderData ?? false) && before.current.said !== said,
    again: () => void queries.invalidateQueries({ queryKey: ["records", at] }),
  };
}

/** Let the server read a large memory in while the question is still being typed; once it has, this costs nothing. */
export function useWarming() {
  const at = useWhose();
  const queries = useQueryClient();
  return useCallback(
    () =>
      void queries.prefetchQuery({
        queryKey: ["warm", at],
        queryFn: () => answer(api.POST("/v1/search", { body: { ...at, query: "?", k: 1, touch: false } })),
        staleTime: WARM,
        retry: false,
      }),
    [at, queries],
  );
}

/** What there is in all; counted when what is looked at has come. */
export function useStats(when: boolean) {
  const at = useWhose();
  return useQuery({
    queryKey: ["records", at, "stats"],
    queryFn: ({ signal }) => answer(api.GET("/v1/stats", { params: { query: at }, signal })),
    enabled: when,
    staleTime: 30_000,
  });
}
