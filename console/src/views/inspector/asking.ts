// What the inspector asks about one memory.
import { useQuery } from "@tanstack/react-query";
import { answer, api } from "../../api/client";
import { useWhose } from "../../api/whose";

export function useRecord(id: string) {
  const at = useWhose();
  return useQuery({
    queryKey: ["records", at, "one", id],
    queryFn: () => answer(api.GET("/v1/records/{record_id}", { params: { path: { record_id: id }, query: { ...at, touch: false } } })),
  });
}

export function useHistory(id: string) {
  const at = useWhose();
  return useQuery({
    queryKey: ["records", at, "history", id],
    queryFn: () => answer(api.GET("/v1/records/{record_id}/history", { params: { path: { record_id: id }, query: at } })),
  });
}

export function useRelated(id: string) {
  const at = useWhose();
  return useQuery({
    queryKey: ["records", at, "related", id],
    queryFn: () => answer(api.GET("/v1/records/{record_id}/related", { params: { path: { record_id: id }, query: at } })),
  });
}

export function useForecast(id: string) {
  const at = useWhose();
  return useQuery({
    queryKey: ["records", at, "forecast", id],
    queryFn: async () => ({
      moves: await answer(api.GET("/v1/records/{record_id}/forecast", { params: { path: { record_id: id }, query: at } })),
      stats: (await answer(api.GET("/v1/stats/tiers", { params: { query: at } }))) as Record<string, unknown>,
    }),
  });
}

export function useRecalls(id: string) {
  const at = useWhose();
  return useQuery({
    queryKey: ["records", at, "recalls", id],
    queryFn: () => answer(api.GET("/v1/recalls", { params: { query: { ...at, record_id: id, limit: 50 } } })),
  });
}

export function useJournal(id: string) {
  const at = useWhose();
  return useQuery({
    queryKey: ["records", at, "journal", id],
    queryFn: () => answer(api.GET("/v1/journal", { params: { query: { ...at, record_id: id, limit: 50 } } })),
  });
}

/** The phrases of a text that have a glyph; nothing when no tape is in use. */
export function useGlyphs(text: string | undefined) {
  const at = useWhose();
  return useQuery({
    queryKey: ["records", at, "glyphs", text],
    queryFn: async () => {
      const tapes = await answer(api.GET("/v1/tapes", { params: { query: at } }));
      if (!tapes.some((one) => one.active)) return null;
      return answer(api.POST("/v1/glyphs", { body: { ...at, text: text ?? "" } }));
    },
    enabled: text !== undefined,
  });
}

export function useInspected(what: string) {
  const at = useWhose();
  return useQuery({
    queryKey: ["records", at, "inspected", what],
    queryFn: () => answer(api.GET("/v1/inspect", { params: { query: { ...at, what } } })),
  });
}
