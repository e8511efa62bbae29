// The lanes: a dot when it happened, a tick when it was written down; drag to choose a time.
import { memo, useEffect, useRef, useState, type PointerEvent } from "react";
import { go } from "../../route/router";
import type { Lane, Mark, Span } from "./marks";

const ROW = 46;
const FOOT = 22;
const LEFT = 8;
const DOT = 27;
const TICK = 37;
const REACH = 8;
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const HOUR = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

type Props = {
  lanes: Lane[];
  span: Span;
  chosen: Partial<Span>;
  touched: Map<string, string>;
  choose: (from: number, to: number) => void;
  label: string;
};

export function Lanes({ lanes, span, chosen, touched, choose, label }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(800);
  const [drag, setDrag] = useState<[number, number] | null>(null);
  const [near, setNear] = useState<{ mark: Mark; place: number } | null>(null);
  useEffect(() => {
    if (!box.current) return;
    const watcher = new ResizeObserver(([entry]) => entry && setWidth(Math.max(240, entry.contentRect.width)));
    watcher.observe(box.current);
    return () => watcher.disconnect();
  }, []);
  const inner = width - 2 * LEFT;
  const x = (moment: number) => LEFT + ((moment - span.from) / (span.to - span.from)) * inner;
  const at = (event: PointerEvent<SVGSVGElement>) => {
    const place = event.clientX - event.currentTarget.getBoundingClientRect().left;
    return span.from + (Math.max(0, Math.min(inner, place - LEFT)) / inner) * (span.to - span.from);
  };
  const nearest = (event: PointerEvent<SVGSVGElement>) => {
    const frame = event.currentTarget.getBoundingClientRect();
    const place = Math.floor((event.clientY - frame.top) / ROW);
    let [best, away]: [Mark | null, number] = [null, REACH];
    for (const mark of lanes[place]?.marks ?? []) {
      const far = Math.min(Math.abs(x(mark.happened) - (event.clientX - frame.left)), Math.abs(x(mark.recorded) - (event.clientX - frame.left)));
      if (far < away) [best, away] = [mark, far];
    }
    return best && { mark: best, place };
  };
  const height = lanes.length * ROW + FOOT;
  const shown = drag ? { from: Math.min(...drag), to: Math.max(...drag) } : chosen;
  const ticks = Math.max(2, Math.floor(width / 150));
  const format = span.to - span.from > 20 * 86_400_000 ? DAY : HOUR;
  return (
    <div ref={box} className="lanes">
      <svg
        width={width}
        height={height}
        role="img"
        aria-label={label}
        onPointerDown={(event) => {
          if (event.button) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag([at(event), at(event)]);
        }}
        onPointerMove={(event) => (drag ? setDrag([drag[0], at(event)]) : setNear(nearest(event)))}
        onPointerLeave={() => setNear(null)}
        onPointerCancel={() => setDrag(null)}
        onPointerUp={() => {
          if (drag && Math.abs(x(drag[0]) - x(drag[1])) > 4) choose(Math.min(...drag), Math.max(...drag));
          else if (near) go(`/inspect/${encodeURIComponent(near.mark.record.id)}`);
          setDrag(null);
        }}
      >
        {Array.from({ length: ticks }, (_, place) => {
          const moment = span.from + ((place + 0.5) / ticks) * (span.to - span.from);
          return (
            <g key={place} className="axis">
              <line x1={x(moment)} x2={x(moment)} y1={0} y2={height - FOOT} />
              <text x={x(moment)} y={height - 6} textAnchor="middle">
                {format.format(moment)}
              </text>
            </g>
          );
        })}
        {lanes.map((lane, place) => (
          <g key={lane.name} transform={`translate(0 ${place * ROW})`}>
            <line className="floor" x1={0} x2={width} y1={ROW} y2={ROW} />
            <Marks lane={lane} from={span.from} to={span.to} width={inner} touched={touched} />
            <text className="lane-name" x={LEFT} y={14}>
              {lane.name} <tspan className="count">{lane.marks.length.toLocaleString()}</tspan>
            </text>
          </g>
        ))}
        {near && !drag && (
          <g className="near" transform={`translate(0 ${near.place * ROW})`}>
            <line x1={x(near.mark.happened)} y1={DOT + near.mark.lift} x2={x(near.mark.recorded)} y2={TICK + 3} />
            <circle cx={x(near.mark.happened)} cy={DOT + near.mark.lift} r={4} />
          </g>
        )}
        {(shown.from !== undefined || shown.to !== undefined) && (
          <rect
            className="brush"
            x={x(shown.from ?? span.from)}
            width={Math.max(1, x(shown.to ?? span.to) - x(shown.from ?? span.from))}
            y={0}
            height={height - FOOT}
          />
        )}
      </svg>
      <p className="told small" aria-hidden="true">
        {near ? `${near.mark.gone ? "Superseded: " : ""}${near.mark.record.text}` : "Point at a mark to read it, click to open it, drag to choose a time."}
      </p>
    </div>
  );
}

const RINGS: Record<string, string> = { "memory.write": "wrote", "memory.read": "read", "metabolism.move": "moved" };

type MarksProps = { lane: Lane; from: number; to: number; width: number; touched: Map<string, string> };

/** Thousands of marks are two paths a lane; drawn again only when what they show changes, not while the mouse moves. */
const Marks = memo(function Marks({ lane, from, to, width, touched }: MarksProps) {
  const x = (moment: number) => (LEFT + ((moment - from) / (to - from)) * width).toFixed(1);
  const gone = lane.marks.filter((mark) => mark.gone);
  const ringed = lane.marks.filter((mark) => touched.has(mark.record.id));
  return (
    <>
      <path className="dots" d={lane.marks.map((mark) => (mark.gone ? "" : `M${x(mark.happened)} ${DOT + mark.lift}h0`)).join("")} />
      <path className="ticks" d={lane.marks.map((mark) => `M${x(mark.recorded)} ${TICK}v6`).join("")} />
      <path className="gone" d={gone.map((mark) => `M${Number(x(mark.happened)) - 6} ${DOT}h12`).join("")} />
      {gone.map((mark) => (
        <circle key={mark.key} className="gone" cx={x(mark.happened)} cy={DOT} r={4} />
      ))}
      {ringed.map((mark) => (
        <circle key={mark.key} className={`ring ${RINGS[touched.get(mark.record.id) ?? ""] ?? "changed"}`} cx={x(mark.happened)} cy={DOT + mark.lift} r={7} />
      ))}
    </>
  );
});
