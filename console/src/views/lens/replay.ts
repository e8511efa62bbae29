// A read as it would be, for a question, a budget and a policy. It only looks: trying things out strengthens nothing.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { answer, api } from "../../api/client";
import { useWhose } from "../../api/whose";

export const POLICIES = {
  foveated: "What the question points at, then what is recent and how it began",
  relevant: "Only by how well it answers",
  recent: "Only by how new it is",
  mixed: "By relevance and recency together, 7 to 3",
} as const;
export type Policy = keyof typeof POLICIES;

export function useReplay(query: string, token_budget: number, policy: Policy | "") {
  const at = useWhose();
  return useQuery({
    queryKey: ["records", at, "lens", query, token_budget, policy],
    queryFn: () => answer(api.POST("/v1/read", { body: { ...at, query, token_budget, policy: policy || "foveated", explain: true, touch: false } })),
    enabled: query !== "" && policy !== "",
    placeholderData: (before, asked) => (asked?.queryKey[3] === query ? keepPreviousData(before) : undefined),
    staleTime: 60_000,
  });
}
