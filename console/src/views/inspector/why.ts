// Why a read showed a memory, as a sentence.
import type { Schemas } from "../../api/client";
import { pieces } from "../../parts/highlight";
import { LIKELY } from "../../parts/relevance";

const REASONS: Record<string, string> = {
  second_look: "means nearly the same",
  meaning: "means something near",
  answers: "came right after something like the question",
  speaker: "was said by or about whom the question names",
  kind: "holds the kind of thing that is asked for",
  rules: "states a preference or a rule to go by",
  change: "tells what changed",
  time: "is from the days that were asked about",
  life: "is important or was used often",
  reranker: "convinced the reranker",
};
const ZONES: Record<string, string> = {
  whole: "everything fitted into the budget",
  recent: "it was new",
  early: "it is from how things began",
  earlier: "it is from an earlier session that the question is about",
  working: "the session was working on it",
};
/** A part that adds less than this did not decide anything. */
const LEAST = 0.3;
const MOST = 3;

const listed = (parts: readonly string[]) => (parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`);

/** The words of the question that stand in the text, each once. */
export const shared = (query: string, text: string): string[] => [
  ...new Map(pieces(text, query).filter((one) => one.marked).map((one) => [one.text.toLowerCase(), one.text])).values(),
];

/** Reads of one question together, the latest of each, in the order they came. */
export function byQuestion<T extends { query: string }>(reads: readonly T[]): { read: T; times: number }[] {
  const found = new Map<string, { read: T; times: number }>();
  for (const read of reads) {
    const known = found.get(read.query);
    if (known) known.times += 1;
    else found.set(read.query, { read, times: 1 });
  }
  return [...found.values()];
}

export function why(query: string, text: string, item: Schemas["Recalled"] | undefined): string {
  const named = shared(query, text).slice(0, MOST).map((word) => `“${word}”`);
  const weak = item !== undefined && item.relevance < LIKELY;
  const parts = Object.entries(item?.parts ?? {})
    .filter(([name, value]) => value >= LEAST && name in REASONS)
    .sort((a, b) => b[1] - a[1])
    .map(([name]) => (name === "second_look" && weak ? REASONS.meaning : REASONS[name]) as string);
  // Two measures of meaning say one thing.
  const told = [...new Set(parts)].filter((one) => one !== REASONS.meaning || !parts.includes(REASONS.second_look as string)).slice(0, MOST);
  const reasons = [...(named.length ? [`names ${listed(named)}`] : []), ...told];
  if (item?.zone && item.zone in ZONES && item.zone !== "whole" && !item.parts) return `It was shown because ${ZONES[item.zone]}.`;
  if (!reasons.length && item?.zone && item.zone in ZONES) return `It was shown because ${ZONES[item.zone]}.`;
  if (!reasons.length) return weak ? "A weak match: nothing in it decided, but there was room for it." : "No single reason stands out: many small ones came together.";
  return weak ? `A weak match: it ${listed(reasons)}.` : `It ${listed(reasons)}.`;
}
