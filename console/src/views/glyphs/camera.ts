// Where one looks at the map: the middle of what is seen, and how much it is enlarged.
import { TALL, type Point } from "./plane";

export type Camera = { x: number; y: number; zoom: number };
/** The frame that the map is seen in, in pixels. */
export type Frame = { width: number; height: number };

export const ROOM = 16;
export const WHOLE: Camera = { x: 0.5, y: TALL / 2, zoom: 1 };
const MOST = 200;

const between = (least: number, value: number, most: number) => Math.max(least, Math.min(most, value));

/** How many pixels the side of the triangle has. */
export const scaleOf = (camera: Camera, { width, height }: Frame) => Math.min(width - 2 * ROOM, (height - 2 * ROOM) / TALL) * camera.zoom;

export function shownAt(camera: Camera, frame: Frame, [x, y]: Point): Point {
  const scale = scaleOf(camera, frame);
  return [(x - camera.x) * scale + frame.width / 2, (y - camera.y) * scale + frame.height / 2];
}

export function planeAt(camera: Camera, frame: Frame, [x, y]: Point): Point {
  const scale = scaleOf(camera, frame);
  return [(x - frame.width / 2) / scale + camera.x, (y - frame.height / 2) / scale + camera.y];
}

/** No further out than the whole, and never away from it. */
function held({ x, y, zoom }: Camera): Camera {
  const near = between(1, zoom, MOST);
  // The whole stays in the middle; the nearer one is, the further one may go from there.
  const free = 0.5 * (1 - 1 / near);
  return { x: between(0.5 - free, x, 0.5 + free), y: between(TALL * (0.5 - free), y, TALL * (0.5 + free)), zoom: near };
}

/** Move by so many pixels, as a hand moves a map. */
export function moved(camera: Camera, frame: Frame, right: number, down: number): Camera {
  const scale = scaleOf(camera, frame);
  return held({ ...camera, x: camera.x - right / scale, y: camera.y - down / scale });
}

/** Enlarge, and keep what is under a pixel where it is. */
export function zoomed(camera: Camera, frame: Frame, by: number, at: Point = [frame.width / 2, frame.height / 2]): Camera {
  const zoom = between(1, camera.zoom * by, MOST);
  const [x, y] = planeAt(camera, frame, at);
  const grown = zoom / camera.zoom;
  return held({ x: x + (camera.x - x) / grown, y: y + (camera.y - y) / grown, zoom });
}

/** As the address says it, to as much as can be seen. */
export const saidOf = ({ x, y, zoom }: Camera) => (zoom === 1 ? "" : [x.toFixed(4), y.toFixed(4), zoom.toFixed(2)].join(","));

export function cameraIn(said: string): Camera {
  const [x, y, zoom, ...more] = said.split(",").map(Number);
  if (x === undefined || y === undefined || zoom === undefined || more.length || ![x, y, zoom].every(Number.isFinite)) return WHOLE;
  return held({ x, y, zoom });
}
