// How much a memory will matter from now on, if nobody touches it.
import type { Memory, Schemas } from "../../api/client";

export type Point = { at: number; strength: number };
const DAY = 86_400_000;
const STEPS = 120;
const NUMBER = { working: 1, session: 2, episodic: 3, semantic: 4 } as const;
type Tier = keyof typeof NUMBER;

/** What a tier loses in a day, from the statistics of the tiers. */
export function rateOf(stats: Record<string, unknown> | undefined, tier: Tier): number {
  const said = stats?.[`decay_l${NUMBER[tier]}`];
  return typeof said === "number" ? said : 0;
}

/** The curve from now over some days: its importance fades at the rate of its tier, and each foretold move changes the rate. */
export function curve(record: Memory, moves: Schemas["Forecast"][], stats: Record<string, unknown> | undefined, now: number, days: number): Point[] {
  const vitals = record.vitals;
  const importance = vitals?.importance ?? 0.5;
  if (vitals?.pinned) return [0, days].map((day) => ({ at: now + day * DAY, strength: importance }));
  const since = new Date(vitals?.used_at ?? record.occurred_at).getTime();
  const strength = (at: number) => {
    let [tier, left, from] = [(vitals?.tier ?? "working") as Tier, importance, since];
    for (const move of moves) {
      const then = new Date(move.at).getTime();
      if (then > at) break;
      if (then > from) {
        left *= (1 - rateOf(stats, tier)) ** ((then - from) / DAY);
        from = then;
      }
      if (move.what === "expired") return 0;
      if (move.tier in NUMBER) tier = move.tier as Tier;
    }
    return left * (1 - rateOf(stats, tier)) ** (Math.max(0, at - from) / DAY);
  };
  return Array.from({ length: STEPS + 1 }, (_, step) => {
    const at = now + (days * DAY * step) / STEPS;
    return { at, strength: strength(at) };
  });
}
