// The parts of the inspector's page.
import { useState } from "react";
import { useActs } from "../../api/acts";
import { useMay } from "../../api/caller";
import type { Memory, Schemas } from "../../api/client";
import { useWhose } from "../../api/whose";
import { Button } from "../../parts/Button";
import { notify, notifyFailure } from "../../parts/notices";
import { PARTS, percent } from "../../parts/relevance";
import { fullMoment, When } from "../../parts/words";
import { Link } from "../../route/router";
import { useForecast, useGlyphs, useHistory, useJournal, useRecalls, useRelated } from "./asking";
import { Asked, Card } from "./Card";
import { calls } from "./copying";
import { Curve } from "./Curve";
import { diff } from "./diff";
import { lifeOf } from "./life";
import { byQuestion, why } from "./why";

const to = (id: string) => `/inspect/${encodeURIComponent(id)}`;

export function Provenance({ record }: { record: Memory }) {
  const told: [string, React.ReactNode][] = [
    ["Said by", record.speaker ?? "nobody named"],
    ["Came from", record.source],
    ["Node", <code key="node">{record.node}</code>],
    ["Reaches", record.scope],
    ["Happened", fullMoment(record.occurred_at)],
    ["Recorded", fullMoment(record.recorded_at)],
    ["True from", `${fullMoment(record.valid_from)}${record.valid_to ? ` to ${fullMoment(record.valid_to)}` : ""}`],
  ];
  if (record.session_id)
    told.splice(2, 0, ["Session", <Link key="session" to="/memories" said={{ session: record.session_id }}>{record.session_id}</Link>]);
  if (record.parent_id) told.push(["Belongs under", <Link key="parent" to={to(record.parent_id)}>{record.parent_id}</Link>]);
  const more = Object.entries((record.metadata ?? {}) as Record<string, unknown>);
  return (
    <Card title="Where it was learned">
      <dl className="learned">
        {[...told, ...more.map(([name, value]) => [name, String(typeof value === "object" ? JSON.stringify(value) : value)] as [string, string])].map(
          ([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </Card>
  );
}

export function Recalls({ record }: { record: Memory }) {
  const asked = useRecalls(record.id);
  return (
    <Card title="Why it was recalled">
      <Asked of={asked} empty="No question has brought it up yet. When one does, the question and the reason stand here.">
        {(reads) => (
          <ol className="recalls">
            {byQuestion(reads).map(({ read, times }) => {
              const item = read.items.find((one) => one.id === record.id);
              return (
                <li key={read.at + read.query}>
                  <p>
                    {times > 1 ? `Asked ${times} times, last on ` : "Asked on "}
                    <When at={read.at} />:{" "}
                    <Link to="/lens" said={{ q: read.query }}>
                      <q>{read.query}</q>
                    </Link>
                  </p>
                  <p>{why(read.query, record.text, item)}</p>
                  <Numbers item={item} policy={read.policy} />
                </li>
              );
            })}
          </ol>
        )}
      </Asked>
    </Card>
  );
}

/** What the sentence rests on. */
function Numbers({ item, policy }: { item: Schemas["Recalled"] | undefined; policy: string }) {
  const parts = Object.entries(item?.parts ?? {}).filter(([, value]) => Math.abs(value) >= 0.005).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
  return (
    <details>
      <summary className="small">
        {item?.rank ? `Place ${item.rank}, ${percent(item.relevance)} likely to help` : `Shown as ${item?.zone ?? "context"}`}
      </summary>
      {parts.length > 0 ? (
        <table>
          <thead>
            <tr>
              <th scope="col">Part of the relevance</th>
              <th scope="col">Adds</th>
            </tr>
          </thead>
          <tbody>
            {parts.map(([name, value]) => (
              <tr key={name}>
                <td>
                  <b>{name.replaceAll("_", " ")}</b> <span className="faint">{PARTS[name]}</span>
                </td>
                <td className="mono">{value.toFixed(2)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : (
        <p className="small">It was in the zone {item?.zone} of the policy {policy}; its relevance was not measured.</p>
      )}
    </details>
  );
}

/** Its versions, what replaced it and what was done to it, newest first. */
export function Life({ record }: { record: Memory }) {
  const history = useHistory(record.id);
  const related = useRelated(record.id);
  const journal = useJournal(record.id);
  const { undo } = useActs();
  const mayWrite = useMay("write");
  return (
    <Card title="What happened to it">
      <Asked of={history}>
        {(versions) => (
          <ol className="life">
            {lifeOf(record.id, versions, related.data ?? [], journal.data ?? []).map((event) => (
              <li key={`${event.kind} ${event.at} ${event.kind === "move" ? event.move.id : event.kind === "link" ? event.record.id : event.version.version}`} className={event.kind}>
                {event.kind === "version" ? (
                  <Version version={event.version} before={event.before} />
                ) : event.kind === "link" ? (
                  <p>
                    <When at={event.at} /> · {event.told}: <Link to={to(event.record.id)}>{event.record.text}</Link>
                  </p>
                ) : (
                  <div className="move">
                    <p>
                      <When at={event.at} /> · <b>{event.told}</b>
                      {event.move.who !== "metabolism" && ` by ${event.move.who === "/" ? "its owner" : event.move.who}`}: <span className="small">{event.why}</span>
                    </p>
                    {event.move.undone_at ? (
                      <span className="tag">undone</span>
                    ) : (
                      mayWrite &&
                      event.move.what !== "undone" && (
                        <Button look="quiet" icon="undo" onPress={() => void undo(event.move.id).then(() => notify("Taken back."), notifyFailure)}>
                          Undo
                        </Button>
                      )
                    )}
                  </div>
                )}
              </li>
            ))}
          </ol>
        )}
      </Asked>
    </Card>
  );
}

function Version({ version, before }: { version: Memory; before: Memory | undefined }) {
  return (
    <>
      <p>
        <When at={version.recorded_at} /> · <b>{before ? `Corrected: version ${version.version}` : "Written"}</b>
        {!before && version.speaker && ` from what ${version.speaker} said`}
      </p>
      <p className="text">
        {before
          ? diff(before.text, version.text).map((piece, number) =>
              piece.kind === "same" ? piece.text : piece.kind === "gone" ? <del key={number}>{piece.text}</del> : <ins key={number}>{piece.text}</ins>,
            )
          : version.text}
      </p>
    </>
  );
}

export function Links({ id }: { id: string }) {
  const asked = useRelated(id);
  return (
    <Card title="Links">
      <Asked of={asked} empty={<>Nothing is linked to it. Agents link memories with <code>link</code>; corrections and repeats are linked by themselves.</>}>
        {(found) => (
          <ul className="links">
            {found.map((one) => (
              <li key={one.record.id + one.link.kind}>
                <span className="tag">
                  {one.link.source_id === id ? "→" : "←"} {one.link.kind?.replaceAll("_", " ")}
                </span>{" "}
                <Link to={to(one.record.id)}>{one.record.text}</Link>
              </li>
            ))}
          </ul>
        )}
      </Asked>
    </Card>
  );
}

export function Future({ record }: { record: Memory }) {
  const asked = useForecast(record.id);
  return (
    <Card title="How it will fade">
      <Asked of={asked} lines={8}>
        {({ moves, stats }) => <Curve record={record} moves={moves} stats={stats} />}
      </Asked>
    </Card>
  );
}

export function Glyphs({ text }: { text: string }) {
  const asked = useGlyphs(text);
  if (asked.data === null) return null;
  return (
    <Card title="Glyphs">
      <Asked of={asked}>
        {(mentions) =>
          mentions?.length ? (
            <ul className="glyph-list">
              {mentions.map((one) => (
                <li key={one.start}>
                  {one.glyph ? (
                    <Link to="/inspect" said={{ at: one.glyph }} title={`The family “${one.label}”`}>
                      <b lang="zxx">{one.glyph}</b>
                    </Link>
                  ) : (
                    <b className="faint">·</b>
                  )}
                  <span>{one.text}</span>
                </li>
              ))}
            </ul>
          ) : (
            <p className="small">No phrase of it belongs to a family of the tape in use.</p>
          )
        }
      </Asked>
    </Card>
  );
}

export function Copying({ record }: { record: Memory }) {
  const at = useWhose();
  const made = calls(record.id, at, location.origin);
  const [shown, show] = useState<keyof typeof made>("curl");
  const copy = (text: string, what: string) => void navigator.clipboard.writeText(text).then(() => notify(`Copied ${what}.`), notifyFailure);
  return (
    <Card title="Use it elsewhere" wide>
      <div className="spans" role="group" aria-label="As">
        {(Object.keys(made) as (keyof typeof made)[]).map((one) => (
          <button key={one} type="button" className="button quiet" aria-pressed={one === shown} onClick={() => show(one)}>
            {one}
          </button>
        ))}
        <Button icon="copy" onPress={() => copy(made[shown], `the call as ${shown}`)}>
          Copy
        </Button>
      </div>
      <pre className="code" tabIndex={0} role="region" aria-label={`The call as ${shown}`}>{made[shown]}</pre>
      <details>
        <summary>Raw JSON</summary>
        <Button icon="copy" onPress={() => copy(JSON.stringify(record, null, 2), "the raw JSON")}>
          Copy
        </Button>
        <pre className="code" tabIndex={0} role="region" aria-label="Raw JSON">{JSON.stringify(record, null, 2)}</pre>
      </details>
    </Card>
  );
}

