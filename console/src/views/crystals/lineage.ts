// The crystals in the order of their tree: a parent, then what came of it.
import type { Schemas } from "../../api/client";

export type Lineage = Schemas["Lineage"];
export type Placed = { one: Lineage; depth: number };

export function inTree(all: Lineage[]): Placed[] {
  const known = new Set(all.map((one) => one.crystal_id));
  const below = new Map<string, Lineage[]>();
  for (const one of [...all].sort((a, b) => a.timestamp.localeCompare(b.timestamp))) {
    const above = one.parent_crystal && known.has(one.parent_crystal) ? one.parent_crystal : "";
    below.set(above, [...(below.get(above) ?? []), one]);
  }
  const placed: Placed[] = [];
  const walk = (above: string, depth: number) => {
    for (const one of below.get(above) ?? []) {
      placed.push({ one, depth });
      walk(one.crystal_id, depth + 1);
    }
  };
  walk("", 0);
  return placed;
}

export const nameOf = (one: { branch_reason?: string | null; crystal_id: string }) => one.branch_reason || one.crystal_id;
