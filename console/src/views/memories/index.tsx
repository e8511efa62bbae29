// Memories: what is remembered, and how to change it.
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useActs } from "../../api/acts";
import { useMay } from "../../api/caller";
import { answer, api, type Memory } from "../../api/client";
import { saved, useExport } from "../../api/exporting";
import { useWhose, type At } from "../../api/whose";
import { openDialog } from "../../app/dialogs";
import { Button } from "../../parts/Button";
import { EditMemory } from "../../parts/EditMemory";
import { Empty } from "../../parts/Empty";
import { ForgetMemories } from "../../parts/ForgetMemories";
import { Loading } from "../../parts/Loading";
import { notifyFailure } from "../../parts/notices";
import { ProblemNote } from "../../parts/ProblemNote";
import { LIKELY } from "../../parts/relevance";
import { counted } from "../../parts/words";
import { Link, say, useSaid, useSearch } from "../../route/router";
import { Filters } from "./Filters";
import { chosenIn, filterOf, NAMES } from "./filters";
import { ForgetAll } from "./ForgetAll";
import { Grid, type Going } from "./Grid";
import "./memories.css";
import { News, useSince } from "./news";
import { FOUND, useRows, useStats } from "./rows";
import { SORTABLE, sortIn } from "./sorting";
import { NOTHING, size } from "./selection";

/** The rows whose tags and speakers are suggested as filters. */
const SEEN = 100;

