// What the overview asks the server.
import { useQuery } from "@tanstack/react-query";
import { answer, api } from "../../api/client";
import { useWhose } from "../../api/whose";

const LATEST = 6;
const MOVES = 40;
const TOKENS = 700;

export function useStats() {
  const at = useWhose();
  return useQuery({ queryKey: ["records", at, "totals"], queryFn: () => answer(api.GET("/v1/stats", { params: { query: at } })), staleTime: 30_000 });
}

export function useProfile() {
  const at = useWhose();
  return useQuery({ queryKey: ["records", at, "profile", TOKENS], queryFn: () => answer(api.GET("/v1/profile", { params: { query: { ...at, token_budget: TOKENS } } })) });
}

/** Pinned memories, then the newest of long-term memory: what is known where no facts were drawn. */
export function useKept(when: boolean) {
  const at = useWhose();
  const some = (filters: object) => answer(api.GET("/v1/records", { params: { query: { ...at, filters: JSON.stringify(filters), limit: LATEST } } }));
  return useQuery({
    queryKey: ["records", at, "kept"],
    queryFn: async () => {
      const [pinned, long] = await Promise.all([some({ pinned: true }), some({ pinned: false, tier: "semantic", archived: false })]);
      return [...pinned.records, ...long.records].slice(0, LATEST);
    },
    enabled: when,
  });
}

export function useRegions() {
  const at = useWhose();
  return useQuery({ queryKey: ["records", at, "regions"], queryFn: () => answer(api.GET("/v1/regions", { params: { query: at } })), staleTime: 60_000 });
}

export function useRecalls() {
  const at = useWhose();
  return useQuery({ queryKey: ["records", at, "recalls", LATEST], queryFn: () => answer(api.GET("/v1/recalls", { params: { query: { ...at, limit: LATEST } } })) });
}

export function useNewest() {
  const at = useWhose();
  return useQuery({ queryKey: ["records", at, "newest"], queryFn: () => answer(api.GET("/v1/records", { params: { query: { ...at, limit: LATEST } } })) });
}

export function useMoves() {
  const at = useWhose();
  return useQuery({ queryKey: ["records", at, "journal", MOVES], queryFn: () => answer(api.GET("/v1/journal", { params: { query: { ...at, limit: MOVES } } })) });
}

export function useInterrupted() {
  const at = useWhose();
  return useQuery({ queryKey: ["records", at, "ledger", "interrupted"], queryFn: () => answer(api.GET("/v1/goals/interrupted", { params: { query: at } })), retry: false });
}

export function useTapes() {
  const at = useWhose();
  return useQuery({ queryKey: ["records", at, "tapes"], queryFn: () => answer(api.GET("/v1/tapes", { params: { query: at } })), retry: false });
}
