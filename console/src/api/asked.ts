// The questions that were asked lately, each once.
import { useQuery } from "@tanstack/react-query";
import { answer, api } from "./client";
import { useWhose } from "./whose";

export function useAsked() {
  const at = useWhose();
  return useQuery({
    queryKey: ["records", at, "asked"],
    queryFn: async () => {
      const reads = await answer(api.GET("/v1/recalls", { params: { query: { ...at, limit: 30 } } }));
      return [...new Set(reads.map((one) => one.query).filter(Boolean))].slice(0, 5);
    },
  });
}
