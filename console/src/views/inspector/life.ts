// Everything that happened to a memory, as one line of time: versions, updates by others, and moves.
import type { Memory, Schemas } from "../../api/client";
import { reason, toldOf } from "../../parts/moves";

export type LifeEvent =
  | { kind: "version"; at: string; version: Memory; before: Memory | undefined }
  | { kind: "link"; at: string; told: string; record: Memory }
  | { kind: "move"; at: string; told: string; why: string; move: Schemas["Move"] };

/** Links that tell how a memory changed, from its side. */
const CHANGES: Record<string, [out: string, back: string]> = {
  updates: ["It replaced an older statement", "A newer statement replaced it"],
  contradicts: ["It contradicts another statement", "Another statement contradicts it"],
  repeats: ["It was said before", "It was said again"],
  derived_from: ["It was drawn from this", "This was drawn from it"],
  consolidates: ["It sums up this", "It was merged into this"],
};

export function lifeOf(id: string, versions: readonly Memory[], related: readonly Schemas["Related"][], moves: readonly Schemas["Move"][]): LifeEvent[] {
  const events: LifeEvent[] = versions.map((version, place) => ({ kind: "version", at: version.recorded_at, version, before: versions[place - 1] }));
  for (const { link, record } of related) {
    const told = CHANGES[link.kind ?? ""];
    if (told) events.push({ kind: "link", at: link.created_at, told: told[link.source_id === id ? 0 : 1], record: record as Memory });
  }
  for (const move of moves) events.push({ kind: "move", at: move.at, told: `It was ${toldOf(move.what)}`, why: reason(move.why), move });
  return events.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
}
