// The nodes of a memory as a tree, and who of them sees what.
import type { Schemas } from "../../api/client";

export type Scope = "local" | "shared" | "global";
export const SCOPES: Scope[] = ["local", "shared", "global"];
export type Node = { path: string; name: string; depth: number; own: Record<Scope, number> };
export type Group = { author: string; scope: Scope; count: number };

const NONE = () => ({ local: 0, shared: 0, global: 0 });

/** Every node that wrote, and those above it, in the order of the tree. */
export function treeOf(wrote: readonly Pick<Schemas["Node"], "node" | "scopes">[], also: readonly string[] = []): Node[] {
  const found = new Map<string, Record<Scope, number>>([["/", NONE()]]);
  for (const path of [...also, ...wrote.map((one) => one.node)]) {
    const parts = path.split("/").filter(Boolean);
    parts.forEach((_, place) => {
      const above = `/${parts.slice(0, place + 1).join("/")}`;
      if (!found.has(above)) found.set(above, NONE());
    });
  }
  for (const one of wrote) found.set(one.node, { ...NONE(), ...one.scopes });
  return [...found]
    .map(([path, own]) => ({ path, own, name: path === "/" ? "/" : (path.split("/").at(-1) ?? path), depth: path === "/" ? 0 : path.split("/").length - 1 }))
    .sort((a, b) => (a.path === "/" ? -1 : b.path === "/" ? 1 : a.path.split("/").join("\u0000") < b.path.split("/").join("\u0000") ? -1 : 1));
}

const parent = (path: string) => path.slice(0, path.lastIndexOf("/")) || "/";

/** Whether what one node wrote with a scope reaches another. */
export function reaches(scope: Scope, author: string, reader: string): boolean {
  if (author === reader || scope === "global") return true;
  return scope === "shared" && ((reader !== "/" && parent(reader) === author) || (author !== "/" && parent(author) === reader));
}

/** What a node sees, by who wrote it with which scope. */
export const seenFrom = (nodes: readonly Node[], reader: string): Group[] =>
  nodes.flatMap((node) => SCOPES.map((scope) => ({ author: node.path, scope, count: node.own[scope] })).filter((one) => one.count > 0 && reaches(one.scope, one.author, reader)));

/** Why a node sees what another wrote with a scope. */
export function why(from: string, author: string, scope: Scope): string {
  if (from === author) return "its own";
  if (scope === "global") return "global: every node sees it";
  if (from !== "/" && parent(from) === author) return "inherited: its parent shared it";
  if (author !== "/" && parent(author) === from) return "shared by a child: one step up";
  return "shared one step";
}
