// Requests to a server: with a key, within a time, and again when a failure passes.
import { FovealError, Invalid, RateLimited, refusal, StorageFull, StoreUnavailable, TimedOut, Unavailable, UnderWay } from "./errors.js";

/** How one call is made. `timeoutMs` is its longest time, of one attempt; `signal` gives it up. */
export type CallOptions = { signal?: AbortSignal; timeoutMs?: number; idempotencyKey?: string };

/** What a transport sends. */
export type Asked = {
  method: string;
  path: string;
  query?: URLSearchParams;
  body?: unknown;
  headers?: Record<string, string>;
};

export type TransportOptions = {
  key?: string | undefined;
  timeoutMs?: number | undefined;
  attempts?: number | undefined;
  fetch?: typeof globalThis.fetch | undefined;
  pause?: ((milliseconds: number, signal?: AbortSignal) => Promise<void>) | undefined;
};

const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5_000;
// A header carries visible ASCII; `fetch` would quote a key that it cannot send.
const CAN_BE_SENT = /^[!-~]+$/;

/** A name that no other request has. `crypto.randomUUID` is missing on pages without TLS. */
export function uniqueName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (one) => one.toString(16).padStart(2, "0")).join("");
}

/** Wait, or throw the reason of the signal when it stops the wait. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done, failed) => {
    if (signal?.aborted) return failed(signal.reason);
    const stopped = () => {
      clearTimeout(timer);
      failed(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stopped);
      done();
    }, milliseconds);
    signal?.addEventListener("abort", stopped, { once: true });
  });
}

/** The URL of a server, without a slash at its end. */
function checked(url: string): string {
  const parts = URL.canParse(url) ? new URL(url) : null;
  if (!parts || !/^https?:$/.test(parts.protocol)) throw new Invalid("the URL of the server has the form http(s)://host:port");
  // A password in a URL would end up in logs.
  if (parts.username || parts.password) throw new Invalid("the URL of the server holds a user or a password: give the key apart from it");
  if (parts.search || parts.hash) throw new Invalid("the URL of the server has no query and no fragment");
  return parts.origin + parts.pathname.replace(/\/+$/, "");
}

/** Whether the same request may work in a moment. A full disk does not recover by itself. */
const isPassing = (error: unknown): error is FovealError =>
  (error instanceof Unavailable || error instanceof RateLimited || error instanceof UnderWay) && !(error instanceof StorageFull);

/** Aborts when `signal` does, and when `stop` is called. */
class Watched {
  readonly control = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #stopped = () => this.control.abort(this.#outer?.reason);

  constructor(signal?: AbortSignal) {
    this.#outer = signal;
    if (signal?.aborted) this.#stopped();
    signal?.addEventListener("abort", this.#stopped, { once: true });
  }

  release(): void {
    this.#outer?.removeEventListener("abort", this.#stopped);
  }
}

export class Transport {
  readonly url: string;
  readonly pause: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly #key: string | undefined;
  readonly #timeoutMs: number;
  readonly #attempts: number;
  readonly #fetch: typeof globalThis.fetch;

  constructor(url: string, options: TransportOptions) {
    if (options.key && !CAN_BE_SENT.test(options.key)) throw new Invalid("the API key has a blank or a character that no header can carry");
    this.url = checked(url);
    this.#key = options.key;
    this.#timeoutMs = options.timeoutMs ?? 30_000;
    this.#attempts = options.attempts ?? 3;
    // Called without an owner, as browsers demand.
    const chosen = options.fetch ?? globalThis.fetch;
    this.#fetch = (...asked) => chosen(...asked);
    this.pause = options.pause ?? pause;
  }

  /** The answer to a request as JSON, or undefined if it has no content. */
  async answer(asked: Asked, options: CallOptions = {}): Promise<unknown> {
    return this.#again(() => this.#timed(asked, options), options.signal);
  }

  /** A stream of an answer, once it begins. `silenceMs` is how long it may then be silent. */
  async *stream(asked: Asked, options: CallOptions = {}, silenceMs = Infinity): AsyncGenerator<Uint8Array> {
    const watched = new Watched(options.signal);
    const limit = new Limit(watched.control, asked, options.timeoutMs ?? this.#timeoutMs);
    try {
      const response = await this.#sent(asked, watched.control.signal);
      if (!response.body) return;
      const reader = response.body.getReader();
      for (;;) {
        limit.set(silenceMs);
        const { value, done } = await reader.read();
        if (done) return;
        limit.set(Infinity);
        yield value;
      }
    } catch (error) {
      throw this.#told(error, limit, options.signal);
    } finally {
      limit.set(Infinity);
      watched.release();
      watched.control.abort();
    }
  }

  async #timed(asked: Asked, options: CallOptions): Promise<unknown> {
    const watched = new Watched(options.signal);
    const limit = new Limit(watched.control, asked, options.timeoutMs ?? this.#timeoutMs);
    try {
      const response = await this.#sent(asked, watched.control.signal);
      const text = await response.text();
      return text ? JSON.parse(text) : undefined;
    } catch (error) {
      if (error instanceof SyntaxError) throw new FovealError(`${this.url} answered ${asked.path} with what is not JSON`, {}, { cause: error });
      throw this.#told(error, limit, options.signal);
    } finally {
      limit.set(Infinity);
      watched.release();
    }
  }

  async #sent(asked: Asked, signal: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = { Accept: "application/json", ...asked.headers };
    if (this.#key) headers["Authorization"] = `Bearer ${this.#key}`;
    const init: RequestInit = { method: asked.method, headers, signal };
    if (asked.body !== undefined) {
      headers["Content-Type"] = "application/json";
      init.body = JSON.stringify(asked.body);
    }
    const query = asked.query?.toString();
    const response = await this.#fetch(`${this.url}${asked.path}${query ? `?${query}` : ""}`, init);
    if (!response.ok) throw await refusal(response, this.url);
    return response;
  }

  /** What a failure of `fetch` means. */
  #told(error: unknown, limit: Limit, signal?: AbortSignal): unknown {
    if (signal?.aborted) return signal.reason;
    if (limit.over) return limit.over;
    if (error instanceof TypeError) return new StoreUnavailable(`the server at ${this.url} does not answer`, {}, { cause: error });
    return error;
  }

  async #again(call: () => Promise<unknown>, signal?: AbortSignal): Promise<unknown> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await call();
      } catch (error) {
        if (!isPassing(error) || attempt >= this.#attempts) throw error;
        // Clients that failed together should not retry together, nor sooner than the server asked.
        const asked = 1000 * Number(error.data["retry_after"] ?? 0);
        const span = Math.max(asked, FIRST_PAUSE * 2 ** (attempt - 1) * (0.5 + Math.random()));
        if (span > LONGEST_PAUSE) throw error;
        await this.pause(span, signal);
      }
    }
  }
}

/** Ends a request that takes longer than its time. */
class Limit {
  over: TimedOut | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #control: AbortController;
  readonly #asked: Asked;

  constructor(control: AbortController, asked: Asked, milliseconds: number) {
    this.#control = control;
    this.#asked = asked;
    this.set(milliseconds);
  }

  set(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (milliseconds === Infinity) return;
    this.#timer = setTimeout(() => {
      this.over = new TimedOut(`the server took longer than ${milliseconds} ms for ${this.#asked.path}`);
      this.#control.abort(this.over);
    }, milliseconds);
  }
}
