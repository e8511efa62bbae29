// What a context spends its budget on: sharp in the middle, blurred towards the edge, and what is left.
import type { Schemas } from "../../api/client";

type Summary = Pick<Schemas["Rendition"], "kind" | "subject" | "text" | "records">;
export type Context = Omit<Schemas["Context"], "periphery"> & { periphery?: Summary[] };
export type Item = Schemas["Item"];
export const SPANS = ["fovea", "parafovea", "periphery", "headings", "free"] as const;
export type Span = (typeof SPANS)[number];
export type Spent = { span: Span; tokens: number; count: number };

export const ABOUT: Record<Span, string> = {
  fovea: "word for word",
  parafovea: "shortened",
  periphery: "a hint, or summed up",
  headings: "the frame around it",
  free: "not spent",
};

export const spanOf = (item: Item): Span => (item.depth >= 2 ? "fovea" : item.depth === 1 ? "parafovea" : "periphery");

/** The parts of the budget, which add up to it. */
export function spent(context: Context): Spent[] {
  const tokens: Record<Span, number> = { fovea: 0, parafovea: 0, periphery: 0, headings: 0, free: 0 };
  const count: Record<Span, number> = { fovea: 0, parafovea: 0, periphery: 0, headings: 0, free: 0 };
  for (const item of context.items) {
    tokens[spanOf(item)] += item.tokens;
    count[spanOf(item)] += 1;
  }
  const { zones, token_budget } = context.receipt;
  tokens.periphery += zones.periphery ?? 0;
  count.periphery += context.periphery?.length ?? 0;
  const shown = tokens.fovea + tokens.parafovea + tokens.periphery;
  tokens.headings = Math.max(0, context.tokens - shown);
  tokens.free = Math.max(0, token_budget - shown - tokens.headings);
  return SPANS.map((span) => ({ span, tokens: tokens[span], count: count[span] }));
}

/** Why something that was considered is not shown, in words. */
export const WHY: Record<string, string> = {
  budget: "No room was left in the budget",
  duplicate: "It says the same as one that is shown",
  irrelevant: "It is not likely to help with the question",
  superseded: "A newer version took its place",
  scope: "It is outside of what was asked",
};
