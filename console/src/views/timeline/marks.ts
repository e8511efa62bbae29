// What is drawn on the timeline: versions of memories, in lanes, on two clocks.
import type { Memory } from "../../api/client";

export type Mark = { key: string; record: Memory; happened: number; recorded: number; gone: boolean; lift: number };
export type Lane = { name: string; marks: Mark[] };
export const LANES = { speaker: "Who said it", session: "Session", node: "Node", topic: "Region", kind: "Kind" } as const;
export type By = keyof typeof LANES;
export const CLOCKS = { happened: "when it happened", recorded: "when it was written down" } as const;
export type Clock = keyof typeof CLOCKS;

const OTHERS = "others";

/** A text in one line: what stands between its lines is a dot. */
export const inOneLine = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .join(" · ");

/** A little up or down, always the same for a record, so that many at one time do not hide each other. */
function liftOf(id: string): number {
  let sum = 2166136261;
  for (let place = 0; place < id.length; place++) sum = Math.imul(sum ^ id.charCodeAt(place), 16777619);
  return ((sum >>> 12) % 7) * 2 - 6;
}

export function markOf(record: Memory): Mark {
  return {
    key: `${record.id}~${record.version ?? 1}`,
    record,
    // A later version speaks of the time from which it is so.
    happened: Date.parse((record.version ?? 1) > 1 ? record.valid_from : record.occurred_at),
    recorded: Date.parse(record.recorded_at),
    gone: Boolean(record.superseded_at),
    lift: record.superseded_at ? 0 : liftOf(record.id),
  };
}

const NAMES: Record<By, (one: Memory) => string> = {
  speaker: (one) => one.speaker ?? one.source ?? "nobody",
  session: (one) => one.session_id ?? "no session",
  node: (one) => one.node ?? "/",
  topic: (one) => one.address.split("#")[0]?.split("/").slice(1).join("/") || "none",
  kind: (one) => one.kind ?? "note",
};

export const laneName = (by: By, one: Memory) => NAMES[by](one);

/** The marks in lanes: the fullest, or of sessions the latest; what is left shares one. */
export function lanesOf(marks: Mark[], by: By, most = 8): Lane[] {
  const found = new Map<string, Mark[]>();
  for (const mark of marks) {
    const name = laneName(by, mark.record);
    const lane = found.get(name);
    if (lane) lane.push(mark);
    else found.set(name, [mark]);
  }
  const weight = ([, some]: [string, Mark[]]) =>
    by === "session" ? some.reduce((latest, one) => Math.max(latest, one.happened), 0) : some.length;
  const sorted = [...found].sort((a, b) => weight(b) - weight(a));
  const own = sorted.slice(0, sorted.length > most ? most - 1 : most).map(([name, some]) => ({ name, marks: some }));
  const rest = sorted.slice(own.length);
  if (rest.length) own.push({ name: `${rest.length} ${OTHERS}`, marks: rest.flatMap(([, some]) => some) });
  return own;
}

export type Span = { from: number; to: number };

/** The time that all marks lie in, on both clocks, with a little room. */
export function spanOf(marks: Mark[], now = Date.now()): Span {
  if (!marks.length) return { from: now - 86_400_000, to: now };
  let from = Infinity;
  let to = -Infinity;
  for (const mark of marks) {
    from = Math.min(from, mark.happened, mark.recorded);
    to = Math.max(to, mark.happened, mark.recorded);
  }
  const room = Math.max(60_000, (to - from) * 0.01);
  return { from: from - room, to: to + room };
}

export const within = (marks: Mark[], clock: Clock, span: Partial<Span>) =>
  marks.filter((mark) => mark[clock] >= (span.from ?? -Infinity) && mark[clock] < (span.to ?? Infinity));

const pad = (value: number) => String(value).padStart(2, "0");

/** A moment as fields and addresses have it: where the reader is, to the minute. */
export function minuteOf(moment: number): string {
  const at = new Date(moment);
  return `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}T${pad(at.getHours())}:${pad(at.getMinutes())}`;
}

export const momentOf = (said: string): number | undefined => {
  const moment = Date.parse(said);
  return Number.isNaN(moment) ? undefined : moment;
};
