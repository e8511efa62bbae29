// The conversation of this tab: it stays while other views are looked at, and is gone with the tab.
import { useSyncExternalStore } from "react";
import { eventsOf } from "../../api/events";
import { Problem } from "../../api/problem";
import { answer, api, type Memory, type Schemas } from "../../api/client";
import type { At } from "../../api/whose";

export type Item = { record: Memory; relevance: number; replaced_by?: string | null; depth: number; zone: string };
export type Answer = {
  text: string;
  context: { items: Item[]; tokens: number; receipt: { token_budget: number; nothing_relevant?: boolean } } | null;
  extractive: boolean;
  /** The memories that the words rest on. */
  sources?: string[];
  degraded: string;
  model: string;
};
export type Voice = { text: string; state: "speaking" | "done" | "stopped" | "failed"; answer?: Answer; error?: unknown };
export type Turn = { id: number; question: string; at: At; /** Whether its words were forgotten. */ forgotten?: boolean; remembering: Voice; forgetful?: Voice };

/** How far back the records of a turn are looked for. */
const LATEST = 50;
let turns: Turn[] = [];
let last = 0;
let stopping = new AbortController();
const listeners = new Set<() => void>();

function set(to: Turn[]): void {
  turns = to;
  for (const listener of listeners) listener();
}

function change(id: number, side: "remembering" | "forgetful", to: (was: Voice) => Voice): void {
  set(turns.map((turn) => (turn.id === id ? { ...turn, [side]: to(turn[side] ?? SILENT) } : turn)));
}

const SILENT: Voice = { text: "", state: "speaking" };

export function useTurns(at: At): Turn[] {
  const all = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => turns,
  );
  return all.filter((turn) => turn.at.actor_id === at.actor_id && turn.at.world === at.world && turn.at.node === at.node);
}

/** Mark a turn as one that is not remembered, or as one that is again. */
export const setForgotten = (id: number, forgotten: boolean) => set(turns.map((turn) => (turn.id === id ? { ...turn, forgotten } : turn)));

/** The records that a turn left behind: what was asked, and what was answered. */
export async function recordsOf(turn: Turn): Promise<string[]> {
  const latest = await answer(api.POST("/v1/timeline", { body: { ...turn.at, limit: LATEST } }));
  const texts = new Set([turn.question, turn.remembering.text]);
  return latest.filter((one) => texts.has(one.text)).map((one) => one.id);
}

export const stop = () => stopping.abort();
export const clear = () => set([]);

/** Say something, and hear the answer of an agent with this memory, and if wanted of one without any. */
export async function tell(question: string, at: At, both: boolean): Promise<void> {
  const id = ++last;
  stopping = new AbortController();
  set([...turns, { id, question, at, remembering: SILENT, forgetful: both ? SILENT : undefined }]);
  await Promise.all([hear(id, "remembering", question, at), both && hear(id, "forgetful", question, at)]);
}

async function hear(id: number, side: "remembering" | "forgetful", message: string, at: At): Promise<void> {
  const { signal } = stopping;
  try {
    const body = JSON.stringify({ ...at, message, memory: side === "remembering" });
    const headers = { "Content-Type": "application/json" };
    for await (const { event, data } of eventsOf("/api/agent/chat", { method: "POST", headers, body, signal })) {
      if (event === "token") change(id, side, (was) => ({ ...was, text: was.text + (data as { text: string }).text }));
      if (event === "answer") change(id, side, () => ({ text: (data as Answer).text, state: "done", answer: data as Answer }));
      if (event === "problem") throw problemIn(data as Schemas["Problem"]);
    }
    change(id, side, (was) => (was.state === "speaking" ? { ...was, state: "stopped" } : was));
  } catch (error) {
    change(id, side, (was) => (signal.aborted ? { ...was, state: "stopped" } : { ...was, state: "failed", error }));
  }
}

function problemIn(told: Schemas["Problem"]): Problem {
  const data = (told.data ?? {}) as Record<string, unknown>;
  return new Problem(told.status, told.code, told.title, told.detail, told.request_id ?? "", data);
}
