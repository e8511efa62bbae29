// Timeline: when things happened and when they were written down, with what happens now.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { answer, api } from "../../api/client";
import { useWhose } from "../../api/whose";
import { Button } from "../../parts/Button";
import { Empty } from "../../parts/Empty";
import { Loading } from "../../parts/Loading";
import { ProblemNote } from "../../parts/ProblemNote";
import { counted } from "../../parts/words";
import { say, useSaid } from "../../route/router";
import { crowded } from "./density";
import { Feed } from "./Feed";
import { Lanes } from "./Lanes";
import { List } from "./List";
import { useLive } from "./live";
import { CLOCKS, LANES, lanesOf, markOf, minuteOf, momentOf, spanOf, within, type By, type Clock, type Mark } from "./marks";
import "./timeline.css";

const MOST = 3_000;
const CHANGED = 40;
const CROWDED = [
  ["bar", "memories in that time"],
  ["live", "just written, recalled or changed"],
] as const;
const LEGEND = [
  ["dot", "happened"],
  ["tick", "written down"],
  ["gone", "superseded"],
  ["wrote", "just written"],
  ["read", "just recalled"],
  ["moved", "just moved or changed"],
] as const;

/** The newest records of a time, with the older versions of those that were changed. */
function useMarks(since: string, until: string) {
  const at = useWhose();
  return useQuery({
    queryKey: ["records", at, "timeline", since, until],
    queryFn: async (): Promise<Mark[]> => {
      const moment = (said: string) => (momentOf(said) === undefined ? null : new Date(said).toISOString());
      const found = await answer(api.POST("/v1/timeline", { body: { ...at, since: moment(since), until: moment(until), limit: MOST } }));
      const changed = found.filter((one) => (one.version ?? 1) > 1).slice(0, CHANGED);
      const told = await Promise.all(
        changed.map((one) => answer(api.GET("/v1/records/{record_id}/history", { params: { path: { record_id: one.id }, query: at } }))),
      );
      return [...found, ...told.flat().filter((one) => one.superseded_at)].map(markOf);
    },
    placeholderData: keepPreviousData,
  });
}

export default function Timeline() {
  const at = useWhose();
  const [since] = useSaid("since");
  const [until] = useSaid("until");
  const [from] = useSaid("from");
  const [to] = useSaid("to");
  const [saidBy, setBy] = useSaid("lanes");
  const [saidClock, setClock] = useSaid("clock");
  const by: By = saidBy in LANES ? (saidBy as By) : "speaker";
  const clock: Clock = saidClock === "recorded" ? "recorded" : "happened";
  const [on, setOn] = useState(true);
  const { notices, live, touched } = useLive(on);
  const { data, error, refetch, isPlaceholderData } = useMarks(since, until);
  const marks = data ?? [];
  const lanes = useMemo(() => lanesOf(marks, by), [marks, by]);
  const span = useMemo(() => spanOf(marks), [marks]);
  const chosen = { from: momentOf(from), to: momentOf(to) };
  const listed = useMemo(() => within(marks, clock, { from: momentOf(from), to: momentOf(to) }), [marks, clock, from, to]);
  const narrowed = from !== "" || to !== "";
  return (
    <section className="timeline" aria-labelledby="title">
      <header className="view-head">
        <h1 id="title">Timeline</h1>
        <p className="small" aria-live="polite">
          {data && (marks.length >= MOST ? `The newest ${MOST.toLocaleString()} memories. Choose a time and zoom in to see older ones.` : counted(marks.length, "version", "versions") + " of memories")}
        </p>
        <span className="spring" />
        <Button icon={on ? "pause" : "play"} onPress={() => setOn(!on)}>
          {on ? "Pause live updates" : "Resume live updates"}
        </Button>
      </header>
      <div className="dials">
        <label>
          Lanes
          <select value={by} onChange={(event) => setBy(event.target.value === "speaker" ? "" : event.target.value)}>
            {Object.entries(LANES).map(([name, told]) => (
              <option key={name} value={name}>
                {told}
              </option>
            ))}
          </select>
        </label>
        <label>
          Choose by
          <select value={clock} onChange={(event) => setClock(event.target.value === "happened" ? "" : event.target.value)}>
            {Object.entries(CLOCKS).map(([name, told]) => (
              <option key={name} value={name}>
                {told}
              </option>
            ))}
          </select>
        </label>
        <label>
          From
          <input type="datetime-local" value={from} onChange={(event) => say({ from: event.target.value })} />
        </label>
        <label>
          To
          <input type="datetime-local" value={to} onChange={(event) => say({ to: event.target.value })} />
        </label>
        {narrowed && (
          <>
            {clock === "happened" && (
              <Button icon="lens" onPress={() => say({ since: from || since, until: to || until, from: null, to: null }, "push")}>
                Zoom in
              </Button>
            )}
            <Button look="quiet" icon="cross" onPress={() => say({ from: null, to: null })}>
              Clear
            </Button>
          </>
        )}
        {(since || until) && (
          <Button look="quiet" onPress={() => say({ since: null, until: null, from: null, to: null }, "push")}>
            Whole time
          </Button>
        )}
      </div>
      {error ? (
        <ProblemNote error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Loading lines={12} label="Loading the timeline" />
      ) : marks.length === 0 ? (
        <Empty icon="clock" title="Nothing lies in this time">
          <p>{since || until ? "Look at the whole time instead." : "Nothing is remembered yet. What is written shows here as it is written:"}</p>
          {!since && !until && <pre>{`foveal write "Ada prefers tea" --actor-id ${at.actor_id}`}</pre>}
        </Empty>
      ) : (
        <div className={isPlaceholderData ? "stale" : undefined}>
          <Lanes
            {...{ lanes, span, chosen, touched }}
            choose={(first, last) => say({ from: minuteOf(first), to: minuteOf(last) }, "push")}
            label={`${counted(marks.length, "memory", "memories")} in ${counted(lanes.length, "lane")}; the list below says the same`}
          />
          <p className="legend small">
            {(crowded(lanes) ? CROWDED : LEGEND).map(([key, told]) => (
              <span key={key}>
                <span className={`key ${key}`} /> {told}
              </span>
            ))}
          </p>
        </div>
      )}
      <div className="below">
        {data && marks.length > 0 && <List marks={listed} by={by} narrowed={narrowed} />}
        <Feed notices={notices} live={live} />
      </div>
    </section>
  );
}
