// The nodes of a memory, found among the memories that can be seen.
import type { Memory } from "../../api/client";

export type Scope = "local" | "shared" | "global";
export const SCOPES: Scope[] = ["local", "shared", "global"];
export type Node = { path: string; name: string; depth: number; own: Record<Scope, number> };

const NONE = () => ({ local: 0, shared: 0, global: 0 });

/** Every node that wrote one of the memories, and those above it, in the order of the tree. */
export function nodesOf(records: Memory[], also: string[] = []): Node[] {
  const found = new Map<string, Record<Scope, number>>([["/", NONE()]]);
  const known = (path: string) => {
    const parts = path.split("/").filter(Boolean);
    parts.forEach((_, place) => {
      const above = `/${parts.slice(0, place + 1).join("/")}`;
      if (!found.has(above)) found.set(above, NONE());
    });
    return found.get(parts.length ? `/${parts.join("/")}` : "/");
  };
  for (const path of also) known(path);
  for (const one of records) {
    const own = known(one.node ?? "/");
    const scope = one.scope ?? "local";
    if (own && scope !== "inherited") own[scope] += 1;
  }
  return [...found]
    .map(([path, own]) => ({ path, own, name: path === "/" ? "/" : (path.split("/").at(-1) ?? path), depth: path === "/" ? 0 : path.split("/").length - 1 }))
    .sort((a, b) => (a.path === "/" ? -1 : b.path === "/" ? 1 : a.path.split("/").join("\u0000") < b.path.split("/").join("\u0000") ? -1 : 1));
}

const parent = (path: string) => path.slice(0, path.lastIndexOf("/")) || "/";

/** Why a node sees what another wrote with a scope. */
export function why(from: string, author: string, scope: Scope): string {
  if (from === author) return "its own";
  if (scope === "global") return "global: every node sees it";
  if (from !== "/" && parent(from) === author) return "inherited: its parent shared it";
  if (author !== "/" && parent(author) === from) return "shared by a child: one step up";
  return "shared one step";
}
