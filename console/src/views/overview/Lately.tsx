// What was recalled and what changed, newest first, in sentences.
import { useTexts } from "../../api/texts";
import { Icon, type IconName } from "../../parts/Icon";
import { Loading } from "../../parts/Loading";
import { sentence, type Move } from "../../parts/moves";
import { counted, When } from "../../parts/words";
import { Link } from "../../route/router";
import { useMoves, useNewest, useRecalls } from "./asking";

const SHOWN = 8;
const DRAWN: Record<string, IconName> = { forgotten: "bin", archived: "layers", superseded: "edit", learned: "fact", undone: "undo" };

export function Recalled() {
  const { data } = useRecalls();
  const texts = useTexts([...new Set((data ?? []).flatMap((read) => read.items[0]?.id ?? []))]).data;
  return (
    <section className="panel" aria-labelledby="recalled">
      <header>
        <h2 id="recalled">Recalled lately</h2>
      </header>
      {!data ? (
        <Loading lines={5} />
      ) : data.length === 0 ? (
        <p className="small">
          Nobody has asked yet. Ask in the <Link to="/chat">chat</Link>, and the question shows here with what was recalled for it.
        </p>
      ) : (
        <ul className="lines">
          {data.map((read) => (
            <li key={read.at + read.query}>
              <Link to="/lens" said={{ q: read.query }}>
                {read.query || "(no question)"}
              </Link>
              <span className="aside">
                <When at={read.at} relative /> ·{" "}
                {read.items.length ? (
                  <>
                    {texts?.get(read.items[0]?.id ?? "") ?? counted(read.items.length, "memory", "memories")}
                    {read.items.length > 1 && ` and ${read.items.length - 1} more`}
                  </>
                ) : (
                  "nothing found"
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

type Event = { key: string; at: string; icon: IconName; told: string; id: string | undefined; count: number };

/** Moves of the same kind that were made together are one event. */
export function together(moves: readonly Move[]): Event[] {
  const found = new Map<string, { move: Move; changes: Move["changes"] }>();
  for (const move of moves.filter((one) => !one.undone_at)) {
    const key = `${move.what} ${move.who} ${move.at.slice(0, 10)}`;
    const known = found.get(key);
    if (known) known.changes = [...(known.changes ?? []), ...(move.changes ?? [])];
    else found.set(key, { move, changes: move.changes });
  }
  return [...found].map(([key, { move, changes }]) => ({
    key,
    at: move.at,
    icon: DRAWN[move.what] ?? "layers",
    told: sentence({ ...move, changes }),
    id: changes?.[0]?.record_id,
    count: changes?.length ?? 0,
  }));
}

export function Changed() {
  const moves = useMoves().data;
  const newest = useNewest().data;
  const written: Event[] = (newest?.records ?? []).map((record) => ({
    key: record.id,
    at: record.recorded_at,
    icon: (record.version ?? 1) > 1 ? "edit" : "plus",
    told: (record.version ?? 1) > 1 ? "A memory was corrected" : "A memory was written",
    id: record.id,
    count: 1,
  }));
  const events = [...together(moves ?? []), ...written].sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, SHOWN);
  const texts = useTexts(events.flatMap((one) => one.id ?? [])).data;
  return (
    <section className="panel" aria-labelledby="changed">
      <header>
        <h2 id="changed">Changed lately</h2>
        <span className="spring" />
        <Link to="/timeline">Timeline</Link>
        <Link to="/tiers">Journal</Link>
      </header>
      {!moves || !newest ? (
        <Loading lines={6} />
      ) : (
        <ul className="events">
          {events.map((one) => (
            <li key={one.key}>
              <Icon name={one.icon} size={16} />
              <span>
                {one.told}
                {one.id && (
                  <>
                    :{" "}
                    <Link to={`/inspect/${encodeURIComponent(one.id)}`}>{texts?.get(one.id) ?? one.id}</Link>
                    {one.count > 1 && <span className="faint"> and {one.count - 1} more</span>}
                  </>
                )}
              </span>
              <span className="aside">
                <When at={one.at} relative />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
