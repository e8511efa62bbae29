// The parts of the inspector's page.
import { useState } from "react";
import { useActs } from "../../api/acts";
import { useMay } from "../../api/caller";
import type { Memory } from "../../api/client";
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
      <dl className="facts">
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

export function Recalls({ id }: { id: string }) {
  const asked = useRecalls(id);
  return (
    <Card title="Why it came back">
      <Asked of={asked} empty="No read has shown it yet. When one does, its question, rank and relevance stand here.">
        {(reads) => (
          <ol className="recalls">
            {reads.map((read) => {
              const item = read.items.find((one) => one.id === id);
              const parts = Object.entries(item?.parts ?? {}).filter(([, value]) => Math.abs(value) >= 0.005).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
              return (
                <li key={read.at + read.query}>
                  <details>
                    <summary>
                      <q>{read.query}</q>
                      <span className="small">
                        {item?.rank ? `rank ${item.rank}, relevance ${percent(item.relevance)}` : `shown as ${item?.zone ?? "context"}`} · {read.policy} · <When at={read.at} relative />
                      </span>
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
                      <p className="small">It came for another reason than relevance: it stands in the zone {item?.zone}.</p>
                    )}
                  </details>
                </li>
              );
            })}
          </ol>
        )}
      </Asked>
    </Card>
  );
}

export function Versions({ id }: { id: string }) {
  const asked = useHistory(id);
  return (
    <Card title="Versions">
      <Asked of={asked}>
        {(versions) => (
          <ol className="versions">
            {versions.toReversed().map((one, place, all) => {
              const before = all[place + 1];
              return (
                <li key={one.version}>
                  <p className="small">
                    <b>Version {one.version}</b>, known from {fullMoment(one.recorded_at)}
                    {one.superseded_at && ` to ${fullMoment(one.superseded_at)}`}
                  </p>
                  <p className="text">
                    {before
                      ? diff(before.text, one.text).map((piece, number) =>
                          piece.kind === "same" ? piece.text : piece.kind === "gone" ? <del key={number}>{piece.text}</del> : <ins key={number}>{piece.text}</ins>,
                        )
                      : one.text}
                  </p>
                </li>
              );
            })}
          </ol>
        )}
      </Asked>
    </Card>
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
            <ul className="glyphs">
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

export function Journal({ id }: { id: string }) {
  const asked = useJournal(id);
  const { undo } = useActs();
  const mayWrite = useMay("write");
  return (
    <Card title="What was done to it">
      <Asked of={asked} empty="Nothing yet: it is as it was written.">
        {(moves) => (
          <ul className="moves">
            {moves.map((one) => (
              <li key={one.id}>
                <span>
                  <b>{one.what}</b> by {one.who}, <When at={one.at} relative />
                  <span className="small"> {one.why}</span>
                </span>
                {one.undone_at ? (
                  <span className="tag">undone</span>
                ) : (
                  mayWrite &&
                  one.what !== "undone" && (
                    <Button look="quiet" icon="undo" onPress={() => void undo(one.id).then(() => notify("Taken back."), notifyFailure)}>
                      Undo
                    </Button>
                  )
                )}
              </li>
            ))}
          </ul>
        )}
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

