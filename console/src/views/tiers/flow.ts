// What flowed from tier to tier, counted from the journal.
import type { Schemas } from "../../api/client";

export type Move = Schemas["Move"];
type Change = Schemas["Change"];
export type Place = "working" | "session" | "episodic" | "semantic" | "archived" | "forgotten";
export type Flow = { from: Place; to: Place; count: number };
export type Bar = { begin: Date; counts: Map<string, number>; total: number };

export const PLACES: Record<Place, string> = {
  working: "L1 working",
  session: "L2 session",
  episodic: "L3 episodic",
  semantic: "L4 semantic",
  archived: "archive",
  forgotten: "forgotten",
};

const placeOf = (vitals: Schemas["Vitals"]): Place =>
  vitals.forgotten_at ? "forgotten" : vitals.archived_at ? "archived" : (vitals.tier ?? "working");

export function flowOf(change: Change): [Place, Place] | null {
  const from = placeOf(change.before);
  const to = placeOf(change.after);
  return from === to ? null : [from, to];
}

/** What was taken back did not flow. */
const counts = (move: Move) => !move.undone_at && move.what !== "undone";

export function flows(moves: Move[]): Flow[] {
  const found = new Map<string, Flow>();
  for (const move of moves.filter(counts))
    for (const change of move.changes ?? []) {
      const flow = flowOf(change);
      if (!flow) continue;
      const [from, to] = flow;
      const known = found.get(`${from} ${to}`) ?? { from, to, count: 0 };
      known.count += 1;
      found.set(`${from} ${to}`, known);
    }
  return [...found.values()].sort((a, b) => b.count - a.count);
}

const DAY = 86_400_000;
const STEPS = [3_600_000, 6 * 3_600_000, DAY, 7 * DAY, 30 * DAY, 90 * DAY, 365 * DAY];

/** Bars of equal time, at most two dozen, from the first move to the last. */
export function bars(moves: Move[], most = 24): { step: number; bars: Bar[] } {
  const counted = moves.filter(counts);
  const times = counted.map((one) => new Date(one.at).getTime());
  if (!times.length) return { step: DAY, bars: [] };
  const last = times.reduce((a, b) => Math.max(a, b));
  const first = times.reduce((a, b) => Math.min(a, b));
  const step = STEPS.find((one) => (last - first) / one < most - 1) ?? 365 * DAY;
  const begin = Math.floor(first / step) * step;
  const made: Bar[] = Array.from({ length: Math.floor((last - begin) / step) + 1 }, (_, place) => ({
    begin: new Date(begin + place * step),
    counts: new Map(),
    total: 0,
  }));
  counted.forEach((move, place) => {
    const bar = made[Math.floor(((times[place] ?? begin) - begin) / step)];
    if (!bar) return;
    const size = Math.max(1, move.changes?.length ?? 0);
    bar.counts.set(move.what, (bar.counts.get(move.what) ?? 0) + size);
    bar.total += size;
  });
  return { step, bars: made };
}
