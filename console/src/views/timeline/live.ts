// What happens in this memory while it is looked at.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { hear, isOf, type Notice } from "../../api/news";
import { useWhose } from "../../api/whose";

export type { Notice };
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
    const stop = hear(at, {
      heard: (notice) => {
        if (!isOf(notice.kind, ["memory", "metabolism"])) return;
        setNotices((was) => [notice, ...was].slice(0, KEPT));
        // Many may come at once: one look is enough for them.
        if (notice.kind !== "memory.read") timer ??= setTimeout(() => {
          timer = undefined;
          void queries.invalidateQueries({ queryKey: ["records"] });
        }, PAUSE);
      },
      state: setLive,
    });
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
