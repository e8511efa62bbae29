// A memory behind a server: everyday verbs by name, and every operation by `call`.
import { Unavailable, raised } from "./errors.js";
import { eventsIn, type ServerEvent } from "./events.js";
import { asked, named, queryOf, type Answer, type Arguments, type Operation, type Schemas, type Viewpoint } from "./operations.js";
import { Transport, uniqueName, type CallOptions } from "./transport.js";

/** How a memory is reached, and from which viewpoint. */
export type MemoryOptions = Viewpoint & {
  /** The API key. */
  key?: string;
  /** The longest time of one attempt, in milliseconds; 30,000 if it is not said. */
  timeoutMs?: number;
  /** How often a call is tried while its failure is one that passes; 3 if it is not said. */
  attempts?: number;
  /** What sends requests, instead of the `fetch` of the platform. */
  fetch?: typeof globalThis.fetch;
  /** What waits between attempts, instead of a timer. */
  pause?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
};

/** The arguments of an operation without those that a verb takes by position. */
export type Rest<O extends Operation, First extends PropertyKey> = Omit<Arguments<O>, First>;

/** One message of a conversation. */
export type Message = { role: "user" | "assistant" | "system"; content: string };

/** A part of the answer of a chat: a piece of its text, then the whole of it with what was recalled. */
export type ChatEvent = { type: "token"; text: string } | { type: "answer"; text: string; context: Schemas["Context"] | null };

// The server gives a sign of life every 15 seconds; after a longer silence it counts as away.
const SILENCE = 40_000;
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;

/**
 * The memory of an actor on a server. Calls are safe to make at the same time.
 *
 * Fields of details and answers are named as in the HTTP API. A failure is thrown as the class of its code. Passing
 * failures are tried again, writes under a key by which the server knows them, so that nothing is written twice.
 */
export class Memory {
  readonly #transport: Transport;
  readonly #at: Viewpoint;

  constructor(url: string | Transport, options: MemoryOptions = {}) {
    this.#transport = typeof url === "string" ? new Transport(url, options) : url;
    const { actorId, world, node, sessionId } = options;
    this.#at = { actorId, world, node, sessionId };
  }

