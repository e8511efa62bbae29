// The table of views: add a line here and a folder in `views/`.
import { lazy, type ComponentType, type LazyExoticComponent } from "react";
import type { IconName } from "../parts/Icon";

/** What a view is given: `rest` is what stands behind its path, decoded; `/inspect/abc` gives `abc`. */
export type ViewProps = { rest: string };
type Loaded = { default: ComponentType<ViewProps> };

/** The groups of the menu, in order. A view without a group stands above them; `hidden` ones are reached from others. */
export const GROUPS = ["Memory", "Agents", "System"] as const;
type Group = (typeof GROUPS)[number] | "top" | "hidden";

export type View = {
  path: string;
  title: string;
  icon: IconName;
  about: string;
  group: Group;
  /** The key that goes there after `g`. */
  key: string;
  Component: LazyExoticComponent<ComponentType<ViewProps>>;
};

const view = (group: Group, path: string, title: string, key: string, icon: IconName, about: string, load: () => Promise<Loaded>): View => ({
  group,
  path,
  title,
  key,
  icon,
  about,
  Component: lazy(load),
});

export const VIEWS: View[] = [
  view("top", "/overview", "Overview", "o", "home", "What is remembered, what changed, what was recalled, what needs attention", () => import("../views/overview")),
  view("Memory", "/memories", "Memories", "m", "list", "Everything that is remembered, and how to change it", () => import("../views/memories")),
  view("Memory", "/facts", "Facts", "f", "fact", "What is believed to be true, and why", () => import("../views/facts")),
  view("Memory", "/chat", "Chat", "c", "chat", "Talk to an agent with this memory", () => import("../views/chat")),
  view("Memory", "/lens", "Lens", "l", "lens", "What a model is given for a question, and why", () => import("../views/lens")),
  view("Memory", "/timeline", "Timeline", "t", "clock", "When things happened, and what happens now", () => import("../views/timeline")),
  view("Memory", "/glyphs", "Glyphs", "g", "glyph", "What is said again and again, as a map", () => import("../views/glyphs")),
  view("hidden", "/inspect", "Inspector", "i", "eye", "One memory by its id or address", () => import("../views/inspector")),
  view("Agents", "/scopes", "Scopes", "s", "tree", "The tree of agents, and what each sees", () => import("../views/scopes")),
  view("Agents", "/ledger", "Ledger", "e", "flag", "Goals, tasks, decisions, tool calls, metrics", () => import("../views/ledger")),
  view("Agents", "/crystals", "Crystals", "k", "crystal", "Work set aside, and how it continued", () => import("../views/crystals")),
  view("System", "/tiers", "Tiers", "r", "layers", "What is kept for how long, and what moved", () => import("../views/tiers")),
  view("System", "/health", "Health", "h", "pulse", "Whether the server works as it should", () => import("../views/health")),
  view("System", "/settings", "Settings", ",", "gear", "Budget, keys, import and export, appearance", () => import("../views/settings")),
];

export function viewOf(path: string): { view: View; rest: string } | null {
  const found = VIEWS.find((one) => path === one.path || path.startsWith(`${one.path}/`));
  return found ? { view: found, rest: decodeURIComponent(path.slice(found.path.length + 1)) } : null;
}
