// What fails, as it happens.
import { useEffect, useState } from "react";
import { listen } from "../../api/events";
import { useToken } from "../../api/session";
import { Button } from "../../parts/Button";
import { fullMoment } from "../../parts/words";

const KEPT = 100;
type Fault = { component: string; code: string; severity: string; message: string; request_id?: string | null };
type Notice = { id: string; at: string; actor_id?: string; fault?: Fault };

const LOOKS: Record<string, string> = { info: "", warning: "busy", error: "bad", critical: "bad" };

export function Errors() {
  const key = useToken();
  const [live, setLive] = useState(false);
  const [heard, setHeard] = useState<Notice[]>([]);
  useEffect(
    () => listen("/v1/stream?kinds=error", (one) => one.event === "error" && setHeard((before) => [one.data as Notice, ...before].slice(0, KEPT)), setLive),
    [key],
  );
  return (
    <section className="panel" aria-labelledby="errors">
      <header>
        <h2 id="errors">Errors</h2>
        <span className={live ? "state good" : "state bad"}>{live ? "listening" : "not connected"}</span>
        <span className="spring" />
        {heard.length > 0 && (
          <Button look="quiet" icon="cross" onPress={() => setHeard([])}>
            Clear
          </Button>
        )}
      </header>
      <ul className="faults" aria-live="polite" aria-label="Errors, newest first">
        {heard.map((one) => (
          <li key={one.id}>
            <span className={`state ${LOOKS[one.fault?.severity ?? ""] ?? ""}`}>{one.fault?.severity ?? "error"}</span>
            <span>
              <b>{one.fault?.component}</b> {one.fault?.message}
              <br />
              <span className="small">
                {fullMoment(one.at)} · <code>{one.fault?.code}</code>
                {one.fault?.request_id && (
                  <>
                    {" · request "}
                    <code>{one.fault.request_id}</code>
                  </>
                )}
                {one.actor_id && ` · ${one.actor_id}`}
              </span>
            </span>
          </li>
        ))}
      </ul>
      {heard.length === 0 && <p className="small">Nothing failed since this page was opened. What fails from now on shows here by itself.</p>}
    </section>
  );
}
