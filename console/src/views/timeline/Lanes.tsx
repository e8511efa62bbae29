// The lanes: bars of how many, or few as dots with ticks when they were written down; drag to choose a time.
import { memo, useEffect, useMemo, useRef, useState, type PointerEvent } from "react";
import { go } from "../../route/router";
import { counted, DAY, MOMENT } from "../../parts/words";
import { binsOf, crowded, type Bin } from "./density";
import { inOneLine, type Lane, type Mark, type Span } from "./marks";

const ROW = 46;
const FOOT = 22;
const LEFT = 8;
const DOT = 27;
const TICK = 37;
const REACH = 8;

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
  const [over, setOver] = useState<{ bin: Bin; place: number } | null>(null);
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
  const many = crowded(lanes);
  const bins = useMemo(() => (many ? lanes.map((lane) => binsOf(lane, span, inner)) : []), [many, lanes, span, inner]);
  const most = Math.max(1, ...bins.flat().map((bin) => bin.marks.length));
  const under = (event: PointerEvent<SVGSVGElement>) => {
    const frame = event.currentTarget.getBoundingClientRect();
    const place = Math.floor((event.clientY - frame.top) / ROW);
    const moment = at(event);
    const bin = bins[place]?.find((one) => one.from <= moment && moment < one.to);
    return bin ? { bin, place } : null;
  };
  const height = lanes.length * ROW + FOOT;
  const shown = drag ? { from: Math.min(...drag), to: Math.max(...drag) } : chosen;
  const ticks = Math.max(2, Math.floor(width / 150));
  const format = span.to - span.from > 20 * 86_400_000 ? DAY : MOMENT;
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
        onPointerMove={(event) => {
          if (drag) setDrag([drag[0], at(event)]);
          else if (many) setOver(under(event));
          else setNear(nearest(event));
        }}
        onPointerLeave={() => {
          setNear(null);
          setOver(null);
        }}
        onPointerCancel={() => setDrag(null)}
        onPointerUp={() => {
          if (drag && Math.abs(x(drag[0]) - x(drag[1])) > 4) choose(Math.min(...drag), Math.max(...drag));
          else if (over) choose(over.bin.from, over.bin.to);
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
            {many ? (
              <Bars bins={bins[place] ?? []} most={most} x={x} over={over?.place === place ? over.bin.from : null} touched={touched} />
            ) : (
              <Marks lane={lane} from={span.from} to={span.to} width={inner} touched={touched} />
            )}
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
      {(over || near) && !drag && (
        <Tip
          left={Math.min(width - TIP, Math.max(0, x(over ? over.bin.from : (near?.mark.happened ?? 0)) - TIP / 2))}
          top={((over ?? near)?.place ?? 0) * ROW + ROW}
          marks={over ? [...over.bin.marks].sort((a, b) => Number(a.gone) - Number(b.gone)) : near ? [near.mark] : []}
          when={over ? `${format.format(over.bin.from)} to ${format.format(over.bin.to)}` : near ? MOMENT.format(near.mark.happened) : ""}
        />
      )}
      <p className="told small" aria-hidden="true">
        {many ? "Each bar is a stretch of time: click one to list it, drag to choose more, then zoom in to see single memories." : "Point at a dot to read it, click to open it, drag to choose a time."}
      </p>
    </div>
  );
}

const TIP = 300;
const NAMED = 3;

/** What lies under the pointer. */
function Tip({ left, top, marks, when }: { left: number; top: number; marks: Mark[]; when: string }) {
  return (
    <div className="tip" style={{ left, top, width: TIP }} aria-hidden="true">
      <p className="small">
        <b>{marks.length === 1 ? (marks[0]?.record.speaker ?? marks[0]?.record.source) : counted(marks.length, "memory", "memories")}</b>, {when}
      </p>
      {marks.slice(0, NAMED).map((mark) => (
        <p key={mark.key}>
          {mark.gone && <span className="faint">superseded: </span>}
          {inOneLine(mark.record.text)}
        </p>
      ))}
      {marks.length > NAMED && <p className="small">and {marks.length - NAMED} more</p>}
    </div>
  );
}

type BarsProps = { bins: Bin[]; most: number; x: (moment: number) => number; over: number | null; touched: Map<string, string> };

function Bars({ bins, most, x, over, touched }: BarsProps) {
  return bins.map((bin) => {
    const high = Math.max(3, Math.sqrt(bin.marks.length / most) * (ROW - 20));
    const live = bin.marks.some((mark) => touched.has(mark.record.id));
    return (
      <rect
        key={bin.from}
        className={`bar ${live ? "live" : ""} ${over === bin.from ? "over" : ""}`}
        x={x(bin.from) + 1}
        width={Math.max(1, x(bin.to) - x(bin.from) - 2)}
        y={ROW - high - 1}
        height={high}
        rx={1.5}
      />
    );
  });
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
