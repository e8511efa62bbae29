// What was forgotten or erased in this tab: whatever still shows it says so, and does not ask for it in vain.
import { useSyncExternalStore } from "react";

type Gone = "forgotten" | "erased";
let known: ReadonlyMap<string, Gone> = new Map();
const listeners = new Set<() => void>();

function set(to: ReadonlyMap<string, Gone>): void {
  known = to;
  for (const listener of listeners) listener();
}

export const markGone = (ids: readonly string[], how: Gone) => set(new Map([...known, ...ids.map((id) => [id, how] as const)]));

/** Something was taken back: what was forgotten may be here again; what was erased never is. */
export const markBack = () => set(new Map([...known].filter(([, how]) => how === "erased")));

export function useGone(): ReadonlyMap<string, Gone> {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => known,
  );
}
