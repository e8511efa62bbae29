// Where the console is: the path names the view, the query holds whose memory it is and the view's filters.
import { useCallback, useMemo, useSyncExternalStore, type AnchorHTMLAttributes, type ReactNode } from "react";

export const BASE = "/memory-console";
/** Whose memory is looked at; every link keeps these. */
export const WHOSE = ["world", "actor", "node"] as const;

type Said = Record<string, string | null | undefined>;
const listeners = new Set<() => void>();
const heard = () => {
  for (const listener of listeners) listener();
};
addEventListener("popstate", heard);

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The address of a path of the console, with the viewpoint of now. */
export function addressOf(path: string, said: Said = {}): string {
  const now = new URLSearchParams(location.search);
  const query = new URLSearchParams();
  for (const name of WHOSE) {
    const value = now.get(name);
    if (value) query.set(name, value);
  }
  for (const [name, value] of Object.entries(said)) value ? query.set(name, value) : query.delete(name);
  const text = query.toString();
  return BASE + path + (text ? `?${text}` : "");
}

export function go(path: string, said: Said = {}, how: "push" | "replace" = "push"): void {
  const to = addressOf(path, said);
  if (how === "push") history.pushState(null, "", to);
  else history.replaceState(null, "", to);
  heard();
}

/** Change some of what the query says and keep the rest. */
export function say(said: Said, how: "push" | "replace" = "replace"): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(said)) value ? query.set(name, value) : query.delete(name);
  const text = query.toString();
  const to = location.pathname + (text ? `?${text}` : "");
  if (how === "push") history.pushState(null, "", to);
  else history.replaceState(null, "", to);
  heard();
}

export function usePath(): string {
  return useSyncExternalStore(subscribe, () => location.pathname.slice(BASE.length) || "/");
}

export function useSearch(): URLSearchParams {
  const text = useSyncExternalStore(subscribe, () => location.search);
  return useMemo(() => new URLSearchParams(text), [text]);
}

/** One name of the query, and how to change it. */
export function useSaid(name: string): [string, (value: string) => void] {
  const value = useSearch().get(name) ?? "";
  return [value, useCallback((to: string) => say({ [name]: to }), [name])];
}

type LinkProps = { to: string; said?: Said; children: ReactNode } & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href">;

export function Link({ to, said, children, onClick, ...rest }: LinkProps) {
  useSearch();
  return (
    <a
      {...rest}
      href={addressOf(to, said)}
      onClick={(event) => {
        onClick?.(event);
        if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        go(to, said);
      }}
    >
      {children}
    </a>
  );
}
