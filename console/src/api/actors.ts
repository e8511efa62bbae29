// Whose memories the server holds, for those who may know.
import { useQuery } from "@tanstack/react-query";
import { useCaller } from "./caller";
import { answer, api, type Schemas } from "./client";

export type Actor = Schemas["Actor"];

export function useActors() {
  const caller = useCaller().data;
  const may = caller !== undefined && caller.rights.includes("admin") && !caller.actors && !caller.worlds && !caller.verbs;
  return useQuery({ queryKey: ["actors", caller?.subject], queryFn: () => answer(api.GET("/v1/actors")), enabled: may, staleTime: 30_000 });
}