export default function Memories() {
  const at = useWhose();
  const said = useSearch();
  const query = said.get("q") ?? "";
  const chosen = useMemo(() => chosenIn(said), [said]);
  const filters = useMemo(() => filterOf(chosen), [chosen]);
  const [saidSort, order] = useSaid("sort");
  const sort = useMemo(() => sortIn(saidSort), [saidSort]);
  const { row, count, exact, look, range, dayAt, tooMany, error, pending, stale, again } = useRows(query, filters, sort);
  const stats = useStats(exact).data;
  const acts = useActs();
  const mayWrite = useMay("write");
  const [selected, select] = useState(NOTHING);
  const [editing, edit] = useState<Memory | null>(null);
  const [going, setGoing] = useState<Memory[]>([]);
  const [all, setAll] = useState(false);
  const list = useRef<Going>(null);
  const narrowed = query !== "" || Object.keys(filters).length > 0;
  const inSight = useRef<readonly [number, number]>([0, 0]);
  const looking = useCallback(
    (first: number, last: number) => {
      inSight.current = [first, last];
      look(first, last);
    },
    [look],
  );
  const { since, seen } = useSince(() => {
    const ids = new Set<string>();
    for (let place = inSight.current[0] - 200; place < inSight.current[1] + 200; place += 1) {
      const record = row(place)?.record;
      if (record) ids.add(record.id);
    }
    return ids;
  });
  useEffect(() => select(NOTHING), [query, filters, at]);
  const unlikely = query !== "" && (row(0)?.relevance ?? 1) < LIKELY && !sort;
  const marked = size(selected, count);
  const those = useCallback(
    () => answer(api.POST("/v1/records:get", { body: { ...at, record_ids: [...selected.ids], touch: false } })),
    [at, selected],
  );
  const forget = useCallback(
    (record: Memory | null) => {
      if (record) setGoing([record]);
      else if (selected.all) setAll(true);
      else those().then(setGoing, notifyFailure);
    },
    [selected.all, those],
  );
  const done = () => select(NOTHING);
  const seenNow = Array.from({ length: Math.min(count, SEEN) }, (_, place) => row(place)?.record).filter((one) => one !== undefined);
  return (
    <section className="memories" aria-labelledby="title">
      <header className="view-head">
        <h1 id="title">Memories</h1>
        <p className="small" aria-live="polite">
          {!pending && exact && (narrowed ? (query && count >= FOUND ? `the ${FOUND} most relevant` : `${count.toLocaleString()} found`) : `${counted(count, "memory", "memories")}${stats?.pinned ? `, ${stats.pinned.toLocaleString()} pinned` : ""}${stats?.archived ? `, ${stats.archived.toLocaleString()} archived` : ""}`)}
        </p>
        <News
          since={since}
          show={() => {
            again();
            seen();
            list.current?.to(0);
          }}
        />
        <span className="spring" />
        <Exporting at={at} />
        {mayWrite && (
          <Button look="main" icon="plus" onPress={() => openDialog("add")}>
            Add a memory
          </Button>
        )}
      </header>
      <p className="lead small">
        Open a memory to see where it was learned and why it was recalled, to correct it or to forget it; tick several to forget them together.{" "}
        <Link to="/lens">Why did it say that?</Link>
      </p>
      <Filters chosen={chosen} stats={stats} seen={seenNow} jump={query || sort || count < 2 ? undefined : (day) => void dayAt(day).then((place) => list.current?.to(place), notifyFailure)} />
      {marked > 0 && (
        <div className="selection" role="toolbar" aria-label="What to do with the selected memories">
          <b>{selected.all && selected.ids.size === 0 ? `All ${counted(marked, "memory", "memories")}` : counted(marked, "memory", "memories")} selected</b>
          {mayWrite && (
            <Button look="danger" icon="bin" onPress={() => forget(null)}>
              Forget…
            </Button>
          )}
          {!selected.all && (
            <Button icon="down" onPress={() => void those().then((records) => saved(records.map((one) => JSON.stringify(one)).join("\n") + "\n", "selected.jsonl"), notifyFailure)}>
              Export selected
            </Button>
          )}
          <Button look="quiet" onPress={() => select(NOTHING)}>
            Clear
          </Button>
        </div>
      )}
      {tooMany && (
        <p className="small" role="status">
          There are too many to sort by this column: they are shown by time. Narrow them to {SORTABLE.toLocaleString()} or fewer.
        </p>
      )}
      {error ? (
        <ProblemNote error={error} retry={again} />
      ) : pending ? (
        <Loading lines={14} label="Loading memories" />
      ) : count === 0 ? (
        narrowed ? (
          <Empty icon="search" title={query ? "Nothing found" : "Nothing matches"}>
            <p>
              {query ? "No memory is likely to help with this" : "No memory passes these filters"}
              {query && Object.keys(filters).length > 0 ? ", with these filters" : ""}.
            </p>
            <Button icon="cross" onPress={() => say(Object.fromEntries(["q", ...NAMES].map((name) => [name, null])))}>
              Show everything
            </Button>
          </Empty>
        ) : (
          <Empty icon="list" title={"Nothing is remembered yet"}>
            <p>A memory is a text that was said, done or learned. Write the first one:</p>
            {mayWrite && (
              <Button look="main" icon="plus" onPress={() => openDialog("add")}>
                Add a memory
              </Button>
            )}
            <pre>{`foveal write "Ada prefers tea" --actor-id ${at.actor_id}`}</pre>
            <p>Or look at another memory: press w, or use the button with the name at the top.</p>
          </Empty>
        )
      ) : (
        <div className={stale ? "rows stale" : "rows"} aria-busy={stale}>
          {unlikely && (
            <p className="unlikely" role="status">
              <b>Nothing found that is likely to help.</b> These come nearest.
            </p>
          )}
          <Grid {...{ row, count, look: looking, range, endless: !query, selected, select, acts, edit, forget, mayWrite, going: list, query, sort, order }} />
        </div>
      )}
      <EditMemory record={editing} onClose={() => edit(null)} />
      <ForgetMemories records={going} open={going.length > 0} onClose={() => setGoing([])} onDone={done} />
      <ForgetAll selection={selected} filters={filters} open={all} onClose={() => setAll(false)} onDone={done} />
    </section>
  );
}

/** Everything as a file, with how much of it has come. */
function Exporting({ at }: { at: At }) {
  const { busy, told, run } = useExport(at);
  return (
    <Button icon="down" isDisabled={busy} onPress={run}>
      {busy ? told : "Export"}
    </Button>
  );
}
