// What the journal calls a move, in words that need no glossary.
import type { Schemas } from "../api/client";
import { counted } from "./words";

export type Move = Schemas["Move"];

const TOLD: Record<string, string> = {
  promoted: "kept for the session",
  digested: "kept for the coming days",
  sedimented: "kept for good",
  archived: "archived",
  returned: "brought back from the archive",
  consolidated: "merged into one",
  expired: "expired",
  forgotten: "forgotten",
  superseded: "replaced by something newer",
  learned: "learned as a fact",
  corrected: "corrected by a person",
  cleared: "archived at the end of a task",
  restored: "restored",
  widened: "shown to all agents",
  undone: "changed back",
};

/** What happened, as the end of "3 memories were …". */
export const toldOf = (what: string): string => TOLD[what] ?? what;

const TIERS: Record<string, string> = { L1: "working memory", L2: "session memory", L3: "recent memory", L4: "long-term memory" };
const RULES: [RegExp, (match: RegExpExecArray) => string][] = [
  [/^(L[1-4]) keeps (\S+) (h|d)$/, ([, tier = "", number = "", unit]) => `${TIERS[tier]} keeps things for ${counted(Number(number), unit === "h" ? "hour" : "day")}, and nothing had made it important`],
  [/^(L[1-4]) keeps (\S+) (h|d); (.*)$/, ([, tier = "", , , rest = ""]) => `its time in ${TIERS[tier]} was over, and ${reason(rest)}`],
  [/^importance (\S+) is above (\S+)$/, ([, importance = "", least = ""]) => `it is important enough (${importance}, at least ${least})`],
  [/^used (\d+) times$/, ([, uses = ""]) => `it was used ${counted(Number(uses), "time")}`],
  [/^it was used again; (.*)$/, ([, rest = ""]) => `it was used again, and ${reason(rest)}`],
  [/^it was asked for$/, () => "somebody asked for it"],
];

/** Why it happened: the metabolism gives its reasons in a short form, others say theirs in words. */
export function reason(why: string): string {
  for (const [form, told] of RULES) {
    const match = form.exec(why);
    if (match) return told(match);
  }
  return why;
}

/** A move as a sentence. */
export function sentence(move: Move): string {
  const count = move.changes?.length ?? 0;
  if (count <= 1) return `A memory was ${toldOf(move.what)}`;
  return `${counted(count, "memory", "memories")} were ${toldOf(move.what)}`;
}
