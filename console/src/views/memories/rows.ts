// The rows of the table: pages of the list, or what a search found.
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { answer, api, type Memory } from "../../api/client";
import { firstPages } from "../../api/lists";
import { useWhose } from "../../api/whose";

const PAGE = 200;
const FOUND = 100;

export type Row = { record: Memory; score?: number };

export function useRows(query: string, filters: Record<string, unknown>) {
  const at = useWhose();
  const queries = useQueryClient();
  useState(() => firstPages(queries, at));
  const listed = useInfiniteQuery({
    queryKey: ["records", at, "page", filters],
    queryFn: ({ pageParam }) =>
      answer(api.GET("/v1/records", { params: { query: { ...at, filters: JSON.stringify(filters), limit: PAGE, cursor: pageParam } } })),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.cursor ?? null,
    enabled: !query,
    placeholderData: keepPreviousData,
  });
  const found = useQuery({
    queryKey: ["records", at, "search", query, filters],
    queryFn: () => answer(api.POST("/v1/search", { body: { ...at, query, filters, k: FOUND } })),
    enabled: Boolean(query),
    placeholderData: keepPreviousData,
  });
  const rows = useMemo<Row[]>(
    () =>
      query
        ? (found.data ?? []).map((hit) => ({ record: hit.record, score: hit.score }))
        : (listed.data?.pages ?? []).flatMap((page) => page.records.map((record) => ({ record }))),
    [query, found.data, listed.data],
  );
  const asked = query ? found : listed;
  return {
    rows,
    error: asked.error,
    pending: asked.isPending,
    stale: asked.isPlaceholderData,
    more: !query && listed.hasNextPage,
    fetching: listed.isFetchingNextPage,
    next: () => void listed.fetchNextPage(),
    again: () => void asked.refetch(),
  };
}

export function useStats() {
  const at = useWhose();
  return useQuery({ queryKey: ["records", at, "stats"], queryFn: () => answer(api.GET("/v1/stats", { params: { query: at } })) });
}
