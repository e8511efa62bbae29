// Events of the server by fetch, which can carry the key where EventSource cannot.
import { fetched } from "./client";

export type ServerEvent = { event: string; data: unknown; id: string };

/** Take whole events out of what has come so far; the rest stays for the next time. */
export function parsed(text: string): { events: ServerEvent[]; rest: string } {
  const blocks = text.replaceAll("\r\n", "\n").split("\n\n");
  const rest = blocks.pop() ?? "";
  const events: ServerEvent[] = [];
  for (const block of blocks) {
    const said = { event: "message", data: [] as string[], id: "" };
    for (const line of block.split("\n")) {
      if (line.startsWith("event:")) said.event = line.slice(6).trim();
      else if (line.startsWith("data:")) said.data.push(line.slice(5).replace(/^ /, ""));
      else if (line.startsWith("id:")) said.id = line.slice(3).trim();
    }
    if (said.data.length) events.push({ event: said.event, data: JSON.parse(said.data.join("\n")), id: said.id });
  }
  return { events, rest };
}

/** The events of one answer, as they come, until it ends or the signal stops it. */
export async function* eventsOf(path: string, init: RequestInit = {}): AsyncGenerator<ServerEvent> {
  const response = await fetched(path, init);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (reader) {
    const { value, done } = await reader.read();
    if (done) return;
    const found = parsed(text + value);
    text = found.rest;
    yield* found.events;
  }
}

const PAUSE = 3_000;

/** Hear a stream until it is stopped; what breaks is taken up again after the last event heard. */
export function listen(path: string, heard: (one: ServerEvent) => void, state: (live: boolean) => void): () => void {
  const stop = new AbortController();
  const run = async () => {
    let last = "";
    while (!stop.signal.aborted) {
      try {
        const headers: Record<string, string> = last ? { "Last-Event-ID": last } : {};
        state(true);
        for await (const one of eventsOf(path, { headers, signal: stop.signal })) {
          if (one.id) last = one.id;
          heard(one);
        }
      } catch (error) {
        if (stop.signal.aborted) return;
        console.debug("the stream broke", error);
      }
      state(false);
      await new Promise((done) => setTimeout(done, PAUSE));
    }
  };
  void run();
  return () => stop.abort();
}
