// The dots of the families: by WebGL where the browser has it, as a drawing of paths where it has not.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useTheme } from "../../app/theme";
import { scaleOf, type Camera, type Frame } from "./camera";
import { placed, type Family } from "./plane";
import { colourIn, Scene, type Dot } from "./scene";

const SIZES = [4, 6, 8, 11, 15];
/** Square pixels that a family needs for dots of full size; where there is less room, they are smaller. */
const ROOM = 900;
const SMALLEST = 0.5;
type Props = { families: Family[]; chosen: Set<number> | null; camera: Camera; frame: Frame };

export function Dots(props: Props) {
  const [able, setAble] = useState(true);
  return able ? <Canvas {...props} unable={() => setAble(false)} /> : <Paths {...props} />;
}

/** The larger ones behind, so that they hide none. */
function useDots(families: Family[], chosen: Set<number> | null, frame: Frame): Dot[] {
  return useMemo(() => {
    const room = (frame.width * frame.height) / Math.max(1, families.length);
    const part = Math.max(SMALLEST, Math.min(1, Math.sqrt(room / ROOM)));
    const most = Math.sqrt(families.reduce((top, one) => Math.max(top, one.uses), 1));
    const step = (one: Family) => Math.min(SIZES.length - 1, Math.floor((Math.sqrt(one.uses) / most) * SIZES.length));
    const sorted = [...families].sort((a, b) => b.uses - a.uses);
    return sorted.map((one) => {
      const [x, y] = placed(one.x, one.y);
      return { x, y, wide: part * (SIZES[step(one)] ?? 4), square: one.entropy > 0, chosen: chosen === null || chosen.has(one.number) };
    });
  }, [families, chosen, frame]);
}

function Canvas({ families, chosen, camera, frame, unable }: Props & { unable: () => void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scene = useRef<Scene | null>(null);
  const look = useLook();
  const dots = useDots(families, chosen, frame);
  useLayoutEffect(() => {
    const drawn = canvas.current;
    scene.current = drawn && Scene.on(drawn);
    if (!scene.current) unable();
    // A driver that gave up gives no new pictures: paths do.
    drawn?.addEventListener("webglcontextlost", unable);
    return () => drawn?.removeEventListener("webglcontextlost", unable);
  }, []);
  useLayoutEffect(() => scene.current?.place(dots), [dots]);
  useLayoutEffect(() => {
    if (!canvas.current) return;
    // The style sheet says the colours, so that they change with the theme and obey forced colours.
    const { color, outlineColor } = getComputedStyle(canvas.current);
    scene.current?.draw(camera, frame, colourIn(color), colourIn(outlineColor));
  }, [dots, camera, frame, look]);
  const ratio = globalThis.devicePixelRatio || 1;
  return <canvas ref={canvas} className="dots" width={Math.round(frame.width * ratio)} height={Math.round(frame.height * ratio)} />;
}

/** Changes whenever colours do. */
function useLook(): string {
  const theme = useTheme();
  const [told, tell] = useState(0);
  useEffect(() => {
    const asked = ["(prefers-color-scheme: dark)", "(forced-colors: active)"].map((one) => matchMedia(one));
    const heard = () => tell((before) => before + 1);
    for (const one of asked) one.addEventListener("change", heard);
    return () => {
      for (const one of asked) one.removeEventListener("change", heard);
    };
  }, []);
  return `${theme} ${told}`;
}

function Paths({ families, chosen, camera, frame }: Props) {
  const dots = useDots(families, chosen, frame);
  // One path for each look: thousands of dots stay few elements.
  const looks = useMemo(() => {
    const found = new Map<string, { name: string; wide: number; line: string }>();
    for (const one of dots) {
      const name = `${one.square ? "mixed" : "plain"} ${one.chosen ? "" : "out"}`;
      const look = found.get(name + one.wide) ?? { name, wide: one.wide, line: "" };
      look.line += `M${one.x.toFixed(4)} ${one.y.toFixed(4)}h0`;
      found.set(name + one.wide, look);
    }
    return [...found.values()];
  }, [dots]);
  const scale = scaleOf(camera, frame);
  return (
    <svg className="dots" width={frame.width} height={frame.height} aria-hidden="true">
      <g transform={`translate(${frame.width / 2} ${frame.height / 2}) scale(${scale}) translate(${-camera.x} ${-camera.y})`}>
        {looks.map((one) => (
          <path key={one.name + one.wide} className={one.name} strokeWidth={one.wide} d={one.line} />
        ))}
      </g>
    </svg>
  );
}
