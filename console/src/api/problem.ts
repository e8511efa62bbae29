// What went wrong, as the server tells it (RFC 9457).
import type { components } from "./schema";

type Told = components["schemas"]["Problem"];

export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly title: string,
    readonly detail: string,
    readonly requestId: string,
    readonly data: Record<string, unknown> = {},
  ) {
    super(detail);
  }
}

export async function problemOf(response: Response): Promise<Problem> {
  const id = response.headers.get("x-request-id") ?? "";
  const told: Partial<Told> = await response.json().catch(() => ({}));
  return new Problem(
    response.status,
    told.code ?? `http_${response.status}`,
    told.title ?? "The server answered with a failure.",
    told.detail ?? `HTTP ${response.status}`,
    told.request_id ?? id,
    (told.data ?? {}) as Record<string, unknown>,
  );
}

/** Any failure as a problem: a server that cannot be reached is one, too. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof TypeError)
    return new Problem(0, "unreachable", "The server cannot be reached.", "Is `foveal serve` still running?", "");
  return new Problem(0, "console", "The console made a mistake.", error instanceof Error ? error.message : String(error), "");
}
