// Which dialog of the shell is open: any view may open one, and there is one at a time.
import { useSyncExternalStore } from "react";

export type ShellDialog = "add" | "keys" | "menu" | "palette" | "whose";
let shown: ShellDialog | null = null;
const listeners = new Set<() => void>();

export function openDialog(dialog: ShellDialog | null): void {
  shown = dialog;
  for (const listener of listeners) listener();
}

export const closeDialog = () => openDialog(null);

export function useDialog(): ShellDialog | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );
}
