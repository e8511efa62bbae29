// What came and went since the list was fetched: said quietly, and shown when asked for.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { answer, api, type Memory } from "../../api/client";
import { changed } from "../../api/lists";
import { useNews } from "../../api/news";
import { useWhose } from "../../api/whose";
import { Button } from "../../parts/Button";

type Since = { new: number; gone: number };
const NONE: Since = { new: 0, gone: 0 };

/** Counts what others wrote and forgot; what they changed is shown where it stands. */
export function useSince(shown: () => ReadonlySet<string>) {
  const at = useWhose();
  const queries = useQueryClient();
  const [since, set] = useState(NONE);
  const latest = useRef(shown);
  latest.current = shown;
  useEffect(() => set(NONE), [at]);
  useNews(["memory"], (notice) => {
    const ids = notice.ids ?? [];
    const count = notice.count ?? ids.length;
    const here = ids.filter((id) => latest.current().has(id));
    if (notice.kind === "memory.forget") {
      // What we forgot ourselves has left the list already.
      if (here.length) set((was) => ({ ...was, gone: was.gone + here.length }));
    } else if (notice.kind === "memory.write" || notice.kind === "memory.change") {
      const wanted = notice.kind === "memory.write" ? ids : here;
      if (wanted.length)
        void answer(api.POST("/v1/records:get", { body: { ...at, record_ids: wanted, touch: false } })).then((records: Memory[]) => {
          // Not everything that is written reaches the node we look from; and it may be a new version of what is here.
          const fresh = records.filter((one) => !latest.current().has(one.id));
          for (const one of records) if (latest.current().has(one.id)) changed(queries, at, one);
          const more = fresh.length && fresh.length === ids.length ? count - ids.length : 0;
          if (notice.kind === "memory.write" && fresh.length) set((was) => ({ ...was, new: was.new + fresh.length + more }));
        }, () => undefined);
    } else if (notice.kind === "gap") set((was) => ({ ...was, new: Math.max(1, was.new) }));
  });
  return { since, seen: () => set(NONE) };
}

export function News({ since, show }: { since: Since; show: () => void }) {
  const told = [since.new && `${since.new.toLocaleString()} new`, since.gone && `${since.gone.toLocaleString()} forgotten elsewhere`].filter(Boolean).join(", ");
  return (
    <span className="news" role="status">
      {told && (
        <Button icon="down" onPress={show} className="fresh">
          {told}: show
        </Button>
      )}
    </span>
  );
}
