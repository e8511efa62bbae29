// The map: each family a dot, larger the more it is used. It is moved and enlarged; a line around some chooses them.
import { memo, useEffect, useMemo, useRef, useState } from "react";
import { IconButton } from "../../parts/Button";
import { useNamedKeys } from "../../parts/shortcuts";
import { counted } from "../../parts/words";
import { say, useSaid } from "../../route/router";
import { cameraIn, planeAt, saidOf, scaleOf, shownAt, WHOLE, zoomed, type Camera, type Frame } from "./camera";
import { Dots } from "./Dots";
import { useHand } from "./hand";
import { cellOf, labelled, nameOf, nearest, placed, type Family, type Point } from "./plane";

const REACH = 14;
const HIGHEST = 560;
const SETTLED_MS = 300;

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
  const frame = useFrame(box);
  const [camera, look] = useCamera();
  const [drawing, draw] = useState(false);
  const [focused, focus] = useState(false);
  const [pointed, point] = useState<Point | null>(null);
  // Whoever has no pointer points with the middle of the map.
  const aim: Point | null = pointed ?? (focused ? [frame.width / 2, frame.height / 2] : null);
  const reach = (pointed ? REACH : Math.min(frame.width, frame.height) / 3) / scaleOf(camera, frame);
  const near = useMemo(() => aim && nearest(families, planeAt(camera, frame, aim), reach), [families, camera, frame, aim?.[0], aim?.[1], reach]);
  const hand = useHand(box, { camera, frame, look, point, drawing, choose, pick: () => near && show(near) });
  const marked = near ?? families.find((one) => one.number === open) ?? null;
  const among = useMemo(() => (chosen ? families.filter((one) => chosen.has(one.number)) : families), [families, chosen]);
  const names = useMemo(() => labelled(among, (place) => shownAt(camera, frame, place), frame), [among, camera, frame]);
  const line = (hand.drawn.length ? hand.drawn : lasso).map((place) => shownAt(camera, frame, place));
  const ring = marked && shownAt(camera, frame, placed(marked.x, marked.y));
  useNamedKeys({ "← ↑ ↓ →": "Move the map", "+ and -": "Enlarge the map, or less", "0": "See the whole map", Enter: "Open the family in the middle of the map" });
  return (
    <div className="plane">
      <div className="tools" role="toolbar" aria-label="The map">
        <IconButton name="Draw around families" icon="lasso" pressed={drawing} onClick={() => draw(!drawing)} />
        <IconButton name="Nearer" icon="plus" onClick={() => look(zoomed(camera, frame, 2))} />
        <IconButton name="Further" icon="minus" disabled={camera.zoom === 1} onClick={() => look(zoomed(camera, frame, 0.5))} />
        <IconButton name="See the whole map" icon="whole" disabled={camera.zoom === 1} onClick={() => look(WHOLE)} />
      </div>
      <div
        ref={box}
        className={drawing ? "sight drawing" : "sight"}
        role="application"
        aria-roledescription="map"
        aria-label={`The map of ${families.length.toLocaleString()} families; the table below says the same`}
        aria-describedby="told"
        tabIndex={0}
        // Seen as a whole there is nothing to move: a finger scrolls the page.
        style={{ height: frame.height, touchAction: camera.zoom === 1 && !drawing ? "pan-y" : "none" }}
        onFocus={(event) => focus(event.currentTarget.matches(":focus-visible"))}
        onBlur={() => focus(false)}
        {...hand.heard}
      >
        <Cells cells={cells} camera={camera} frame={frame} />
        <Dots families={families} chosen={chosen} camera={camera} frame={frame} />
        <svg className="over" width={frame.width} height={frame.height} aria-hidden="true">
          {line.length > 0 && <path className="lasso" d={`M${line.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}Z`} />}
          {ring && <circle className="marked" cx={ring[0]} cy={ring[1]} r={11} />}
        </svg>
        {names.map(({ one, x, y }) => (
          <span key={one.number} className="name" aria-hidden="true" style={{ transform: `translate(${(x + 10).toFixed(1)}px, ${(y - 9).toFixed(1)}px)` }}>
            {nameOf(one)} <span lang="zxx">{one.glyph}</span>
          </span>
        ))}
      </div>
      <p id="told" className="told small" aria-live="polite">
        {near ? (
          <>
            {near.label} <span lang="zxx">{near.glyph}</span> · used {counted(near.uses, "time")}
            {focused && !pointed && " · Enter opens it"}
          </>
        ) : drawing ? (
          "Draw a line around some families to list them."
        ) : (
          "Click a dot to open its family, drag to move, Shift and drag to draw around some."
        )}
      </p>
    </div>
  );
}

/** As wide as there is room, and as high as the screen can well show. */
function useFrame(box: React.RefObject<HTMLDivElement | null>): Frame {
  const [width, setWidth] = useState(600);
  useEffect(() => {
    if (!box.current) return;
    const watcher = new ResizeObserver(([entry]) => entry && setWidth(Math.max(240, Math.floor(entry.contentRect.width))));
    watcher.observe(box.current);
    return () => watcher.disconnect();
  }, [box]);
  return useMemo(() => ({ width, height: Math.round(Math.min(HIGHEST, width * 0.9)) }), [width]);
}

/** Where one looks, which the address says as soon as the hand rests. */
function useCamera(): [Camera, (to: Camera) => void] {
  const [said] = useSaid("view");
  const [camera, look] = useState(() => cameraIn(said));
  useEffect(() => {
    const timer = setTimeout(() => saidOf(camera) !== (new URLSearchParams(location.search).get("view") ?? "") && say({ view: saidOf(camera) }), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [camera]);
  return [camera, look];
}

const Cells = memo(function Cells({ cells, camera, frame }: { cells: Cell[]; camera: Camera; frame: Frame }) {
  const shown = cells.filter((one) => one.digits.length === 3 || one.digits === "");
  const most = Math.max(1, ...shown.map((one) => (one.digits ? one.records : 0)));
  return (
    <svg className="under" width={frame.width} height={frame.height} aria-hidden="true">
      {shown.map((one) => (
        <polygon
          key={one.digits}
          className="cell"
          points={cellOf(one.digits).map((place) => shownAt(camera, frame, place).map((pixel) => pixel.toFixed(1)).join(",")).join(" ")}
          fillOpacity={one.digits ? 0.05 + 0.25 * (one.records / most) : 0}
        />
      ))}
    </svg>
  );
});
