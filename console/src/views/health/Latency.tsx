// How many requests there are and how long they take, by verb, and how that went while this page was open.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { fetched } from "../../api/client";
import { Loading } from "../../parts/Loading";
import { ProblemNote } from "../../parts/ProblemNote";
import { TableWrap } from "../../parts/TableWrap";
import { counted } from "../../parts/words";
import { between, cached, figure, quantile, samples, verbs, type Sample, type Verb } from "./metrics";

const LOOKS = 60;
type Look = { at: number; verbs: Map<string, Verb> };

export function Latency({ every }: { every: number | false }) {
  const [looks, setLooks] = useState<Look[]>([]);
  const { data, error, dataUpdatedAt, refetch } = useQuery({
    queryKey: ["metrics"],
    queryFn: async () => samples(await (await fetched("/metrics")).text()),
    refetchInterval: every,
  });
  useEffect(() => {
    if (data) setLooks((before) => [...before.slice(1 - LOOKS), { at: dataUpdatedAt, verbs: verbs(data) }]);
  }, [data, dataUpdatedAt]);
  const now = looks.at(-1);
  const shown = [...(now?.verbs.values() ?? [])].sort((a, b) => b.requests - a.requests);
  return (
    <section className="panel" aria-labelledby="latency">
      <header>
        <h2 id="latency">Requests</h2>
        <span className="small">Since the server started. Half of the requests took at most the time under p50, and 95 of 100 at most the time under p95.</span>
      </header>
      {error ? (
        <ProblemNote error={error} retry={() => void refetch()} />
      ) : !data || !now ? (
        <Loading lines={5} label="Reading the figures" />
      ) : (
        <>
          <Figures all={data} />
          <TableWrap label="Requests by verb">
            <table>
              <thead>
                <tr>
                  <th scope="col">Verb</th>
                  <th scope="col" className="number">
                    Requests
                  </th>
                  <th scope="col" className="number">
                    Failed
                  </th>
                  <th scope="col" className="number">
                    p50
                  </th>
                  <th scope="col" className="number">
                    p95
                  </th>
                  <th scope="col">p95 lately</th>
                </tr>
              </thead>
              <tbody>
                {shown.map((one) => (
                  <tr key={one.verb}>
                    <td className="mono">{one.verb}</td>
                    <td className="number">{one.requests.toLocaleString()}</td>
                    <td className="number">{one.failed ? <span className="state bad">{one.failed.toLocaleString()}</span> : 0}</td>
                    <td className="number">{told(quantile(one.buckets, 0.5))}</td>
                    <td className="number">{told(quantile(one.buckets, 0.95))}</td>
                    <td>
                      <Spark values={looks.slice(1).map((look, place) => lately(look, looks[place], one.verb))} verb={one.verb} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </TableWrap>
          {shown.length === 0 && <p className="small">Nobody has asked anything yet.</p>}
        </>
      )}
    </section>
  );
}

const told = (seconds: number | null) => (seconds === null ? "" : seconds >= 1 ? `${seconds.toFixed(1)} s` : `${(seconds * 1000).toFixed(seconds < 0.01 ? 1 : 0)} ms`);

const lately = (now: Look, then: Look | undefined, verb: string) => {
  const one = now.verbs.get(verb);
  return one ? quantile(between(one.buckets, then?.verbs.get(verb)?.buckets), 0.95) : null;
};

function Figures({ all }: { all: Sample[] }) {
  const bytes = figure(all, "process_resident_memory_bytes");
  const shown: [string, string][] = [
    ["In flight", String(figure(all, "foveal_requests_in_flight") ?? 0)],
    ["Cache of vectors", cached(all, "vector", "text")],
    ["Cache of rankings", cached(all, "ranking", "question")],
    ["Queue", `${figure(all, "foveal_touches_waiting") ?? 0} touches, ${figure(all, "foveal_records_pending") ?? 0} memories wait for a vector`],
    ["Bus", `${counted(figure(all, "foveal_bus_subscribers") ?? 0, "listener")}, ${figure(all, "foveal_bus_published_total") ?? 0} told, ${figure(all, "foveal_bus_dropped_total") ?? 0} dropped`],
  ];
  if (bytes !== null) shown.push(["Process", `${Math.round(bytes / 1_048_576)} MB`]);
  return (
    <dl className="facts">
      {shown.map(([name, value]) => (
        <div key={name} className="contents">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const WIDE = 120;
const HIGH = 24;

function Spark({ values, verb }: { values: (number | null)[]; verb: string }) {
  const known = values.filter((one) => one !== null);
  if (known.length === 0) return <span className="faint nowrap">not asked lately</span>;
  const most = Math.max(...known);
  const points = values.flatMap((one, place) => (one === null ? [] : [[(place / Math.max(1, LOOKS - 2)) * (WIDE - 4) + 2, HIGH - 3 - (one / most) * (HIGH - 6)] as const]));
  const last = points.at(-1);
  return (
    <svg className="spark" width={WIDE} height={HIGH} role="img" aria-label={`${verb}: p95 lately at most ${told(most)}, last ${told(known.at(-1) ?? null)}`}>
      <polyline points={points.map((one) => one.join(",")).join(" ")} />
      {last && <circle cx={last[0]} cy={last[1]} r="2.5" />}
    </svg>
  );
}
