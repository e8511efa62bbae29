// Settings: who I am, how this looks, keys, files, the index, and what the tiers may hold.
import { useCaller, useMay } from "../../api/caller";
import { signOut, useToken } from "../../api/session";
import { applyTheme, useTheme, type Theme } from "../../app/theme";
import { Button } from "../../parts/Button";
import "../../style/sheet.css";
import { Files } from "./Files";
import { Keys } from "./Keys";
import { Policies } from "./Policies";
import { Reindex } from "./Reindex";
import "./settings.css";

const THEMES: [Theme, string][] = [
  ["system", "As the system says"],
  ["light", "Light"],
  ["dark", "Dark"],
];
const AUTH: Record<string, string> = { open: "open to this machine, without a key", keys: "open to whoever has a key", oidc: "open to whoever signs in at the issuer" };

export default function Settings() {
  const admin = useMay("admin");
  return (
    <section className="sheet settings" aria-labelledby="title">
      <header>
        <h1 id="title">Settings</h1>
      </header>
      <div className="halves">
        <Me />
        <Looks />
      </div>
      {admin && <Keys />}
      <Files />
      <Reindex />
      <Policies />
    </section>
  );
}

const listed = (names: string[] | null | undefined) => (names ? names.join(", ") || "none" : "any");

function Me() {
  const key = useToken();
  const caller = useCaller().data;
  if (!caller) return null;
  return (
    <section className="panel" aria-labelledby="me">
      <header>
        <h2 id="me">Who you are</h2>
        <span className="spring" />
        {key && (
          <Button icon="key" onPress={() => void signOut()}>
            Sign out
          </Button>
        )}
      </header>
      <dl className="facts">
        <dt>Name</dt>
        <dd>{caller.name}</dd>
        <dt>May</dt>
        <dd>{caller.rights.join(", ")}</dd>
        <dt>Actors</dt>
        <dd>{listed(caller.actors)}</dd>
        <dt>Worlds</dt>
        <dd>{listed(caller.worlds)}</dd>
        <dt>Server</dt>
        <dd>{AUTH[caller.auth] ?? caller.auth}</dd>
      </dl>
    </section>
  );
}

function Looks() {
  const now = useTheme();
  return (
    <fieldset className="panel looks">
      <legend className="visually-hidden">Theme</legend>
      <h2 aria-hidden="true">Theme</h2>
      {THEMES.map(([theme, told]) => (
        <label className="check" key={theme}>
          <input type="radio" name="theme" checked={now === theme} onChange={() => applyTheme(theme)} />
          {told}
        </label>
      ))}
    </fieldset>
  );
}
