// What just happened, newest first.
import { Icon, type IconName } from "../../parts/Icon";
import { counted, TIME } from "../../parts/words";
import { Link } from "../../route/router";
import type { Notice } from "./live";

const SHOWN = 3;
const DRAWN: Record<string, IconName> = {
  "memory.write": "edit",
  "memory.read": "eye",
  "memory.change": "pin",
  "memory.forget": "bin",
  "ledger.change": "check",
  "metabolism.move": "layers",
  gap: "alert",
};

function told({ kind, what, count = 0, missed }: Notice): string {
  const some = counted(count, "memory", "memories");
  if (kind === "memory.write") return `${some} written`;
  if (kind === "memory.read") return `${some} recalled`;
  if (kind === "memory.forget") return `${some} ${what || "forgotten"}`;
  if (kind === "metabolism.move") return `${some} ${what || "moved"} by the metabolism`;
  if (kind === "ledger.change") return `${count > 1 ? `${count} × ` : ""}${what || "the ledger changed"}`;
  if (kind === "gap") return missed ? `${counted(missed, "notice")} missed` : "Some notices were missed";
  return `${some} ${what || "changed"}`;
}

export function Feed({ notices, live }: { notices: Notice[]; live: boolean }) {
  return (
    <section className="feed" aria-labelledby="live">
      <h2 id="live">
        Live updates <span className={live ? "lamp on" : "lamp"}>{live ? "on" : "off"}</span>
      </h2>
      <ol aria-live="polite">
        {notices.length === 0 && <li className="small">Nothing has happened since this page was opened. What is written, recalled, changed or moved shows here as it happens.</li>}
        {notices.map((one, place) => (
          <li key={one.id ?? place}>
            <Icon name={DRAWN[one.kind] ?? "pulse"} size={16} />
            <span>
              {told(one)}
              {/* Rows of the ledger are no memories that could be inspected. */}
              {(one.kind === "ledger.change" ? [] : (one.ids ?? [])).slice(0, SHOWN).map((id) => (
                <Link key={id} to={`/inspect/${encodeURIComponent(id)}`}>
                  {id.length > 12 ? `…${id.slice(-6)}` : id}
                </Link>
              ))}
            </span>
            <time className="small" dateTime={one.at}>
              {TIME.format(new Date(one.at))}
            </time>
          </li>
        ))}
      </ol>
    </section>
  );
}
