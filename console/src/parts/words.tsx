// Moments, tiers and tags, shown alike everywhere.
const TIERS = { working: "L1", session: "L2", episodic: "L3", semantic: "L4" } as const;

// The page is in English, and writes its dates alike wherever it is read: 3 May 2026.
const LANGUAGE = "en-GB";
export const DAY = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: "medium" });
export const TIME = new Intl.DateTimeFormat(LANGUAGE, { timeStyle: "medium" });
/** A moment within days that are known. */
export const MOMENT = new Intl.DateTimeFormat(LANGUAGE, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const FULL = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: "medium", timeStyle: "medium" });
const AGO = new Intl.RelativeTimeFormat(LANGUAGE, { numeric: "auto" });
const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * 86_400_000],
  ["month", 30 * 86_400_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** How long ago or ahead a moment is, in words. */
export function ago(at: string | Date, now = Date.now()): string {
  const away = new Date(at).getTime() - now;
  for (const [unit, size] of STEPS) if (Math.abs(away) >= size) return AGO.format(Math.round(away / size), unit);
  return "just now";
}

export function When({ at, relative }: { at: string | null | undefined; relative?: boolean }) {
  if (!at) return <span className="faint">never</span>;
  const moment = new Date(at);
  return (
    <time dateTime={at} title={FULL.format(moment)}>
      {relative ? ago(moment) : DAY.format(moment)}
    </time>
  );
}

/** From one day to another, or on the only one. */
export function Span({ from, to }: { from: string | null | undefined; to: string | null | undefined }) {
  if (from && to && DAY.format(new Date(from)) === DAY.format(new Date(to)))
    return (
      <>
        on <When at={from} />
      </>
    );
  return (
    <>
      from <When at={from} /> to <When at={to} />
    </>
  );
}

export const fullMoment = (at: string) => FULL.format(new Date(at));

/** A tier by number and name: the colour only repeats what the words say. What is archived is in none. */
export function TierTag({ tier, archived }: { tier: keyof typeof TIERS | undefined; archived?: string | null }) {
  const name = tier ?? "working";
  if (archived)
    return (
      <span className="tier" title={`Archived ${FULL.format(new Date(archived))}: searches and questions still find it, but it is no longer shown unasked`}>
        archived
      </span>
    );
  return (
    <span className={`tier ${name}`}>
      <b>{TIERS[name]}</b> {name}
    </span>
  );
}

export function Tags({ tags }: { tags: readonly string[] | undefined }) {
  return (
    <>
      {tags?.map((tag) => (
        <span className="tag" key={tag}>
          {tag}
        </span>
      ))}
    </>
  );
}

/** A share from 0 to 1 as a bar, with its number. */
export function Share({ value, label }: { value: number; label: string }) {
  return (
    <span className="share" role="img" aria-label={`${label} ${value.toFixed(2)}`} title={`${label} ${value.toFixed(2)}`}>
      <svg width="48" height="6" aria-hidden="true">
        <rect width="48" height="6" rx="3" className="groove" />
        <rect width={48 * Math.max(0, Math.min(1, value))} height="6" rx="3" className="filled" />
      </svg>
    </span>
  );
}

export const counted = (number: number, one: string, many = `${one}s`) =>
  `${number.toLocaleString()} ${number === 1 ? one : many}`;
