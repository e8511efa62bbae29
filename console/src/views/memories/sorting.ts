// The order of the table: by time the server has it for any number of rows, by other columns what fits into the page.
import type { Row } from "./rows";

export const COLUMNS = { memory: "Memory", kind: "Kind", tier: "Tier", weight: "Weight", by: "By", happened: "Happened", recalled: "Recalled" } as const;
export type Column = keyof typeof COLUMNS;
export type Sort = { by: Column; down: boolean };
/** How many rows are sorted here. */
export const SORTABLE = 2_000;

const TIERS = ["working", "session", "episodic", "semantic"];
const DOWN_FIRST: readonly Column[] = ["weight", "happened", "recalled"];

export function sortIn(said: string): Sort | null {
  const by = said.replace(/^-/, "");
  return by in COLUMNS ? { by: by as Column, down: said.startsWith("-") } : null;
}

/** What a press on a heading asks for: the usual way first, then the other, then none. */
export function pressed(now: Sort | null, by: Column): string {
  const usual = DOWN_FIRST.includes(by);
  if (now?.by !== by) return `${usual ? "-" : ""}${by}`;
  return now.down === usual ? `${usual ? "" : "-"}${by}` : "";
}

const VALUES: Record<Column, (row: Row) => string | number> = {
  memory: ({ record }) => record.text.toLowerCase(),
  kind: ({ record }) => record.kind ?? "",
  tier: ({ record }) => (record.vitals?.archived_at ? -1 : TIERS.indexOf(record.vitals?.tier ?? "working")),
  weight: ({ record, relevance }) => relevance ?? record.vitals?.importance ?? 0,
  by: ({ record }) => (record.speaker ?? record.source ?? "").toLowerCase(),
  happened: ({ record }) => record.occurred_at,
  recalled: ({ record }) => record.vitals?.used_at ?? "",
};

export function sorted(rows: readonly Row[], sort: Sort | null): readonly Row[] {
  if (!sort) return rows;
  const value = VALUES[sort.by];
  const way = sort.down ? -1 : 1;
  return [...rows].sort((a, b) => (value(a) < value(b) ? -way : value(a) > value(b) ? way : 0));
}