  /** The same memory from another viewpoint; what is not said stays as it was. */
  view(at: Viewpoint): Memory {
    const said = Object.entries(at).filter(([, value]) => value !== undefined);
    return new Memory(this.#transport, { ...this.#at, ...Object.fromEntries(said) });
  }

  /** Store a text. Once this returns, the next read finds it. */
  write(text: string, details: Rest<"write", "text"> = {}, options?: CallOptions): Promise<Schemas["Written"]> {
    return this.call("write", { ...details, text }, options);
  }

  /** Store many texts, all or none; an item is a text, or an object with a text and its details. */
  writeMany(items: Arguments<"write_many">["items"], details: Rest<"write_many", "items"> = {}, options?: CallOptions): Promise<Answer<"write_many">> {
    return this.call("write_many", { ...details, items }, options);
  }

  /** Store what was said, and learn the facts that it states. */
  remember(messages: Arguments<"remember">["messages"], details: Rest<"remember", "messages"> = {}, options?: CallOptions): Promise<Answer<"remember">> {
    return this.call("remember", { ...details, messages }, options);
  }

  /** The context to give a model for a question: never over the budget, with a receipt. */
  read(query: string, details: Rest<"read", "query"> = {}, options?: CallOptions): Promise<Schemas["Context"]> {
    return this.call("read", { ...details, query }, options);
  }

  /** The records that answer a question best; none if nothing is likely to help. */
  search(query: string, details: Rest<"search", "query"> = {}, options?: CallOptions): Promise<Schemas["Hit"][]> {
    return this.call("search", { ...details, query }, options);
  }

  /** What is known now, from the facts that `remember` drew, within a budget. */
  profile(details: Arguments<"profile"> = {}, options?: CallOptions): Promise<Schemas["Profile"]> {
    return this.call("profile", details, options);
  }

  /** A record by its id, in its newest version. */
  get(id: string, details: Rest<"get", "record_id"> = {}, options?: CallOptions): Promise<Schemas["Record"]> {
    return this.call("get", { ...details, record_id: id }, options);
  }

  /** All versions of a record. */
  history(id: string, details: Rest<"history", "record_id"> = {}, options?: CallOptions): Promise<Schemas["Record"][]> {
    return this.call("history", { ...details, record_id: id }, options);
  }

  /** Add a version with a new text; the old one stays in the history. */
  supersede(id: string, text: string, details: Rest<"supersede", "record_id" | "text"> = {}, options?: CallOptions): Promise<Schemas["Record"]> {
    return this.call("supersede", { ...details, record_id: id, text }, options);
  }

  /** Forget records by id or by filter; with `hard`, erase them. */
  forget(target: Arguments<"forget">["target"], details: Rest<"forget", "target"> = {}, options?: CallOptions): Promise<Schemas["Forgotten"]> {
    return this.call("forget", { ...details, target }, options);
  }

  /** Keep a record from being forgotten and from fading. */
  pin(id: string, details: Rest<"pin", "record_id"> = {}, options?: CallOptions): Promise<Schemas["Record"]> {
    return this.call("pin", { ...details, record_id: id }, options);
  }

  /** Let a record age like the others again. */
  unpin(id: string, details: Rest<"unpin", "record_id"> = {}, options?: CallOptions): Promise<Schemas["Record"]> {
    return this.call("unpin", { ...details, record_id: id }, options);
  }

  /** All records, page by page as they are asked for. */
  async *records(details: Rest<"page", "cursor"> = {}, options?: CallOptions): AsyncGenerator<Schemas["Record"]> {
    for (let cursor: string | null | undefined = null; cursor !== undefined; ) {
      const page: Schemas["Page"] = await this.call("page", { ...details, cursor }, options);
      yield* page.records;
      cursor = page.cursor ?? undefined;
    }
  }

  /** Talk to an agent with this memory: its answer in pieces, as they come, then whole. */
  async *chat(said: string | Message[], details: { token_budget?: number; memory?: boolean } = {}, options: CallOptions = {}): AsyncGenerator<ChatEvent> {
    const body = { ...named(this.#at), ...details, ...(typeof said === "string" ? { message: said } : { messages: said }) };
    const request = { method: "POST", path: "/api/agent/chat", body, headers: { Accept: "text/event-stream" } };
    for await (const event of this.#events(request, options)) {
      yield { type: event.kind, ...(event.data as object) } as ChatEvent;
    }
  }

  /**
   * What happens in the memory, without end: writes, changes, what was forgotten. `after` is the id of the last notice
   * that is known; 0 begins with the oldest that the server has. When the server goes away, this waits until it is back
   * and goes on after the last notice; a notice of the kind `gap` says that some were lost.
   */
  async *notices(details: { kinds?: string[]; after?: string } = {}, options: CallOptions = {}): AsyncGenerator<Schemas["Notice"]> {
    const query = queryOf({ actor_id: this.#at.actorId, world: this.#at.world, kinds: details.kinds });
    let [last, wait] = [details.after, FIRST_PAUSE];
    for (;;) {
      const headers = { Accept: "text/event-stream", ...(last === undefined ? {} : { "Last-Event-ID": last }) };
      try {
        for await (const event of this.#events({ method: "GET", path: "/v1/stream", query, headers }, options, SILENCE)) {
          wait = FIRST_PAUSE;
          last = event.id || last;
          yield event.data as Schemas["Notice"];
        }
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
      }
      await this.#transport.pause(wait, options.signal);
      wait = Math.min(2 * wait, LONGEST_PAUSE);
    }
  }

  /** The answer of any operation of the server, by its name in the HTTP API. */
  async call<O extends Operation>(name: O, details: Arguments<O>, options: CallOptions = {}): Promise<Answer<O>> {
    const { keyed, ...request } = asked(name, details, named(this.#at));
    const key = options.idempotencyKey ?? uniqueName();
    const headers: Record<string, string> = keyed && !isKnownWithout(name, details) ? { "Idempotency-Key": key } : {};
    return (await this.#transport.answer({ ...request, headers }, options)) as Answer<O>;
  }

  async *#events(...how: Parameters<Transport["stream"]>): AsyncGenerator<ServerEvent> {
    for await (const event of eventsIn(this.#transport.stream(...how))) {
      const problem = event.kind === "problem" ? raised(event.data) : null;
      if (problem) throw problem;
      yield event;
    }
  }
}

/** Whether the server recognises a repeated write by what it says: its key, or its time and text. */
function isKnownWithout(name: Operation, details: object): boolean {
  const said = details as Record<string, unknown>;
  if (said["idempotency_key"] != null) return true;
  return name === "write" && said["occurred_at"] != null && said["id"] == null;
}
