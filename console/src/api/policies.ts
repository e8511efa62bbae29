// The values by which memory is read and ages, as they hold now on the server.
import { useQuery } from "@tanstack/react-query";
import { answer, api } from "./client";

export const POLICIES_KEY = ["policies"];

export function usePolicies() {
  return useQuery({ queryKey: POLICIES_KEY, queryFn: () => answer(api.GET("/v1/policies")) });
}
