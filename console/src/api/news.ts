// What happens in a memory while it is looked at, from whoever does it: one stream for all who want to hear it.
import { useEffect, useRef } from "react";
import { querySerializer } from "./client";
import { listen } from "./events";
import { useWhose } from "./whose";

export type Notice = { id?: string; at: string; kind: string; what?: string; ids?: string[]; count?: number; missed?: number | null };
type Hearer = { heard: (notice: Notice) => void; state?: (live: boolean) => void };

const KINDS = ["memory", "metabolism", "ledger", "crystal", "tape"];
const streams = new Map<string, { hearers: Set<Hearer>; live: boolean; stop: () => void }>();

/** Hear what happens in a memory until it is stopped. A browser opens few connections to a server: all share one. */
export function hear(whose: { actor_id: string; world: string }, hearer: Hearer): () => void {
  const asked = querySerializer({ actor_id: whose.actor_id, world: whose.world, kinds: KINDS });
  const stream = streams.get(asked) ?? { hearers: new Set<Hearer>(), live: false, stop: () => undefined };
  stream.hearers.add(hearer);
  if (streams.get(asked) === stream) hearer.state?.(stream.live);
  else {
    streams.set(asked, stream);
    stream.stop = listen(
      `/v1/stream?${asked}`,
      ({ event, data, id }) => {
        for (const one of [...stream.hearers]) one.heard({ ...(data as Notice), kind: event, id: id || undefined });
      },
      (live) => {
        stream.live = live;
        for (const one of [...stream.hearers]) one.state?.(live);
      },
    );
  }
  return () => {
    stream.hearers.delete(hearer);
    if (stream.hearers.size) return;
    streams.delete(asked);
    stream.stop();
  };
}

/** Whether a notice is of one of these kinds, or of a part of one; that some were missed concerns everybody. */
export const isOf = (kind: string, kinds: readonly string[]): boolean => kind === "gap" || kinds.some((one) => kind === one || kind.startsWith(`${one}.`));

/** Hear the notices of some kinds about the memory that is looked at. */
export function useNews(kinds: readonly string[], heard: (notice: Notice) => void): void {
  const { actor_id, world } = useWhose();
  const latest = useRef(heard);
  latest.current = heard;
  const wanted = kinds.join(" ");
  useEffect(
    () => hear({ actor_id, world }, { heard: (notice) => isOf(notice.kind, wanted.split(" ")) && latest.current(notice) }),
    [actor_id, world, wanted],
  );
}
