// The map: each family a dot, larger the more it is used; drag around some to choose them.
import { memo, useEffect, useRef, useState, type PointerEvent } from "react";
import { cellOf, labelled, nameOf, placed, TALL, type Family, type Point } from "./plane";

const ROOM = 16;
const REACH = 12;
const SIZES = [4, 6, 8, 11, 15];

type Cell = { digits: string; records: number };
type Props = {
  families: Family[];
  cells: Cell[];
  chosen: Set<number> | null;
  open: number | null;
  lasso: Point[];
  choose: (line: Point[]) => void;
  show: (one: Family) => void;
};

export function Scatter({ families, cells, chosen, open, lasso, choose, show }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(600);
  const [drawn, setDrawn] = useState<Point[]>([]);
  const [near, setNear] = useState<Family | null>(null);
  useEffect(() => {
    if (!box.current) return;
    const watcher = new ResizeObserver(([entry]) => entry && setWidth(Math.min(640, Math.max(240, entry.contentRect.width))));
    watcher.observe(box.current);
    return () => watcher.disconnect();
  }, []);
  const size = width - 2 * ROOM;
  const at = (event: PointerEvent<SVGSVGElement>): Point => {
    const frame = event.currentTarget.getBoundingClientRect();
    return [(event.clientX - frame.left - ROOM) / size, (event.clientY - frame.top - ROOM) / size];
  };
  const nearest = ([x, y]: Point) => {
    let [best, away]: [Family | null, number] = [null, REACH / size];
    for (const one of families) {
      const [px, py] = placed(one.x, one.y);
      const far = Math.hypot(px - x, py - y);
      if (far < away) [best, away] = [one, far];
    }
    return best;
  };
  const path = (line: readonly Point[]) => (line.length ? `M${line.map(([x, y]) => `${(x * size).toFixed(1)} ${(y * size).toFixed(1)}`).join("L")}Z` : "");
  const marked = near ?? families.find((one) => one.number === open) ?? null;
  const line = drawn.length ? drawn : lasso;
  return (
    <div ref={box} className="plane">
      <svg
        width={width}
        height={size * TALL + 2 * ROOM}
        role="img"
        aria-label={`The map of ${families.length.toLocaleString()} families; the table says the same`}
        onPointerDown={(event) => {
          if (event.button) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrawn([at(event)]);
        }}
        onPointerMove={(event) => (drawn.length ? setDrawn([...drawn, at(event)]) : setNear(nearest(at(event))))}
        onPointerLeave={() => setNear(null)}
        onPointerCancel={() => setDrawn([])}
        onPointerUp={(event) => {
          const [first] = drawn;
          const moved = first && drawn.some(([x, y]) => Math.hypot(x - first[0], y - first[1]) > REACH / size);
          const found = nearest(at(event));
          if (moved) choose(drawn);
          else if (found) show(found);
          setDrawn([]);
        }}
      >
        <g transform={`translate(${ROOM} ${ROOM})`}>
          <Cells cells={cells} size={size} />
          <Dots families={families} size={size} chosen={chosen} />
          <path className="lasso" d={path(line)} />
          {marked && <circle className="marked" cx={placed(marked.x, marked.y)[0] * size} cy={placed(marked.x, marked.y)[1] * size} r={12} />}
        </g>
      </svg>
      <p className="told small" aria-hidden="true">
        {near ? `${near.glyph} ${near.label} · used ${near.uses.toLocaleString()} times` : "Click a dot to open its family, or drag around some to list them."}
      </p>
    </div>
  );
}

const Cells = memo(function Cells({ cells, size }: { cells: Cell[]; size: number }) {
  const most = Math.max(1, ...cells.filter((one) => one.digits.length === 3).map((one) => one.records));
  return (
    <>
      {cells
        .filter((one) => one.digits.length === 3 || one.digits === "")
        .map((one) => (
          <polygon
            key={one.digits}
            className="cell"
            points={cellOf(one.digits).map(([x, y]) => `${x * size},${y * size}`).join(" ")}
            fillOpacity={one.digits ? 0.05 + 0.25 * (one.records / most) : 0}
          />
        ))}
    </>
  );
});

const Dots = memo(function Dots({ families, size, chosen }: { families: Family[]; size: number; chosen: Set<number> | null }) {
  const most = Math.sqrt(Math.max(1, ...families.map((one) => one.uses)));
  const step = (one: Family) => Math.min(SIZES.length - 1, Math.floor((Math.sqrt(one.uses) / most) * SIZES.length));
  const dots = (some: Family[]) =>
    some.map((one) => placed(one.x, one.y)).map(([x, y]) => `M${(x * size).toFixed(1)} ${(y * size).toFixed(1)}h0`).join("");
  const among = (one: Family) => chosen === null || chosen.has(one.number);
  // One path for each look: thousands of dots stay few elements.
  const looks = SIZES.flatMap((wide, place) =>
    [true, false].flatMap((is) =>
      [true, false].map((mixed) => ({
        key: `${wide} ${is} ${mixed}`,
        wide,
        name: `dots ${is ? "" : "out"} ${mixed ? "mixed" : ""}`,
        some: families.filter((one) => step(one) === place && among(one) === is && one.entropy > 0 === mixed),
      })),
    ),
  );
  return (
    <>
      {looks.map((look) => look.some.length > 0 && <path key={look.key} className={look.name} strokeWidth={look.wide} d={dots(look.some)} />)}
      {labelled(families.filter(among), size).map((one) => (
        <text key={one.number} x={placed(one.x, one.y)[0] * size + 8} y={placed(one.x, one.y)[1] * size + 4}>
          {nameOf(one)}
        </text>
      ))}
    </>
  );
});
