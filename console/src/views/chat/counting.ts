// Which of the memories that were given to a model count for its answer.
import type { Item } from "./talk";

const FEW = 3;
const MOST = 5;
/** Below this, a memory was given along rather than used. */
const LIKELY = 0.2;

export function countingOf(items: readonly Item[]): { counting: Item[]; rest: Item[] } {
  const sorted = [...items].sort((a, b) => b.relevance - a.relevance);
  const likely = sorted.filter((one) => one.relevance >= LIKELY).length;
  const shown = Math.min(MOST, Math.max(FEW, likely));
  return { counting: sorted.slice(0, shown), rest: sorted.slice(shown) };
}
