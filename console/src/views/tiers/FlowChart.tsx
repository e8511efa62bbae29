// What moved over time, as stacked bars, with the same in a table.
import { useMemo } from "react";
import { toldOf } from "../../parts/moves";
import { counted, DAY } from "../../parts/words";
import { bars, flows, PLACES, type Move } from "./flow";

const KINDS = ["promoted", "digested", "sedimented", "consolidated", "archived", "expired", "forgotten", "superseded", "cleared", "restored"] as const;
const MEANS: Record<string, string> = {
  promoted: "L1 to L2",
  digested: "L2 to L3",
  sedimented: "L3 to L4",
};
const HIGH = 160;
const WIDE = 600;

export function FlowChart({ moves }: { moves: Move[] }) {
  const drawn = useMemo(() => bars(moves), [moves]);
  const totals = useMemo(() => flows(moves), [moves]);
  const most = Math.max(1, ...drawn.bars.map((one) => one.total));
  const shown = KINDS.filter((kind) => drawn.bars.some((one) => one.counts.has(kind)));
  const room = WIDE / Math.max(1, drawn.bars.length);
  const first = drawn.bars[0];
  const last = drawn.bars.at(-1);
  if (!first || !last) return <p className="small">Nothing has moved yet. A pass of the metabolism, or what you forget and restore, shows here.</p>;
  return (
    <div className="halves">
      <figure className="flow">
        <svg viewBox={`0 0 ${WIDE} ${HIGH}`} preserveAspectRatio="none" role="img" aria-label={`Moves over time, from ${DAY.format(first.begin)} to ${DAY.format(last.begin)}; the table beside has the numbers`}>
          <line x1="0" x2={WIDE} y1={HIGH - 0.5} y2={HIGH - 0.5} className="base" />
          {drawn.bars.map((bar, place) => {
            let top = HIGH;
            return shown.map((kind) => {
              const high = ((bar.counts.get(kind) ?? 0) / most) * (HIGH - 4);
              top -= high;
              return high > 0 && (
                <rect key={`${place} ${kind}`} x={place * room + room * 0.12} width={room * 0.76} y={top} height={high} className={`move-${kind}`}>
                  <title>{`${DAY.format(bar.begin)}: ${counted(bar.counts.get(kind) ?? 0, "memory", "memories")} ${toldOf(kind)}`}</title>
                </rect>
              );
            });
          })}
        </svg>
        <p className="row ends-apart small">
          <span>{DAY.format(first.begin)}</span>
          <span>highest bar {most.toLocaleString()}</span>
          <span>{DAY.format(last.begin)}</span>
        </p>
        <figcaption className="row">
          {shown.map((kind) => (
            <span className="legend" key={kind}>
              <svg width="12" height="12" aria-hidden="true">
                <rect width="12" height="12" rx="2" className={`move-${kind}`} />
              </svg>
              {toldOf(kind)}
              {MEANS[kind] && <span className="faint">{MEANS[kind]}</span>}
            </span>
          ))}
        </figcaption>
      </figure>
      <div className="table-wrap" role="region" aria-label="What moved from where to where" tabIndex={0}>
        <table>
          <caption className="visually-hidden">What moved from where to where</caption>
          <thead>
            <tr>
              <th scope="col">From</th>
              <th scope="col">To</th>
              <th scope="col" className="number">
                Memories
              </th>
            </tr>
          </thead>
          <tbody>
            {totals.map((one) => (
              <tr key={`${one.from} ${one.to}`}>
                <td>{PLACES[one.from]}</td>
                <td>{PLACES[one.to]}</td>
                <td className="number">{one.count.toLocaleString()}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
