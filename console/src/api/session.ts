// Who is signed in: the token of a key, for as long as this tab is open.
import { useSyncExternalStore } from "react";

const NAME = "foveal.token";
const listeners = new Set<() => void>();

/** Take the token out of the fragment of the address, where `foveal console` puts it, and out of sight. */
export function takeToken(): void {
  const said = new URLSearchParams(location.hash.slice(1)).get("token");
  if (said === null) return;
  sessionStorage.setItem(NAME, said);
  history.replaceState(history.state, "", location.pathname + location.search);
}

export const token = (): string | null => sessionStorage.getItem(NAME);

export function signIn(said: string): void {
  sessionStorage.setItem(NAME, said.trim());
  for (const listener of listeners) listener();
}

export function signOut(): void {
  sessionStorage.removeItem(NAME);
  for (const listener of listeners) listener();
}

export function useToken(): string | null {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, token);
}
