// The filters that are set, each to be taken off, and some that would find something.
import { Icon } from "../../parts/Icon";
import { say } from "../../route/router";
import { NAMES, type Chosen, type Name } from "./filters";

export const LABELS: Record<Name, string> = {
  kind: "Kind",
  tier: "Tier",
  tag: "Tag",
  speaker: "Speaker",
  region: "Region",
  session: "Session",
  since: "From",
  until: "To",
  pinned: "Pinned",
  archived: "Archived",
  muted: "Never recalled",
};

export type Suggestion = { name: Name; value: string; count?: number };

/** A filter in few words: `Kind: fact`, `Pinned`, `Not archived`. */
export function toldOf(name: Name, value: string): string {
  if (value === "yes") return LABELS[name];
  if (value === "no") return `Not ${LABELS[name].toLowerCase()}`;
  return `${LABELS[name]}: ${value}`;
}

/** The same on a chip that is offered: `fact`, `#travel`, `in kitchen`, `Pinned`. */
function shortOf(name: Name, value: string): string {
  if (value === "yes") return LABELS[name];
  return name === "tag" ? `#${value}` : name === "region" ? `in ${value}` : value;
}

export function Chips({ chosen, offered }: { chosen: Chosen; offered: Suggestion[] }) {
  const set = NAMES.flatMap((name) => (chosen[name] ? [{ name, value: chosen[name] }] : []));
  const more = offered.filter((one) => !chosen[one.name]);
  if (!set.length && !more.length) return null;
  return (
    <div className="filter-chips" role="group" aria-label="Filters">
      {set.map(({ name, value }) => (
        <button key={name} type="button" className="filter-chip on" onClick={() => say({ [name]: null })} aria-label={`Remove the filter ${toldOf(name, value)}`}>
          {toldOf(name, value)} <Icon name="cross" size={14} />
        </button>
      ))}
      {set.length > 1 && (
        <button type="button" className="filter-chip" onClick={() => say(Object.fromEntries(NAMES.map((name) => [name, null])))}>
          Clear filters
        </button>
      )}
      {more.map(({ name, value, count }) => (
        <button key={`${name} ${value}`} type="button" className="filter-chip" onClick={() => say({ [name]: value })} aria-label={`Filter by ${toldOf(name, value)}`}>
          {shortOf(name, value)} {count !== undefined && <span className="faint">{count.toLocaleString()}</span>}
        </button>
      ))}
    </div>
  );
}
