// The address of a memory, part by part: each leads to what else lies there.
import { Link } from "../../route/router";

const FORM = /^([^/#]+)\/([^#]+)#([012]*)@d(\d+)t(\d+)(?:~v(\d+))?$/;
const STEP = 4;

export function Breadcrumb({ address }: { address: string }) {
  const match = FORM.exec(address);
  if (!match) return <code>{address}</code>;
  const [, world, region, digits = "", depth, slice, tape] = match;
  const mark = tape ? `~v${tape}` : "";
  const cells = Array.from({ length: Math.ceil(digits.length / STEP) }, (_, place) => digits.slice(0, (place + 1) * STEP));
  return (
    <nav className="crumbs" aria-label="Address">
      <ol>
        <li>{world}</li>
        <li>
          <Link to="/memories" said={{ region }}>{region}</Link>
        </li>
        {cells.map((cell, place) => (
          <li key={cell}>
            <Link to="/inspect" said={{ at: `${world}/${region}#${cell}@d2t0${mark}` }} title={`The cell ${cell}`}>
              {digits.slice(place * STEP, (place + 1) * STEP)}
            </Link>
          </li>
        ))}
        <li title="How much is shown: 0 summary, 1 key phrases, 2 verbatim">depth {depth}</li>
        <li title="The slice of time it was written in">slice {slice}</li>
        {tape && <li title="The map its digits were read from">tape {tape}</li>}
      </ol>
    </nav>
  );
}
