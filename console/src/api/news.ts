// What happens in a memory while it is looked at, from whoever does it.
import { useEffect, useRef } from "react";
import { querySerializer } from "./client";
import { listen } from "./events";
import { useWhose } from "./whose";

export type Notice = { id?: string; at: string; kind: string; what?: string; ids?: string[]; count?: number; missed?: number | null };

/** Hear the notices of some kinds about the memory that is looked at. */
export function useNews(kinds: readonly string[], heard: (notice: Notice) => void): void {
  const { actor_id, world } = useWhose();
  const latest = useRef(heard);
  latest.current = heard;
  const wanted = kinds.join(" ");
  useEffect(() => {
    const asked = querySerializer({ actor_id, world, kinds: wanted.split(" ") });
    return listen(
      `/v1/stream?${asked}`,
      ({ event, data, id }) => latest.current({ ...(data as Notice), kind: event, id: id || undefined }),
      () => undefined,
    );
  }, [actor_id, world, wanted]);
}
