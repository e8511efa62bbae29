// The table of views: add a line here and a folder in `views/`.
import { lazy, type ComponentType, type LazyExoticComponent } from "react";
import type { IconName } from "../parts/Icon";

/** What a view is given: `rest` is what stands behind its path, decoded; `/inspect/abc` gives `abc`. */
export type ViewProps = { rest: string };
type Loaded = { default: ComponentType<ViewProps> };

export type View = {
  path: string;
  title: string;
  icon: IconName;
  about: string;
  Component: LazyExoticComponent<ComponentType<ViewProps>>;
};

const view = (path: string, title: string, icon: IconName, about: string, load: () => Promise<Loaded>): View => ({
  path,
  title,
  icon,
  about,
  Component: lazy(load),
});

export const VIEWS: View[] = [
  view("/memories", "Memories", "list", "What is remembered, and how to change it", () => import("../views/memories")),
  view("/inspect", "Inspector", "eye", "Everything about one memory", () => import("../views/inspector")),
  view("/lens", "Lens", "lens", "What a model is given for a question, and why", () => import("../views/lens")),
  view("/chat", "Chat", "chat", "Talk to an agent with this memory", () => import("../views/chat")),
  view("/timeline", "Timeline", "clock", "When things happened, and what happens now", () => import("../views/timeline")),
  view("/glyphs", "Glyphs", "glyph", "The map of families of phrases", () => import("../views/glyphs")),
  view("/tiers", "Tiers", "layers", "How full the tiers are, and what moved between them", () => import("../views/tiers")),
  view("/scopes", "Scopes", "tree", "The tree of nodes, and what each sees", () => import("../views/scopes")),
  view("/crystals", "Crystals", "crystal", "Work put aside, and how it went on", () => import("../views/crystals")),
  view("/ledger", "Ledger", "flag", "Goals, tasks, decisions, patterns", () => import("../views/ledger")),
  view("/health", "Health", "pulse", "How the server is", () => import("../views/health")),
  view("/settings", "Settings", "gear", "Keys, files, theme", () => import("../views/settings")),
];

export function viewOf(path: string): { view: View; rest: string } | null {
  const found = VIEWS.find((one) => path === one.path || path.startsWith(`${one.path}/`));
  return found ? { view: found, rest: decodeURIComponent(path.slice(found.path.length + 1)) } : null;
}
