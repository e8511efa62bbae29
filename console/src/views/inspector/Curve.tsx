// The decay forecast, drawn; the table of foretold moves beside it says the same in words.
import { useState } from "react";
import type { Memory, Schemas } from "../../api/client";
import { reason, toldOf } from "../../parts/moves";
import { When } from "../../parts/words";
import { curve } from "./decay";

const [WIDTH, HEIGHT, LEFT, BOTTOM] = [520, 170, 34, 22];
const SPANS = [7, 30, 90, 365];

export function Curve({ record, moves, stats }: { record: Memory; moves: Schemas["Forecast"][]; stats: Record<string, unknown> }) {
  const [days, setDays] = useState(30);
  const [now] = useState(Date.now);
  const points = curve(record, moves, stats, now, days);
  const end = now + days * 86_400_000;
  const x = (at: number) => LEFT + ((at - now) / (end - now)) * (WIDTH - LEFT - 6);
  const y = (strength: number) => 6 + (1 - strength) * (HEIGHT - BOTTOM - 6);
  const path = points.map((one, place) => `${place ? "L" : "M"}${x(one.at).toFixed(1)} ${y(one.strength).toFixed(1)}`).join("");
  const [first, last] = [points[0]?.strength ?? 0, points.at(-1)?.strength ?? 0];
  const ahead = moves.filter((one) => new Date(one.at).getTime() > now);
  return (
    <>
      <div className="spans" role="group" aria-label="How far to look ahead">
        {SPANS.map((one) => (
          <button key={one} type="button" className="button quiet" aria-pressed={one === days} onClick={() => setDays(one)}>
            {one} d
          </button>
        ))}
      </div>
      <svg className="curve" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`Strength falls from ${first.toFixed(2)} now to ${last.toFixed(2)} in ${days} days`}>
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <line className="rule" x1={LEFT} x2={WIDTH - 6} y1={y(share)} y2={y(share)} />
            <text x={LEFT - 6} y={y(share) + 4} textAnchor="end">
              {share}
            </text>
          </g>
        ))}
        <path className="area" d={`${path}L${x(end)} ${y(0)}L${x(now)} ${y(0)}Z`} />
        <path className="line" d={path} />
        {ahead
          .filter((one) => new Date(one.at).getTime() < end)
          .map((one) => (
            <line key={one.at + one.what} className="move" x1={x(new Date(one.at).getTime())} x2={x(new Date(one.at).getTime())} y1={6} y2={HEIGHT - BOTTOM} />
          ))}
        <text x={LEFT} y={HEIGHT - 4}>
          now
        </text>
        <text x={WIDTH - 6} y={HEIGHT - 4} textAnchor="end">
          in {days} days
        </text>
      </svg>
      <p className="small">
        {record.vitals?.pinned
          ? "It is pinned: it does not fade."
          : `Its strength is ${first.toFixed(2)} now and ${last.toFixed(2)} in ${days} days, if nobody uses it.`}
      </p>
      {moves.length > 0 && (
        <div className="table-wrap">
          <table>
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col">What</th>
                <th scope="col">Why</th>
              </tr>
            </thead>
            <tbody>
              {moves.map((one) => (
                <tr key={one.at + one.what}>
                  <td>
                    <When at={one.at} relative />
                  </td>
                  <td>
                    {toldOf(one.what)}
                  </td>
                  <td>{reason(one.why)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
