// Facts under their headings, and which of them are asked for.
import type { Schemas } from "../../api/client";

export type KnownFact = Schemas["KnownFact"];
export const SHOWS = { all: "All", instruction: "Instructions", preference: "Preferences", fact: "Facts", event: "Events", disputed: "Disputed", changed: "Changed", past: "No longer believed" } as const;
export type Show = keyof typeof SHOWS;

const FIRST: Record<string, string> = { instruction: "Standing instructions", preference: "Preferences" };

/** Who a subject is; the one who talks to the agent is called the user by the rules. */
export const nameOf = (subject: string): string => (subject === "user" ? "the user" : subject);

/** Instructions and preferences first, then facts by whom they are about, most first. */
export function grouped<T extends Pick<KnownFact, "kind" | "subject">>(facts: readonly T[]): [string, T[]][] {
  const groups = new Map<string, T[]>();
  for (const fact of facts) {
    const name = FIRST[fact.kind] ?? `About ${nameOf(fact.subject)}`;
    groups.set(name, [...(groups.get(name) ?? []), fact]);
  }
  const rank = (name: string) => {
    const place = Object.values(FIRST).indexOf(name);
    return place < 0 ? 9 : place;
  };
  return [...groups].sort(([a, these], [b, those]) => rank(a) - rank(b) || those.length - these.length);
}

export function passes(fact: KnownFact, show: Show, typed: string): boolean {
  const text = `${fact.text} ${fact.subject} ${fact.attribute} ${fact.value}`.toLowerCase();
  if (!typed.toLowerCase().split(/\s+/).every((word) => text.includes(word))) return false;
  if (show === "disputed") return fact.disputed.length > 0;
  if (show === "changed") return Boolean(fact.before);
  if (show === "past") return fact.status !== "current";
  return show === "all" || fact.kind === show;
}
