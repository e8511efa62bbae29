// What stands around every view: the views, whose memory it is, the theme, the keys.
import { Component, Suspense, useEffect, type ReactNode } from "react";
import { useCaller } from "../api/caller";
import { useFollowing } from "../api/following";
import { signOut, useToken } from "../api/session";
import { IconButton } from "../parts/Button";
import { Empty } from "../parts/Empty";
import { Icon } from "../parts/Icon";
import { Loading } from "../parts/Loading";
import { Notices } from "../parts/notices";
import { ProblemNote } from "../parts/ProblemNote";
import { Keys, useKeysDialog } from "../parts/shortcuts";
import { BASE, go, Link, usePath } from "../route/router";
import { VIEWS, viewOf } from "../route/views";
import { applyTheme, useTheme, type Theme } from "./theme";
import { Whose } from "./Whose";

const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const DRAWN = { system: "half", light: "sun", dark: "moon" } as const;

export function Shell() {
  useFollowing();
  const path = usePath();
  const found = viewOf(path);
  const [keysOpen, setKeysOpen] = useKeysDialog();
  const title = found?.view.title;
  useEffect(() => {
    if (path === "/") go(VIEWS[0]?.path ?? "/", {}, "replace");
  }, [path]);
  useEffect(() => {
    document.title = title ? `${title} · Foveal` : "Foveal memory console";
    // The list of views is wider than a narrow screen. Not `scrollIntoView`: the Tab key would begin from there.
    const here = document.querySelector(".views [aria-current]")?.getBoundingClientRect();
    const views = document.querySelector(".views");
    if (here && views) views.scrollLeft += here.left + here.width / 2 - views.clientWidth / 2;
  }, [title]);
  return (
    <div className="shell">
      <a className="skip" href="#view">
        Skip to the view
      </a>
      <header className="top">
        <Link to="/memories" className="brand" aria-label="Foveal, memories">
          <Icon name="eye" size={24} /> <span>Foveal</span>
        </Link>
        <Whose />
        <span className="spring" />
        <ThemeSwitch />
        <IconButton name="Keys (?)" icon="question" onClick={() => setKeysOpen(true)} />
        <Account />
      </header>
      <nav className="views" aria-label="Views">
        <ul>
          {VIEWS.map((view) => (
            <li key={view.path}>
              <Link to={view.path} aria-current={found?.view === view ? "page" : undefined} title={view.about}>
                <Icon name={view.icon} />
                <span>{view.title}</span>
              </Link>
            </li>
          ))}
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
      <Keys open={keysOpen} onClose={() => setKeysOpen(false)} />
    </div>
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
        Nothing is at <code>{BASE + path}</code>. <Link to="/memories">Go to the memories</Link>.
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
