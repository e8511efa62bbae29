// The filters of the table, as the address says them and as the server takes them.
export const NAMES = ["kind", "tier", "tag", "since", "until", "pinned", "archived", "muted", "session", "speaker", "region"] as const;
export type Name = (typeof NAMES)[number];
export type Chosen = Partial<Record<Name, string>>;

export function chosenIn(said: URLSearchParams): Chosen {
  const found: Chosen = {};
  for (const name of NAMES) {
    const value = said.get(name);
    if (value) found[name] = value;
  }
  return found;
}

const yes = (value: string | undefined) => (value === undefined ? undefined : value === "yes");

/** The filter as the verbs take it; days run from their beginning to their end, where the reader is. */
export function filterOf(chosen: Chosen): Record<string, unknown> {
  const said: Record<string, unknown> = {
    kind: chosen.kind,
    tier: chosen.tier,
    tags: chosen.tag,
    session_id: chosen.session,
    speaker: chosen.speaker,
    region: chosen.region,
    pinned: yes(chosen.pinned),
    archived: yes(chosen.archived),
    muted: yes(chosen.muted),
  };
  const span: Record<string, string> = {};
  if (chosen.since) span.gte = new Date(`${chosen.since}T00:00`).toISOString();
  if (chosen.until) span.lt = new Date(new Date(`${chosen.until}T00:00`).getTime() + 86_400_000).toISOString();
  if (Object.keys(span).length) said.occurred_at = span;
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
}
