// Settings: who I am, how this looks, keys, files, the index, and what the tiers may hold.
import { useQuery } from "@tanstack/react-query";
import { useCaller, useMay } from "../../api/caller";
import { answer, api } from "../../api/client";
import { signOut, useToken } from "../../api/session";
import { useWhose } from "../../api/whose";
import { applyTheme, useTheme, type Theme } from "../../app/theme";
import { Button } from "../../parts/Button";
import "../../style/sheet.css";
import { Files } from "./Files";
import { Keys } from "./Keys";
import { Reindex } from "./Reindex";
import "./settings.css";

const THEMES: [Theme, string][] = [
  ["system", "As the system says"],
  ["light", "Light"],
  ["dark", "Dark"],
];
const AUTH: Record<string, string> = { open: "open to this machine, without a key", keys: "open to whoever has a key", oidc: "open to whoever signs in at the issuer" };
const TIERS = ["L1 working", "L2 session", "L3 episodic", "L4 semantic"];

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

function Policies() {
  const at = useWhose();
  const held = useQuery({
    queryKey: ["records", at, "policies"],
    queryFn: async () => (await answer(api.GET("/v1/stats/tiers", { params: { query: at } }))) as Record<string, number | null>,
  }).data;
  return (
    <section className="panel" aria-labelledby="policies">
      <header>
        <h2 id="policies">Policies of the tiers</h2>
        <span className="small">
          Set in <code>memory_config.yaml</code> or the environment; <code>foveal config show --origin</code> tells where each value comes from.
        </span>
      </header>
      <div className="table-wrap" role="region" aria-label="Policies of the tiers" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Tier</th>
              <th scope="col">Holds at most</th>
              <th scope="col">Keeps for</th>
            </tr>
          </thead>
          <tbody>
            {TIERS.map((tier, place) => {
              const most = held?.[`max_l${place + 1}_size`];
              const hours = held?.[`l${place + 1}_retention_hours`];
              return (
                <tr key={tier}>
                  <td>{tier}</td>
                  <td>{held && (most == null ? "no bound" : `${most.toLocaleString()} ${place < 2 ? "of each session" : "of each actor"}`)}</td>
                  <td>{held && (hours == null ? "good" : hours >= 48 ? `${Math.round(hours / 24)} days` : `${hours} h`)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}
