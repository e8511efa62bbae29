// How the server is, as it says itself.
import { useQuery } from "@tanstack/react-query";
import { authorization } from "./client";
import { problemOf } from "./problem";

export type Breaker = { name: string; state: string; failures: number; allowed: number; seconds: number; since: string | null; failed_at: string | null };
export type Component = { name: string; state: string; reason: string; figure: number | null; unit: string };
type Health = { status: string; state: string; at: string; draining: boolean; components: Component[]; breakers: Breaker[] };

/** A server that is down says so with a failure, and says in it what is down. */
async function health(): Promise<Health> {
  const response = await fetch("/api/memory/health", { headers: authorization() });
  if (!response.ok && response.status !== 503) throw await problemOf(response);
  return (await response.json()) as Health;
}

export function useHealth(every: number | false = false) {
  return useQuery({ queryKey: ["health"], queryFn: health, refetchInterval: every });
}
