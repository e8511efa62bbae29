// What is shown and what was cut, each with why.
import { useState } from "react";
import { useTexts } from "../../api/texts";
import { Button } from "../../parts/Button";
import { Highlighted } from "../../parts/highlight";
import { Older, PARTS, percent, Relevance } from "../../parts/relevance";
import { counted, When } from "../../parts/words";
import { Link } from "../../route/router";
import { ABOUT, spanOf, WHY, type Context, type Item } from "./budget";

const FIRST = 12;
const ZONES: Record<string, string> = {
  whole: "everything fits",
  relevant: "found by the question",
  earlier: "from an earlier session",
  working: "the session works on it",
  recent: "is new",
  early: "how it began",
  mixed: "found by the question, and new",
};

type Props = { context: Context; query: string; name: string; other?: Context; onlyDifferent: boolean; lit: string; light: (id: string) => void };

/** What is the same for all items, said once; the rest is said at each. */
export function common(items: readonly Item[]): { span?: ReturnType<typeof spanOf>; zone?: string } {
  const [first] = items;
  if (!first || items.length < 2) return {};
  return {
    span: items.every((one) => spanOf(one) === spanOf(first)) ? spanOf(first) : undefined,
    zone: items.every((one) => one.zone === first.zone) ? first.zone : undefined,
  };
}

export function Items({ context, query, name, other, onlyDifferent, lit, light }: Props) {
  const [all, setAll] = useState(false);
  const there = other && new Set(other.items.map((one) => one.record.id));
  const sorted = [...context.items].sort((a, b) => b.relevance - a.relevance).filter((one) => !onlyDifferent || !there?.has(one.record.id));
  const most = Math.max(...sorted.flatMap((one) => Object.values(one.parts ?? {}).map(Math.abs)), 0);
  const { span, zone } = common(context.items);
  const same = [span && `${ABOUT[span]} (${span})`, zone && (ZONES[zone] ?? zone)].filter(Boolean);
  return (
    <>
      {same.length > 0 && (
        <p className="small">
          All {context.items.length}: {same.join(", ")}.
        </p>
      )}
      <ol className="shown">
        {(all ? sorted : sorted.slice(0, FIRST)).map((item) => {
          const only = there !== undefined && !there.has(item.record.id);
          return (
            <li
              key={item.record.id}
              id={`${name}-${item.record.id}`}
              className={`${item.record.id === lit ? "lit" : ""} ${only ? "only-here" : ""}`}
              onMouseEnter={() => light(item.record.id)}
              onMouseLeave={() => light("")}
            >
              <Link to={`/inspect/${encodeURIComponent(item.record.id)}`} title={item.record.text}>
                <Highlighted text={item.text} query={query} />
              </Link>
              <p className="small">
                {only && <span className="tag only">only here</span>} <When at={item.record.occurred_at} /> · {counted(item.tokens, "token")}
                {!span && (
                  <>
                    {" · "}
                    <span className={`swatch ${spanOf(item)}`} aria-hidden="true" />
                    {ABOUT[spanOf(item)]}
                  </>
                )}
                {!zone && ` · ${ZONES[item.zone] ?? item.zone}`}
                {item.replaced_by && <>{" "}<Older by={item.replaced_by} /></>}
                <Signs glyphs={item.glyphs ?? []} density={item.density ?? 0} />
              </p>
              <Parts item={item} most={most} />
            </li>
          );
        })}
        {!onlyDifferent &&
          (context.periphery ?? []).map((one) => (
            <li key={`${one.kind} ${one.subject}`}>
              <span>{one.text}</span>
              <p className="small">
                <span className="swatch periphery" aria-hidden="true" />
                periphery · {counted(one.records, "memory", "memories")} of the {one.kind} {one.subject} summed up
              </p>
            </li>
          ))}
      </ol>
      {onlyDifferent && sorted.length === 0 && <p className="small">Everything here is also on the other side.</p>}
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

/** The relevance, and on request what it is made of: parts that add up to its log odds. */
function Parts({ item, most }: { item: Item; most: number }) {
  const parts = Object.entries(item.parts ?? {}).filter(([, value]) => Math.abs(value) >= 0.005);
  if (!parts.length) return <p className="small faint">It was not found by the question.</p>;
  return (
    <details className="relevance-parts">
      <summary>
        <Relevance value={item.relevance} /> <span className="small">likely to help: why?</span>
      </summary>
      <dl className="parts" aria-label="Parts of the relevance">
        {parts
          .sort((a, b) => b[1] - a[1])
          .map(([part, value]) => (
            <div key={part} className={value < 0 ? "less" : undefined}>
              <dt title={PARTS[part]}>
                {part.replaceAll("_", " ")} <span className="faint">{PARTS[part]}</span>
              </dt>
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
    </details>
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
