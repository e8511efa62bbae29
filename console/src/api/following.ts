// What is shown follows what happens: which notice makes which answers old.
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useNews, type Notice } from "./news";

/** The names of answers, the third part of their keys, by the kind of what happened. The lists of Memories are not here:
 * they say what is new, and change when asked to, so that nothing jumps under a finger. */
const TOUCHES: Record<string, readonly string[]> = {
  "memory.write": ["one", "history", "related", "nodes", "newest", "gauges", "tapes", "saying", "totals", "profile", "facts", "kept"],
  "memory.read": ["one", "forecast", "recalls", "asked"],
  "memory.change": ["one", "history", "related", "forecast", "journal", "gauges", "texts", "profile", "facts"],
  "memory.forget": ["one", "history", "related", "journal", "gauges", "nodes", "newest", "texts", "saying", "totals", "profile", "facts", "kept"],
  "metabolism.move": ["one", "forecast", "journal", "gauges"],
  "ledger.change": ["ledger"],
  "crystal.change": ["crystals", "crystal"],
  "tape.change": ["tapes", "families", "cells", "glyphs", "inspected"],
};
const EVERYTHING = new Set(Object.values(TOUCHES).flat());
/** Answers about one memory, whose id is the fourth part of their keys. */
const OF_ONE = new Set(["one", "history", "related", "forecast", "recalls", "journal"]);

/** Whether an answer is old after what happened. */
export function outdated(key: readonly unknown[], { kind, ids = [], count = 0 }: Notice): boolean {
  const [records, , name, about] = key;
  if (records !== "records" || typeof name !== "string") return false;
  if (kind === "gap") return EVERYTHING.has(name);
  if (!TOUCHES[kind]?.includes(name)) return false;
  // A notice names the first ids only when it is about many.
  return !OF_ONE.has(name) || typeof about !== "string" || ids.includes(about) || count > ids.length;
}

/** Ask again for what is shown and old; the rest is asked for when it is next shown. */
export function ask(queries: QueryClient, heard: readonly Notice[]): void {
  void queries.invalidateQueries({ predicate: ({ queryKey }) => heard.some((notice) => outdated(queryKey, notice)) });
}

const PAUSE = 1_000;

/** Let every view follow the memory that is looked at; once for many notices that come together. */
export function useFollowing(): void {
  const queries = useQueryClient();
  const heard = useRef<Notice[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useNews(["memory", "metabolism", "ledger", "crystal", "tape"], (notice) => {
    heard.current.push(notice);
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      ask(queries, heard.current.splice(0));
    }, PAUSE);
  });
}
