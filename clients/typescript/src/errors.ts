// Every error of a memory: the same tree as in Python, found by the code of a problem document (RFC 9457).

/** What came with an error: which record it is about, when to try again, and the like. */
export type Details = Readonly<Record<string, unknown>>;

/** Something went wrong in Foveal. `code` never changes; `retry` says whether the same call may work later. */
export class FovealError extends Error {
  static readonly code: string = "error";
  static readonly retry: boolean = false;
  readonly data: Details;

  constructor(message: string, data: Details = {}, options?: ErrorOptions) {
    super(message, options);
    this.data = data;
  }

  override get name(): string {
    return this.constructor.name;
  }

  get code(): string {
    return (this.constructor as typeof FovealError).code;
  }

  get retry(): boolean {
    return (this.constructor as typeof FovealError).retry;
  }
}

/** The input cannot be accepted. */
export class Invalid extends FovealError {
  static override readonly code: string = "invalid";
}

/** An address has the form world/region#digits@d<depth>t<slice>. */
export class InvalidAddress extends Invalid {
  static override readonly code = "invalid_address";
}

/** Not even the required items fit the token budget. */
export class BudgetTooSmall extends Invalid {
  static override readonly code = "budget_too_small";
}

/** The input is over a documented limit. */
export class TooLarge extends Invalid {
  static override readonly code = "too_large";
}

/** The path is not a Foveal memory file. */
export class NotAMemoryFile extends Invalid {
  static override readonly code = "not_a_memory_file";
}

/** The key is missing or unknown. */
export class Unauthenticated extends FovealError {
  static override readonly code = "unauthenticated";
}

/** This is not allowed. */
export class Forbidden extends FovealError {
  static override readonly code: string = "forbidden";
}

/** The store is read-only. */
export class ReadOnly extends Forbidden {
  static override readonly code = "read_only";
}

/** An actor or a key has used up its quota. */
export class QuotaExceeded extends Forbidden {
  static override readonly code = "quota_exceeded";
}

/** There is nothing here that you may see. */
export class NotFound extends FovealError {
  static override readonly code = "not_found";
}

/** Someone wrote first, or the id is taken. */
export class Conflict extends FovealError {
  static override readonly code: string = "conflict";
}

/** The expected version is not the newest. */
export class PreconditionFailed extends Conflict {
  static override readonly code = "precondition_failed";
}

/** A pinned record cannot be forgotten: unpin it first. */
export class Pinned extends Conflict {
  static override readonly code = "pinned";
}

/** The first request with this key is still running: wait and send it again. */
export class UnderWay extends Conflict {
  static override readonly code = "under_way";
  static override readonly retry = true;
}

/** The first request with this key was cut off: check whether it took effect, and use a new key. */
export class CutOff extends Conflict {
  static override readonly code = "cut_off";
}

/** The stored vectors come from another encoder: run `foveal reindex`. */
export class EncoderMismatch extends Conflict {
  static override readonly code = "encoder_mismatch";
}

/** This backend cannot do that. */
export class Unsupported extends FovealError {
  static override readonly code: string = "unsupported";
}

/** The file was written by a newer release of Foveal: upgrade to open it. */
export class NewerSchema extends Unsupported {
  static override readonly code = "newer_schema";
}

/** Too many calls: wait and try again. */
export class RateLimited extends FovealError {
  static override readonly code = "rate_limited";
  static override readonly retry = true;
}

/** Temporarily unavailable: try again. */
export class Unavailable extends FovealError {
  static override readonly code: string = "unavailable";
  static override readonly retry = true;
}

/** The server or its store does not answer. */
export class StoreUnavailable extends Unavailable {
  static override readonly code = "store_unavailable";
}

/** There is no space left to write: free some and try again. */
export class StorageFull extends Unavailable {
  static override readonly code = "storage_full";
}

/** The model does not answer. */
export class ModelUnavailable extends Unavailable {
  static override readonly code = "model_unavailable";
}

/** Not tried, because recent calls to this service failed. */
export class CircuitOpen extends Unavailable {
  static override readonly code = "circuit_open";
}

/** The server is unreachable, and the last answer is too old to show. */
export class TooStale extends Unavailable {
  static override readonly code = "too_stale";
}

/** The call took too long. */
export class TimedOut extends FovealError {
  static override readonly code = "timed_out";
  static override readonly retry = true;
}

/** Stored data breaks an invariant. */
export class Corrupt extends FovealError {
  static override readonly code = "corrupt";
}

const CLASSES = [
  ...[FovealError, Invalid, InvalidAddress, BudgetTooSmall, TooLarge, NotAMemoryFile, Unauthenticated, Forbidden],
  ...[ReadOnly, QuotaExceeded, NotFound, Conflict, PreconditionFailed, Pinned, UnderWay, CutOff, EncoderMismatch],
  ...[Unsupported, NewerSchema, RateLimited, Unavailable, StoreUnavailable, StorageFull, ModelUnavailable],
  ...[CircuitOpen, TooStale, TimedOut, Corrupt],
];

/** The class of each code. */
export const ERRORS: ReadonlyMap<string, typeof FovealError> = new Map(CLASSES.map((one) => [one.code, one]));

// For responses without a problem document, as proxies and other servers send them.
const PLAIN = new Map<number, typeof FovealError>([
  [401, Unauthenticated],
  [403, Forbidden],
  [413, TooLarge],
  [429, RateLimited],
  [502, StoreUnavailable],
  [503, StoreUnavailable],
  [504, TimedOut],
]);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The error in a problem document, of the class that the server raised. */
export function raised(problem: unknown, more: Details = {}): FovealError | null {
  if (!isObject(problem) || typeof problem["code"] !== "string") return null;
  const { code, detail, title, request_id, data } = problem;
  const kind = ERRORS.get(code as string) ?? FovealError;
  const details = { ...(isObject(data) ? data : {}), ...(request_id ? { request_id } : {}), ...more };
  return new kind(String(detail ?? title ?? code), details);
}

/** The error of a response that is no success; `asked` is the URL to name. */
export async function refusal(response: Response, asked: string): Promise<FovealError> {
  const text = await response.text();
  const after = retryAfter(response);
  const more = after === null ? {} : { retry_after: after };
  const known = raised(parsed(text), more);
  if (known) return known;
  const kind = PLAIN.get(response.status) ?? FovealError;
  const reason = text.replace(/\s+/g, " ").trim().slice(0, 300) || response.statusText;
  return new kind(`${asked} answered ${response.status} ${reason}`.trimEnd(), { ...more, status: response.status });
}

/** JSON, or undefined for a text that is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The seconds after which the server allows a retry, if it says so. */
function retryAfter(response: Response): number | null {
  const text = response.headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}(\.\d{1,9})?$/.test(text)) return Number(text);
  // Compared with the server's own clock, from which the date was computed.
  const span = Date.parse(text) - Date.parse(response.headers.get("date") ?? "");
  return Number.isNaN(span) ? null : Math.max(0, span / 1000);
}
