// What stands around every view: the menu, whose memory it is, the palette, the theme, the keys.
import { Component, lazy, Suspense, useEffect, type ReactNode } from "react";
import { useCaller, useMay } from "../api/caller";
import { useFollowing } from "../api/following";
import { signOut, useToken } from "../api/session";
import { IconButton } from "../parts/Button";
import { Dialog } from "../parts/Dialog";
import { Empty } from "../parts/Empty";
import { Icon } from "../parts/Icon";
import { Loading } from "../parts/Loading";
import { Notices } from "../parts/notices";
import { ProblemNote } from "../parts/ProblemNote";
import { Keys, useShortcut } from "../parts/shortcuts";
import { BASE, go, Link, usePath } from "../route/router";
import { GROUPS, VIEWS, viewOf, type View } from "../route/views";
import { closeDialog, openDialog, useDialog } from "./dialogs";
import { useGoTo } from "./goto";
import { Palette } from "./Palette";
import { applyTheme, useTheme, type Theme } from "./theme";
import { Whose } from "./Whose";

const AddMemory = lazy(() => import("../parts/AddMemory"));
const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const DRAWN = { system: "half", light: "sun", dark: "moon" } as const;
const MAC = navigator.platform.startsWith("Mac");
/** The views that a phone has at hand; the rest is behind the last button. */
const AT_HAND = ["/overview", "/memories", "/chat", "/lens"];

export function Shell() {
  useFollowing();
  useGoTo();
  const path = usePath();
  const found = viewOf(path);
  const dialog = useDialog();
  const mayWrite = useMay("write");
  useShortcut("?", "Show these keys", () => openDialog("keys"));
  useShortcut("n", "Add a memory", () => openDialog("add"), mayWrite);
  const title = found?.view.title;
  useEffect(() => {
    if (path === "/") go(VIEWS[0]?.path ?? "/", {}, "replace");
  }, [path]);
  useEffect(() => {
    document.title = title ? `${title} · Foveal` : "Foveal memory console";
  }, [title]);
  return (
    <div className="shell">
      <a className="skip" href="#view">
        Skip to the view
      </a>
      <header className="top">
        <Link to="/overview" className="brand" aria-label="Foveal, overview">
          <Icon name="eye" size={24} /> <span>Foveal</span>
        </Link>
        <Whose />
        <span className="spring" />
        <button type="button" className="button finding" onClick={() => openDialog("palette")} aria-label="Search, or go anywhere">
          <Icon name="search" />
          <span className="wide-only">Search, or go anywhere</span>
          <kbd className="wide-only" aria-hidden="true">
            {MAC ? "⌘ K" : "Ctrl K"}
          </kbd>
        </button>
        <ThemeSwitch />
        <IconButton name="Keys (?)" icon="question" onClick={() => openDialog("keys")} />
        <Account />
      </header>
      <nav className="views" aria-label="Views">
        <Menu here={found?.view} />
      </nav>
      <nav className="at-hand" aria-label="Views at hand">
        <ul>
          {VIEWS.filter((view) => AT_HAND.includes(view.path)).map((view) => (
            <li key={view.path}>
              <Entry view={view} here={found?.view} />
            </li>
          ))}
          <li>
            <button type="button" onClick={() => openDialog("menu")} aria-haspopup="dialog">
              <Icon name="menu" />
              <span>More</span>
            </button>
          </li>
        </ul>
      </nav>
      <main id="view" tabIndex={-1}>
        <Boundary key={path}>
          <Suspense fallback={<Loading lines={12} />}>
            {found ? <found.view.Component rest={found.rest} /> : path !== "/" && <Nowhere path={path} />}
          </Suspense>
        </Boundary>
      </main>
      <Notices />
      <Keys open={dialog === "keys"} onClose={closeDialog} />
      <Dialog title="Views" open={dialog === "menu"} onClose={closeDialog}>
        <div className="views in-dialog">
          <Menu here={found?.view} onGo={closeDialog} />
        </div>
      </Dialog>
      <Palette open={dialog === "palette"} />
      <Suspense fallback={null}>
        {dialog === "add" && <AddMemory onClose={closeDialog} />}
      </Suspense>
    </div>
  );
}

type Where = { here: View | undefined; onGo?: () => void };

function Menu({ here, onGo }: Where) {
  const entries = (views: View[]) => (
    <ul>
      {views.map((view) => (
        <li key={view.path}>
          <Entry view={view} here={here} onGo={onGo} />
        </li>
      ))}
    </ul>
  );
  return (
    <>
      {entries(VIEWS.filter((view) => view.group === "top"))}
      {GROUPS.map((group) => (
        <section key={group} aria-label={group}>
          <p className="group" aria-hidden="true">
            {group}
          </p>
          {entries(VIEWS.filter((view) => view.group === group))}
        </section>
      ))}
    </>
  );
}

function Entry({ view, here, onGo }: Where & { view: View }) {
  return (
    <Link to={view.path} aria-current={here === view ? "page" : undefined} title={`${view.about} (g ${view.key})`} onClick={onGo}>
      <Icon name={view.icon} />
      <span>{view.title}</span>
    </Link>
  );
}

function ThemeSwitch() {
  const now = useTheme();
  return <IconButton name={`Theme: ${now}`} icon={DRAWN[now]} onClick={() => applyTheme(NEXT[now])} />;
}

function Account() {
  const key = useToken();
  const caller = useCaller().data;
  if (!key) return null;
  return <IconButton name={`Signed in as ${caller?.name ?? "a key"}: sign out`} icon="key" onClick={() => void signOut()} />;
}

function Nowhere({ path }: { path: string }) {
  return (
    <Empty icon="question" title="There is no such view">
      <p>
        Nothing is at <code>{BASE + path}</code>. <Link to="/overview">Go to the overview</Link>.
      </p>
    </Empty>
  );
}

class Boundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state = { error: null };
  static getDerivedStateFromError(error: unknown) {
    return { error };
  }
  override render() {
    return this.state.error === null ? this.props.children : <ProblemNote error={this.state.error} retry={() => location.reload()} />;
  }
}
