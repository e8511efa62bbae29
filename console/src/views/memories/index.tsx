// Memories: what is remembered, and how to change it.
import { useEffect, useMemo, useState } from "react";
import { useActs } from "../../api/acts";
import { useMay } from "../../api/caller";
import { fetched, querySerializer, type Memory } from "../../api/client";
import { useWhose, type At } from "../../api/whose";
import { Button } from "../../parts/Button";
import { EditMemory } from "../../parts/EditMemory";
import { Empty } from "../../parts/Empty";
import { ForgetMemories } from "../../parts/ForgetMemories";
import { Loading } from "../../parts/Loading";
import { notifyFailure } from "../../parts/notices";
import { ProblemNote } from "../../parts/ProblemNote";
import { counted } from "../../parts/words";
import { say, useSearch } from "../../route/router";
import { Filters } from "./Filters";
import { chosenIn, filterOf, NAMES } from "./filters";
import { Grid } from "./Grid";
import "./memories.css";
import { useRows, useStats } from "./rows";

const NOTHING: ReadonlySet<string> = new Set();

export default function Memories() {
  const at = useWhose();
  const said = useSearch();
  const query = said.get("q") ?? "";
  const chosen = useMemo(() => chosenIn(said), [said]);
  const filters = useMemo(() => filterOf(chosen), [chosen]);
  const { rows, error, pending, stale, more, fetching, next, again } = useRows(query, filters);
  const stats = useStats().data;
  const acts = useActs();
  const mayWrite = useMay("write");
  const [selected, select] = useState(NOTHING);
  const [editing, edit] = useState<Memory | null>(null);
  const [going, forget] = useState<Memory[]>([]);
  const narrowed = query !== "" || Object.keys(filters).length > 0;
  useEffect(() => select(NOTHING), [query, filters, at]);
  const marked = useMemo(() => rows.filter((row) => selected.has(row.record.id)).map((row) => row.record), [rows, selected]);
  const total = narrowed ? rows.length + (more ? 1 : 0) : Math.max(stats?.records ?? 0, rows.length);
  return (
    <section className="memories" aria-labelledby="title">
      <header className="view-head">
        <h1 id="title">Memories</h1>
        <p className="small" aria-live="polite">
          {!pending && (narrowed ? `${rows.length.toLocaleString()}${more ? " or more" : ""} found` : stats && `${counted(stats.records, "memory", "memories")}, ${stats.pinned} pinned, ${stats.archived.toLocaleString()} archived`)}
        </p>
        <span className="spring" />
        <Button icon="down" onPress={() => void exportAll(at)}>
          Export
        </Button>
      </header>
      <Filters chosen={chosen} kinds={Object.keys(stats?.kinds ?? {}).sort()} />
      {marked.length > 0 && (
        <div className="selection" role="toolbar" aria-label="What to do with the selected memories">
          <b>{counted(marked.length, "memory", "memories")} selected</b>
          {mayWrite && (
            <Button look="danger" icon="bin" onPress={() => forget(marked)}>
              Forget…
            </Button>
          )}
          <Button icon="down" onPress={() => download(marked.map((one) => JSON.stringify(one)).join("\n") + "\n", "selected.jsonl")}>
            Export selected
          </Button>
          <Button look="quiet" onPress={() => select(NOTHING)}>
            Clear
          </Button>
        </div>
      )}
      {error ? (
        <ProblemNote error={error} retry={again} />
      ) : pending ? (
        <Loading lines={14} label="Loading memories" />
      ) : rows.length === 0 ? (
        narrowed ? (
          <Empty icon="search" title="Nothing matches">
            <p>{query ? "No memory answers this search" : "No memory passes these filters"}{query && Object.keys(filters).length > 0 ? " with these filters" : ""}.</p>
            <Button icon="cross" onPress={() => say(Object.fromEntries(["q", ...NAMES].map((name) => [name, null])))}>
              Show everything
            </Button>
          </Empty>
        ) : (
          <Empty icon="list" title={`${at.actor_id} remembers nothing yet`}>
            <p>A memory is a text that was said, done or learned. Write the first one:</p>
            <pre>{`foveal write "Ada prefers tea" --actor-id ${at.actor_id}`}</pre>
            <p>Or look at another memory: press w, or use the button with the name at the top.</p>
          </Empty>
        )
      ) : (
        <div className={stale ? "rows stale" : "rows"} aria-busy={stale}>
          <Grid {...{ rows, total, more, fetching, next, selected, select, acts, edit, forget, mayWrite }} />
        </div>
      )}
      <EditMemory record={editing} onClose={() => edit(null)} />
      <ForgetMemories records={going} open={going.length > 0} onClose={() => forget([])} onDone={() => select(NOTHING)} />
    </section>
  );
}

function download(text: BlobPart, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/x-ndjson" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

async function exportAll(at: At): Promise<void> {
  try {
    const response = await fetched(`/v1/export?${querySerializer(at)}`);
    download(await response.blob(), `${at.actor_id}.jsonl`);
  } catch (error) {
    notifyFailure(error);
  }
}
