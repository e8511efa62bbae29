// The values by which memory is read and ages: how they are told, and what a form makes of them.
import type { Schemas } from "../../api/client";

export type Value = Schemas["PolicyValue"];
export type Kind = "share" | "count" | "choice" | "flag" | "bound";
type Told = { label: string; means: string; kind: Kind };

const share = (label: string, means: string): Told => ({ label, means, kind: "share" });
const count = (label: string, means: string): Told => ({ label, means, kind: "count" });

/** The shares that make a whole are changed together. */
export const WHOLES = [
  ["policy.relevant_ratio", "policy.recent_ratio", "policy.early_ratio"],
  ["policy.deep_budget_ratio", "policy.shallow_budget_ratio"],
];

export const READS: Record<string, Told> = {
  "policy.relevant_ratio": share("What the question points at", "It is spent first."),
  "policy.recent_ratio": share("Where it stands now", "The newest."),
  "policy.early_ratio": share("How it began", "The oldest."),
  "policy.earlier_sessions_ratio": share("Of earlier sessions", "A part of what the question points at."),
  "policy.working_ratio": share("What the session works on", "At most so much."),
  "policy.recent_records": count("Newest memories", "How many the share is for."),
  "policy.early_records": count("Oldest memories", "How many the share is for."),
  "policy.early_from_tokens": count("Smallest budget with a beginning", "In tokens."),
  "policy.deep_budget_ratio": share("Word for word", "Of what is relevant."),
  "policy.shallow_budget_ratio": share("Shortened", "Of what is relevant."),
  "policy.default_depth": { label: "Shown at most", means: "How sharp one may be.", kind: "choice" },
  "policy.periphery_ratio": share("Summaries around it", "At most so much."),
  "policy.periphery_from_tokens": count("Smallest budget with summaries", "In tokens."),
  "policy.periphery_cells": { label: "Sum up cells of the map", means: "Where no session or region was.", kind: "flag" },
};

export const DEPTHS = ["its gist", "its fitting sentences", "word for word"];
export const TIERS = ["L1 working", "L2 session", "L3 episodic", "L4 semantic"];

const SHOWN = /ratio$/;
const BARE = /capacity$|retention_hours$/;

/** A value as a field shows it: shares in percent, no bound as nothing. */
export const fieldOf = (name: string, value: unknown): string =>
  typeof value === "number" ? String(SHOWN.test(name) ? Math.round(value * 10_000) / 100 : value) : value === null || value === undefined ? "" : String(value);

/** What a field says, as the value that is sent; undefined where it says none. */
export function valueOf(name: string, field: string): unknown {
  const text = field.trim();
  if (text === "true" || text === "false") return text === "true";
  if (text === "") return BARE.test(name) ? null : undefined;
  const number = Number(text);
  if (Number.isNaN(number)) return undefined;
  return SHOWN.test(name) ? Math.round(number * 100) / 10_000 : number;
}

/** What differs from what holds, and what is wrong with it, if anything. */
export function drafted(held: readonly Value[], fields: Readonly<Record<string, string>>): { values: Record<string, unknown>; wrong: string | null } {
  const values: Record<string, unknown> = {};
  const after = new Map<string, unknown>(held.map((one) => [one.name, one.value]));
  for (const { name, value } of held) {
    const field = fields[name];
    if (field === undefined || field === fieldOf(name, value)) continue;
    const said = valueOf(name, field);
    if (said === undefined) return { values: {}, wrong: `${labelOf(name)} needs a number.` };
    values[name] = said;
    after.set(name, said);
  }
  for (const names of WHOLES) {
    const total = names.reduce((sum, name) => sum + Number(after.get(name) ?? 0), 0);
    if (names.some((name) => name in values) && Math.abs(total - 1) > 0.0101)
      return { values, wrong: `${names.map(labelOf).join(", ")} must make 100 % together, not ${Math.round(total * 100)} %.` };
  }
  return { values, wrong: null };
}

/** How a value is called. */
export function labelOf(name: string): string {
  const [, tier, what] = /^memory\.l(\d)\.(\w+)$/.exec(name) ?? [];
  if (tier && what) return `${TIERS[Number(tier) - 1]}, ${BOUNDS[what as keyof typeof BOUNDS] ?? what}`;
  return READS[name]?.label ?? name;
}

export const BOUNDS = { capacity: "holds at most", retention_hours: "keeps for hours", promote_threshold: "uses that promote", auto_compress: "passes on by itself" } as const;

/** A value in words. */
export function toldOf(name: string, value: unknown): string {
  if (value === null || value === undefined) return name.endsWith("capacity") ? "no bound" : "for good";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (name.endsWith("default_depth")) return DEPTHS[Number(value)] ?? String(value);
  return `${fieldOf(name, value)}${SHOWN.test(name) ? " %" : ""}`;
}

/** What gives back what held before: values where the store kept some, a reset where it kept none. */
export function undoing(before: readonly Value[], after: readonly Value[]): { values: Record<string, unknown>; reset: string[] } {
  const now = new Map(after.map((one) => [one.name, one]));
  const changed = before.filter((one) => one.value !== now.get(one.name)?.value || one.origin !== now.get(one.name)?.origin);
  return {
    values: Object.fromEntries(changed.filter((one) => one.origin === "store").map((one) => [one.name, one.value])),
    reset: changed.filter((one) => one.origin !== "store").map((one) => one.name),
  };
}
