// What agents measured: the latest value of each metric, one of them as a line by the hour, and the same in a table.
import { useQuery } from "@tanstack/react-query";
import { answer, api } from "../../api/client";
import { useWhose } from "../../api/whose";
import { Empty } from "../../parts/Empty";
import { Loading } from "../../parts/Loading";
import { ProblemNote } from "../../parts/ProblemNote";
import { TableWrap } from "../../parts/TableWrap";
import { counted, MOMENT, When } from "../../parts/words";
import { Link, useSaid } from "../../route/router";
import { points, scale, told, type Point } from "./series";

// What is measured is told to nobody: it is asked for again.
const EVERY = 15_000;

export function Metrics() {
  const at = useWhose();
  const [said] = useSaid("metric");
  const { data, error, refetch } = useQuery({
    queryKey: ["records", at, "ledger", "metrics"],
    queryFn: () => answer(api.GET("/v1/metrics", { params: { query: at } })),
    refetchInterval: EVERY,
  });
  if (error) return <ProblemNote error={error} retry={() => void refetch()} />;
  if (!data) return <Loading lines={8} label="Loading metrics" />;
  const shown = data.find((one) => one.name === said) ?? data[0];
  if (!shown)
    return (
      <Empty icon="pulse" title="Nothing was measured yet">
        <p>Agents keep figures of their work. The latest value counts, and each hour keeps its mean, least and most:</p>
        <pre>{`memory.operational.update_metric("queue.length", 3)`}</pre>
      </Empty>
    );
  return (
    <div className="metrics">
      <TableWrap label="Metrics" className="panel">
        <table>
          <thead>
            <tr>
              <th scope="col">Metric</th>
              <th scope="col" className="number">
                Last value
              </th>
              <th scope="col">Measured</th>
            </tr>
          </thead>
          <tbody>
            {data.map((one) => (
              <tr key={one.name} aria-current={one === shown ? "true" : undefined}>
                <td className="mono">
                  <Link to="/ledger" said={{ show: "metrics", metric: one.name }}>
                    {one.name}
                  </Link>
                </td>
                <td className="number">{told(one.value)}</td>
                <td className="nowrap">
                  <When at={one.updated_at} relative />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableWrap>
      <Hours name={shown.name} />
    </div>
  );
}

function Hours({ name }: { name: string }) {
  const at = useWhose();
  const { data, error, refetch } = useQuery({
    queryKey: ["records", at, "ledger", "metrics", name],
    queryFn: async () => points(await answer(api.GET("/v1/metrics/{key}/hours", { params: { path: { key: name }, query: at } }))),
    refetchInterval: EVERY,
  });
  return (
    <section className="panel" aria-labelledby="hours">
      <header>
        <h2 id="hours" className="mono">
          {name}
        </h2>
        <span className="small">The mean of each hour; the band reaches from the least to the most.</span>
      </header>
      {error ? (
        <ProblemNote error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Loading lines={6} label="Loading the hours" />
      ) : data.length === 0 ? (
        <p className="small">No hour of it is kept.</p>
      ) : (
        <>
          <Line name={name} all={data} />
          <Table name={name} all={data} />
        </>
      )}
    </section>
  );
}

const [WIDE, HIGH, LEFT, RIGHT, TOP, FOOT] = [640, 240, 64, 10, 12, 26];

function Line({ name, all }: { name: string; all: Point[] }) {
  const { low, high, steps } = scale(all);
  const [first, last] = [all[0], all.at(-1)];
  if (!first || !last) return null;
  const span = last.at - first.at;
  const x = (at: number) => (span ? LEFT + ((at - first.at) / span) * (WIDE - LEFT - RIGHT) : (LEFT + WIDE - RIGHT) / 2);
  const y = (value: number) => TOP + (1 - (value - low) / (high - low)) * (HIGH - TOP - FOOT);
  const path = (value: (one: Point) => number, of = all) => of.map((one) => `${x(one.at).toFixed(1)} ${y(value(one)).toFixed(1)}`).join("L");
  return (
    <svg
      className="series"
      viewBox={`0 0 ${WIDE} ${HIGH}`}
      role="img"
      aria-label={`${name} over ${counted(all.length, "hour")}, from ${told(first.mean)} to ${told(last.mean)}; the table below has the numbers`}
    >
      {steps.map((step) => (
        <g key={step}>
          <line className="rule" x1={LEFT} x2={WIDE - RIGHT} y1={y(step)} y2={y(step)} />
          <text x={LEFT - 6} y={y(step) + 4} textAnchor="end">
            {told(step)}
          </text>
        </g>
      ))}
      <path className="band" d={`M${path((one) => one.most)}L${path((one) => one.least, [...all].reverse())}Z`} />
      <path className="line" d={`M${path((one) => one.mean)}`} />
      {all.map((one) => (
        <circle key={one.at} cx={x(one.at)} cy={y(one.mean)} r={all.length > 100 ? 1 : 2.5}>
          <title>{`${MOMENT.format(one.at)}: ${told(one.mean)}`}</title>
        </circle>
      ))}
      <text x={LEFT} y={HIGH - 4}>
        {MOMENT.format(first.at)}
      </text>
      {span > 0 && (
        <text x={WIDE - RIGHT} y={HIGH - 4} textAnchor="end">
          {MOMENT.format(last.at)}
        </text>
      )}
    </svg>
  );
}

function Table({ name, all }: { name: string; all: Point[] }) {
  return (
    <TableWrap label={`Hours of ${name}`} className="hours">
      <table>
        <thead>
          <tr>
            <th scope="col">Hour</th>
            {["Mean", "Least", "Most", "Values"].map((one) => (
              <th scope="col" className="number" key={one}>
                {one}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...all].reverse().map((one) => (
            <tr key={one.at}>
              <td className="nowrap">{MOMENT.format(one.at)}</td>
              {[one.mean, one.least, one.most].map((value, place) => (
                <td className="number" key={place}>
                  {told(value)}
                </td>
              ))}
              <td className="number">{one.count.toLocaleString()}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableWrap>
  );
}
