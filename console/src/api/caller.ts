// Whom the server takes us for.
import { useQuery } from "@tanstack/react-query";
import { answer, api } from "./client";
import { useToken } from "./session";

export function useCaller() {
  const key = useToken();
  return useQuery({ queryKey: ["whoami", key], queryFn: () => answer(api.GET("/v1/whoami")), staleTime: 60_000 });
}

/** Whether the caller may do what a right is for; while it is not known, nothing. */
export function useMay(right: "read" | "write" | "admin"): boolean {
  return useCaller().data?.rights.includes(right) ?? false;
}
