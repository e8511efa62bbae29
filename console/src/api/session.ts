// Who is signed in: the token of a key or of a session, for as long as this tab is open.
import { useSyncExternalStore } from "react";
import { BASE } from "../route/router";
import { asProblem, problemOf, type Problem } from "./problem";

const NAME = "foveal.token";
const SESSION = `${BASE}/session`;
const listeners = new Set<() => void>();
let refused: Problem | null = null;

const heard = () => {
  for (const listener of listeners) listener();
};

/** Take what signs in out of the fragment of the address, where `foveal console` puts it, and out of sight. */
export async function takeToken(): Promise<void> {
  const said = new URLSearchParams(location.hash.slice(1)).get("token");
  if (said === null) return;
  history.replaceState(history.state, "", location.pathname + location.search);
  await signIn(said);
}

export const token = (): string | null => sessionStorage.getItem(NAME);

/** Sign in with a key, or with a one-time token, which is worth a session. */
export async function signIn(said: string): Promise<void> {
  const given = said.trim();
  try {
    sessionStorage.setItem(NAME, given.startsWith("once_") ? await exchanged(given) : given);
    refused = null;
  } catch (error) {
    refused = asProblem(error);
  }
  heard();
}

async function exchanged(ticket: string): Promise<string> {
  const response = await fetch(SESSION, { method: "POST", body: JSON.stringify({ ticket }), headers: { "Content-Type": "application/json" } });
  if (!response.ok) throw await problemOf(response);
  return ((await response.json()) as { token: string }).token;
}

/** Forget who is signed in; a session ends on the server, too. */
export async function signOut(): Promise<void> {
  const was = token();
  drop(null);
  // Who cannot reach the server is signed out here all the same.
  if (was) await fetch(SESSION, { method: "DELETE", headers: { Authorization: `Bearer ${was}` } }).catch(() => undefined);
}

/** The server no longer takes this token: it ran out, or was revoked. */
export function drop(why: Problem | null): void {
  refused = why;
  sessionStorage.removeItem(NAME);
  heard();
}

/** Why the last attempt to sign in failed, or the session ended. */
export function useRefused(): Problem | null {
  return useSyncExternalStore(subscribe, () => refused);
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function useToken(): string | null {
  return useSyncExternalStore(subscribe, token);
}
