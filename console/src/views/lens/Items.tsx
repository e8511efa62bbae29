// What is shown and what was cut, each with why.
import { useState } from "react";
import { useTexts } from "../../api/texts";
import { Button } from "../../parts/Button";
import { Older, PARTS, percent, Relevance } from "../../parts/relevance";
import { counted, When } from "../../parts/words";
import { Link } from "../../route/router";
import { spanOf, WHY, type Context, type Item } from "./budget";

const FIRST = 12;
const ZONES: Record<string, string> = {
  whole: "everything fits",
  relevant: "answers the question",
  earlier: "from an earlier session",
  working: "the session works on it",
  recent: "is new",
  early: "how it began",
  mixed: "answers, and is new",
};

type Props = { context: Context; name: string; other?: Context; lit: string; light: (id: string) => void };

export function Items({ context, name, other, lit, light }: Props) {
  const [all, setAll] = useState(false);
  const there = other && new Set(other.items.map((one) => one.record.id));
  const sorted = [...context.items].sort((a, b) => b.relevance - a.relevance);
  const most = Math.max(...sorted.flatMap((one) => Object.values(one.parts ?? {}).map(Math.abs)), 0);
  return (
    <>
      <ol className="shown">
        {(all ? sorted : sorted.slice(0, FIRST)).map((item) => (
          <li
            key={item.record.id}
            id={`${name}-${item.record.id}`}
            className={item.record.id === lit ? "lit" : undefined}
            onMouseEnter={() => light(item.record.id)}
            onMouseLeave={() => light("")}
          >
            <Link to={`/inspect/${encodeURIComponent(item.record.id)}`} title={item.record.text}>
              {item.text}
            </Link>
            <p className="small">
              <span className={`swatch ${spanOf(item)}`} aria-hidden="true" />
              {spanOf(item)}, depth {item.depth} · {counted(item.tokens, "token")} · {ZONES[item.zone] ?? item.zone} ·{" "}
              <When at={item.record.occurred_at} />
              {item.replaced_by && <>{" "}<Older by={item.replaced_by} /></>}
              <Signs glyphs={item.glyphs ?? []} density={item.density ?? 0} />
              {there && !there.has(item.record.id) && <span className="tag only">only here</span>}
            </p>
            <Parts item={item} most={most} />
          </li>
        ))}
        {(context.periphery ?? []).map((one) => (
          <li key={`${one.kind} ${one.subject}`}>
            <span>{one.text}</span>
            <p className="small">
              <span className="swatch periphery" aria-hidden="true" />
              periphery · {counted(one.records, "memory", "memories")} of the {one.kind} {one.subject} summed up
            </p>
          </li>
        ))}
      </ol>
      {!all && sorted.length > FIRST && (
        <Button look="quiet" onPress={() => setAll(true)}>
          Show all {sorted.length}
        </Button>
      )}
    </>
  );
}

/** The glyphs of the phrases of a record, each leading to its family, and how much of the text they stand for. */
export function Signs({ glyphs, density }: { glyphs: readonly string[]; density: number }) {
  if (glyphs.length === 0) return null;
  return (
    <>
      {" · "}
      {glyphs.map((glyph) => (
        <Link key={glyph} to="/inspect" said={{ at: glyph }} title={`The family of ${glyph}`}>
          <b lang="zxx">{glyph}</b>{" "}
        </Link>
      ))}
      <span title="The share of the text that its glyphs stand for">density {percent(density)}</span>
    </>
  );
}

/** The relevance, and what it is made of: parts that add up to its log odds. */
function Parts({ item, most }: { item: Item; most: number }) {
  const parts = Object.entries(item.parts ?? {}).filter(([, value]) => Math.abs(value) >= 0.005);
  if (!parts.length) return <p className="small faint">It was not found by the question.</p>;
  return (
    <dl className="parts" aria-label="Relevance">
      <div className="sum">
        <dt>relevance</dt>
        <dd>
          <Relevance value={item.relevance} />
        </dd>
      </div>
      {parts
        .sort((a, b) => b[1] - a[1])
        .map(([part, value]) => (
          <div key={part} title={PARTS[part]} className={value < 0 ? "less" : undefined}>
            <dt>{part}</dt>
            <dd>
              <svg width="40" height="6" aria-hidden="true">
                <rect width={Math.min(40, (40 * Math.abs(value)) / (most || 1))} height="6" rx="2" />
              </svg>
              {value > 0 ? "+" : "−"}
              {Math.abs(value).toFixed(2)}
            </dd>
          </div>
        ))}
    </dl>
  );
}

export function CutList({ context }: { context: Context }) {
  const { cut } = context.receipt;
  const [open, setOpen] = useState<string>("");
  const reasons = [...new Set(cut.map((one) => one.reason))];
  const shown = cut.filter((one) => one.reason === open).slice(0, 50);
  const texts = useTexts(shown.map((one) => one.id)).data;
  if (!cut.length) return <p className="small">Nothing that was considered was left out.</p>;
  return (
    <ul className="cuts">
      {reasons.map((reason) => {
        const some = cut.filter((one) => one.reason === reason);
        return (
          <li key={reason}>
            <Button look="quiet" icon="right" aria-expanded={open === reason} onPress={() => setOpen(open === reason ? "" : reason)}>
              {counted(some.length, "memory", "memories")}: {(WHY[reason] ?? reason).toLowerCase()}
            </Button>
            {open === reason && (
              <ol>
                {shown.map((one, place) => (
                  <li key={place}>
                    <Link to={`/inspect/${encodeURIComponent(one.id)}`}>{texts?.get(one.id) ?? one.id}</Link>{" "}
                    <span className="small">
                      relevance {percent(one.relevance)}
                      {one.successor && `, version ${one.version} gave way to version ${one.successor}`}
                    </span>
                  </li>
                ))}
                {some.length > shown.length && <li className="small">… and {some.length - shown.length} weaker ones</li>}
              </ol>
            )}
          </li>
        );
      })}
    </ul>
  );
}
