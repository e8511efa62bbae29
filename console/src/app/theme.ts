// Light, dark, or as the system says; kept in this browser.
import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";
const NAME = "foveal.theme";
const listeners = new Set<() => void>();

export const theme = (): Theme => (localStorage.getItem(NAME) as Theme | null) ?? "system";

export function applyTheme(to: Theme = theme()): void {
  localStorage.setItem(NAME, to);
  if (to === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = to;
  for (const listener of listeners) listener();
}

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, theme);
}
