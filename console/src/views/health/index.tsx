// Health: how the server is, how fast it answers, and what fails right now.
import { useState } from "react";
import { useHealth, type Component } from "../../api/health";
import { Button } from "../../parts/Button";
import { Loading } from "../../parts/Loading";
import { ProblemNote } from "../../parts/ProblemNote";
import { fullMoment } from "../../parts/words";
import "../../style/sheet.css";
import { Breakers } from "./Breakers";
import { Errors } from "./Errors";
import "./health.css";
import { Latency } from "./Latency";

const EVERY = 5_000;

/** What each part is for, to whoever has not built it. */
const ABOUT: Record<string, string> = {
  store: "Where memories are kept",
  index: "Finds memories by their words",
  vectors: "Find memories by their meaning",
  embedder: "Turns text into meaning",
  cache: "Keeps answers for a while",
  bus: "Tells open pages what changes",
  scheduler: "Archives and sums up in the background",
  disk: "Room on the disk",
  clock: "The time of this machine",
  llm: "The language model that sums up and chats",
  redis: "Shared by several servers",
};

const LOOKS: Record<string, string> = { ok: "good", degraded: "busy", down: "bad" };
const SIGNS: Record<string, string> = { ok: "✓", degraded: "!", down: "✕" };

export function State({ state }: { state: string }) {
  return (
    <span className={`state ${LOOKS[state] ?? ""}`}>
      <span aria-hidden="true">{SIGNS[state] ?? "?"}</span> {state}
    </span>
  );
}

/** What a bare number of some components means. */
const MEANS: Record<string, string> = { index: "waiting", vectors: "waiting", clock: "s off" };

const figured = (one: Component) =>
  one.figure === null ? "" : one.unit === "share" ? `${Math.round(one.figure * 100)} %` : `${(Object.is(one.figure, -0) ? 0 : one.figure).toLocaleString()} ${MEANS[one.name] ?? one.unit}`;

export default function Health() {
  const [paused, pause] = useState(false);
  const { data, error, refetch } = useHealth(paused ? false : EVERY);
  return (
    <section className="sheet health" aria-labelledby="title">
      <header>
        <h1 id="title">Health</h1>
        {data && <State state={data.state} />}
        {data?.draining && <span className="state busy">is stopping</span>}
        <span className="small">{data && `as of ${fullMoment(data.at)}`}</span>
        <span className="spring" />
        <Button icon={paused ? "play" : "pause"} onPress={() => pause(!paused)}>
          {paused ? "Resume live updates" : "Pause live updates"}
        </Button>
      </header>
      {error ? (
        <ProblemNote error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Loading lines={6} label="Asking how the server is" />
      ) : (
        <ul className="tiles">
          {data.components.map((one) => (
            <li key={one.name} className="panel component">
              <div className="row">
                <h2>{one.name}</h2>
                <span className="spring" />
                <State state={one.state} />
              </div>
              <p className="small">{ABOUT[one.name]}</p>
              <p>
                {one.unit === "share" && one.figure !== null ? (
                  `${figured(one)} ${one.reason}`
                ) : (
                  <>
                    {one.reason}
                    {one.figure !== null && <span className="faint"> · {figured(one)}</span>}
                  </>
                )}
              </p>
            </li>
          ))}
        </ul>
      )}
      {data && <Breakers all={data.breakers} />}
      <Latency every={paused ? false : EVERY} />
      <Errors />
    </section>
  );
}
