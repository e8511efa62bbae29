// The texts of memories of which only the ids are known.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { answer, api } from "./client";
import { useWhose } from "./whose";

export function useTexts(ids: string[]) {
  const at = useWhose();
  return useQuery({
    queryKey: ["records", at, "texts", ids],
    queryFn: async () => {
      const found = await answer(api.POST("/v1/records:get", { body: { ...at, record_ids: ids, touch: false } }));
      return new Map(found.map((one) => [one.id, one.text]));
    },
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
  });
}
