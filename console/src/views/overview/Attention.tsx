// What somebody should look at, each with the way there.
import type { Schemas } from "../../api/client";
import { useHealth } from "../../api/health";
import { Icon, type IconName } from "../../parts/Icon";
import { counted } from "../../parts/words";
import { Link } from "../../route/router";
import { useInterrupted, useProfile, useTapes } from "./asking";

type Note = { icon: IconName; told: string; to: string; act: string; said?: Record<string, string> };
/** A tape that misses this share of the memories is worth building again. */
const MISSED = 0.2;

export type Known = {
  stats: Schemas["Stats"];
  facts?: readonly Schemas["KnownFact"][];
  interrupted?: readonly Schemas["Goal"][];
  tapes?: readonly Schemas["Tape"][];
  troubled?: readonly string[];
};

export function notesOf({ stats, facts = [], interrupted = [], tapes = [], troubled = [] }: Known): Note[] {
  const notes: Note[] = [];
  const disputed = facts.filter((fact) => fact.disputed.length > 0);
  if (troubled.length) notes.push({ icon: "alert", told: `The server reports trouble with ${troubled.join(", ")}.`, to: "/health", act: "See its health" });
  if (disputed.length) notes.push({ icon: "fact", told: `${counted(disputed.length, "fact contradicts", "facts contradict")} what was said elsewhere.`, to: "/facts", act: "Say which is true", said: { show: "disputed" } });
  if (interrupted.length) notes.push({ icon: "flag", told: `${counted(interrupted.length, "goal was", "goals were")} left when a process ended.`, to: "/ledger", act: "Resume or close" });
  if (stats.pending) notes.push({ icon: "clock", told: `${counted(stats.pending, "memory waits", "memories wait")} for the encoder; words find them, meaning does not yet.`, to: "/health", act: "See why" });
  const tape = tapes.find((one) => one.active);
  if (tape && (tape.waiting ?? 0) > MISSED * Math.max(1, tape.phrases ?? 0)) notes.push({ icon: "glyph", told: `The map of glyphs is old: ${counted(tape.waiting ?? 0, "phrase is", "phrases are")} not on it.`, to: "/glyphs", act: "Build it again" });
  const [quota, used] = [stats.quota?.records, stats.used?.records];
  if (quota && used && used > 0.9 * quota) notes.push({ icon: "layers", told: `${used.toLocaleString()} of ${quota.toLocaleString()} memories are stored.`, to: "/settings", act: "See the limits" });
  return notes;
}

export function Attention({ stats }: { stats: Schemas["Stats"] }) {
  const health = useHealth().data;
  const notes = notesOf({
    stats,
    facts: useProfile().data?.items,
    interrupted: useInterrupted().data,
    tapes: useTapes().data,
    troubled: health?.components.filter((one) => one.state !== "ok").map((one) => one.name),
  });
  return (
    <section className="panel" aria-labelledby="attention">
      <header>
        <h2 id="attention">Needs attention</h2>
      </header>
      {notes.length === 0 ? (
        <p className="calm small">
          <Icon name="check" size={16} /> Nothing needs you now.
        </p>
      ) : (
        <ul className="events">
          {notes.map((note) => (
            <li key={note.told}>
              <Icon name={note.icon} size={16} />
              <span>
                {note.told}{" "}
                <Link to={note.to} said={note.said}>
                  {note.act}
                </Link>
              </span>
            </li>
          ))}
        </ul>
      )}
      <p className="small faint">
        {stats.pinned > 0 && `${stats.pinned.toLocaleString()} pinned · `}
        <Link to="/memories" said={{ archived: "yes" }}>
          {stats.archived.toLocaleString()} archived
        </Link>{" "}
        (still found, no longer shown unasked)
      </p>
    </section>
  );
}
