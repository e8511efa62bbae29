// What the tiers may hold and for how long: tried out here, as the lines that the server reads when it starts.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api } from "../../api/client";
import { useWhose } from "../../api/whose";
import { Button } from "../../parts/Button";
import { notify, notifyFailure } from "../../parts/notices";
import { linesOf, NAMES, problemIn, type Bounds } from "./lines";

export function Policies() {
  const at = useWhose();
  const held = useQuery({
    queryKey: ["records", at, "policies"],
    queryFn: async () => (await answer(api.GET("/v1/stats/tiers", { params: { query: at } }))) as Record<string, number | null>,
  }).data;
  const now: Bounds[] = NAMES.map((_, place) => ({ capacity: held?.[`max_l${place + 1}_size`] ?? null, retention_hours: held?.[`l${place + 1}_retention_hours`] ?? null }));
  const [said, say] = useState<Record<string, string>>({});
  const wanted = now.map((bounds, place) => ({
    capacity: read(said[`capacity ${place}`], bounds.capacity),
    retention_hours: read(said[`retention_hours ${place}`], bounds.retention_hours),
  }));
  const lines = linesOf(now, wanted);
  const wrong = problemIn(wanted);
  const field = (name: keyof Bounds, place: number, label: string) => {
    const key = `${name} ${place}`;
    const known = now[place]?.[name];
    return (
      <input
        type="number"
        min={1}
        step={name === "capacity" ? 1 : "any"}
        aria-label={label}
        placeholder={name === "capacity" ? "no bound" : "for good"}
        value={said[key] ?? (known == null ? "" : String(known))}
        onChange={(event) => say({ ...said, [key]: event.target.value })}
      />
    );
  };
  return (
    <section className="panel" aria-labelledby="policies">
      <header>
        <h2 id="policies">Policies of the tiers</h2>
        <span className="small">
          The server reads them once, when it starts. Change a number to see the lines that would set it.
        </span>
      </header>
      <div className="table-wrap" role="region" aria-label="Policies of the tiers" tabIndex={0}>
        <table className="bounds">
          <thead>
            <tr>
              <th scope="col">Tier</th>
              <th scope="col">Holds at most</th>
              <th scope="col">Keeps for hours</th>
            </tr>
          </thead>
          <tbody>
            {NAMES.map((tier, place) => (
              <tr key={tier}>
                <th scope="row">{tier}</th>
                <td>
                  {field("capacity", place, `${tier} holds at most`)} <span className="faint">{place < 2 ? "of each session" : "of each actor"}</span>
                </td>
                <td>
                  {field("retention_hours", place, `${tier} keeps for hours`)} <span className="faint">{days(wanted[place]?.retention_hours)}</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div aria-live="polite">
        {wrong ? (
          <p className="state bad">{wrong}</p>
        ) : (
          lines && (
            <>
              <p className="small">
                Put this into <code>memory_config.yaml</code> where the server runs, and start it again. <code>foveal config show --origin</code> tells where each value comes from.
              </p>
              <pre data-testid="lines">{lines}</pre>
              <div className="row">
                <Button icon="copy" onPress={() => void navigator.clipboard.writeText(lines).then(() => notify("Copied the lines."), notifyFailure)}>
                  Copy
                </Button>
                <Button look="quiet" onPress={() => say({})}>
                  As it is now
                </Button>
              </div>
            </>
          )
        )}
      </div>
    </section>
  );
}

const read = (said: string | undefined, now: number | null): number | null => (said === undefined ? now : said.trim() === "" ? null : Number(said));

const days = (hours: number | null | undefined) => (hours == null ? "" : hours >= 48 ? `${Math.round(hours / 24)} days` : "");
