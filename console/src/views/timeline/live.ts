// What happens in this memory while it is looked at.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { querySerializer } from "../../api/client";
import { listen } from "../../api/events";
import { useWhose } from "../../api/whose";

export type Notice = { id?: string; at: string; kind: string; what?: string; ids?: string[]; count?: number; missed?: number | null };
const KEPT = 30;
const PAUSE = 400;

/** The newest notices, whether the stream is open, and which records were touched how. */
export function useLive(on: boolean) {
  const at = useWhose();
  const queries = useQueryClient();
  const [notices, setNotices] = useState<Notice[]>([]);
  const [live, setLive] = useState(false);
  useEffect(() => setNotices([]), [at]);
  useEffect(() => {
    if (!on) return setLive(false);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const asked = querySerializer({ actor_id: at.actor_id, world: at.world, kinds: ["memory", "metabolism"] });
    const stop = listen(
      `/v1/stream?${asked}`,
      ({ event, data, id }) => {
        setNotices((was) => [{ ...(data as Notice), kind: event, id: id || undefined }, ...was].slice(0, KEPT));
        // Many may come at once: one look is enough for them.
        if (event !== "memory.read") timer ??= setTimeout(() => {
          timer = undefined;
          void queries.invalidateQueries({ queryKey: ["records"] });
        }, PAUSE);
      },
      setLive,
    );
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [at, on, queries]);
  const touched = useMemo(() => {
    const found = new Map<string, string>();
    for (const notice of notices) for (const id of notice.ids ?? []) if (!found.has(id)) found.set(id, notice.kind);
    return found;
  }, [notices]);
  return { notices, live, touched };
}
