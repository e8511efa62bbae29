// What a hand does to the map: drag moves it, two fingers or the wheel enlarge it, Shift and drag draws, a click picks.
import { useEffect, useRef, useState, type KeyboardEvent, type PointerEvent, type RefObject } from "react";
import { moved, planeAt, WHOLE, zoomed, type Camera, type Frame } from "./camera";
import type { Point } from "./plane";

const STILL = 5;
const STEP = 60;

type Asked = {
  camera: Camera;
  frame: Frame;
  look: (to: Camera) => void;
  /** Where the pointer hovers, in pixels; null where it does not. */
  point: (at: Point | null) => void;
  drawing: boolean;
  choose: (line: Point[]) => void;
  /** Open what is under the pointer. */
  pick: () => void;
};
type Begun = { at: Point; draws: boolean; moved: boolean };

const away = ([ax, ay]: Point, [bx, by]: Point) => Math.hypot(ax - bx, ay - by);
const middle = ([ax, ay]: Point, [bx, by]: Point): Point => [(ax + bx) / 2, (ay + by) / 2];

export function useHand(box: RefObject<HTMLDivElement | null>, asked: Asked) {
  const latest = useRef(asked);
  latest.current = asked;
  const fingers = useRef(new Map<number, Point>());
  const begun = useRef<Begun | null>(null);
  const [drawn, setDrawn] = useState<Point[]>([]);
  const at = (event: { clientX: number; clientY: number }): Point => {
    const frame = box.current?.getBoundingClientRect();
    return [event.clientX - (frame?.left ?? 0), event.clientY - (frame?.top ?? 0)];
  };
  // React listens to wheels in a way that cannot keep the page from scrolling.
  useEffect(() => {
    const element = box.current;
    const wheel = (event: WheelEvent) => {
      // The wheel alone scrolls the page, unless the map is what one is at.
      if (!event.ctrlKey && !event.metaKey && document.activeElement !== element) return;
      event.preventDefault();
      const { camera, frame, look } = latest.current;
      look(zoomed(camera, frame, 2 ** (-event.deltaY / (event.ctrlKey && !Number.isInteger(event.deltaY) ? 60 : 240)), at(event)));
    };
    element?.addEventListener("wheel", wheel, { passive: false });
    return () => element?.removeEventListener("wheel", wheel);
  }, [box]);

  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    fingers.current.set(event.pointerId, at(event));
    begun.current = { at: at(event), draws: asked.drawing !== event.shiftKey, moved: fingers.current.size > 1 };
    // A finger hovers nowhere: it points where it is put down.
    asked.point(at(event));
    setDrawn([]);
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    const { camera, frame, look, point } = asked;
    const [now, before] = [at(event), fingers.current.get(event.pointerId)];
    const start = begun.current;
    if (!before || !start) return point(now);
    const other = [...fingers.current].find(([id]) => id !== event.pointerId)?.[1];
    fingers.current.set(event.pointerId, now);
    if (other) {
      const [from, to] = [middle(before, other), middle(now, other)];
      look(zoomed(moved(camera, frame, to[0] - from[0], to[1] - from[1]), frame, away(now, other) / Math.max(1, away(before, other)), to));
      return;
    }
    if (!start.moved && away(now, start.at) < STILL) return;
    const first = start.moved ? before : start.at;
    start.moved = true;
    point(null);
    if (start.draws) setDrawn((line) => [...(line.length ? line : [planeAt(camera, frame, first)]), planeAt(camera, frame, now)]);
    else look(moved(camera, frame, now[0] - first[0], now[1] - first[1]));
  };
  const end = (event: PointerEvent<HTMLDivElement>, kept: boolean) => {
    fingers.current.delete(event.pointerId);
    const start = begun.current;
    if (!start || fingers.current.size) return;
    begun.current = null;
    if (kept && start.draws && drawn.length > 2) asked.choose(drawn);
    if (kept && !start.moved) asked.pick();
    setDrawn([]);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const { camera, frame, look, point, pick } = asked;
    const acts: Record<string, () => void> = {
      ArrowLeft: () => look(moved(camera, frame, STEP, 0)),
      ArrowRight: () => look(moved(camera, frame, -STEP, 0)),
      ArrowUp: () => look(moved(camera, frame, 0, STEP)),
      ArrowDown: () => look(moved(camera, frame, 0, -STEP)),
      "+": () => look(zoomed(camera, frame, 1.5)),
      "=": () => look(zoomed(camera, frame, 1.5)),
      "-": () => look(zoomed(camera, frame, 1 / 1.5)),
      "0": () => look(WHOLE),
      Enter: pick,
    };
    const act = acts[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (event.key !== "Enter") point(null);
    act();
  };
  return {
    /** The line that is being drawn, on the plane. */
    drawn,
    heard: {
      onPointerDown,
      onPointerMove,
      onKeyDown,
      onPointerUp: (event: PointerEvent<HTMLDivElement>) => end(event, true),
      onPointerCancel: (event: PointerEvent<HTMLDivElement>) => end(event, false),
      onPointerLeave: () => asked.point(null),
    },
  };
}
