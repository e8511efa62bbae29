// Health: how the server is, how fast it answers, and what fails right now.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { authorization } from "../../api/client";
import { problemOf } from "../../api/problem";
import { Button } from "../../parts/Button";
import { Loading } from "../../parts/Loading";
import { ProblemNote } from "../../parts/ProblemNote";
import { fullMoment } from "../../parts/words";
import "../../style/sheet.css";
import { Breakers, type Breaker } from "./Breakers";
import { Errors } from "./Errors";
import "./health.css";
import { Latency } from "./Latency";

const EVERY = 5_000;

type Component = { name: string; state: string; reason: string; figure: number | null; unit: string };
type Told = { status: string; state: string; at: string; draining: boolean; components: Component[]; breakers: Breaker[] };

/** A server that is down says so with a failure, and says in it what is down. */
async function health(): Promise<Told> {
  const response = await fetch("/api/memory/health", { headers: authorization() });
  if (!response.ok && response.status !== 503) throw await problemOf(response);
  return (await response.json()) as Told;
}

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
  const { data, error, refetch } = useQuery({ queryKey: ["health"], queryFn: health, refetchInterval: paused ? false : EVERY });
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
              {one.figure !== null && <p className="big">{figured(one)}</p>}
              <p className="small">{one.reason}</p>
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
