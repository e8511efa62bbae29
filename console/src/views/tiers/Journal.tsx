// The journal: what was done to memories, why, and the way back.
import { useState } from "react";
import { useActs } from "../../api/acts";
import { useMay } from "../../api/caller";
import { useTexts } from "../../api/texts";
import { Button } from "../../parts/Button";
import { reason, sentence, toldOf } from "../../parts/moves";
import { notify, notifyFailure } from "../../parts/notices";
import { fullMoment, When } from "../../parts/words";
import { Link, useSaid } from "../../route/router";
import { flowOf, PLACES, type Move } from "./flow";

const STEP = 50;
const NAMED = 2;

export function Journal({ moves, all }: { moves: Move[]; all: boolean }) {
  const [what, setWhat] = useSaid("what");
  const [who, setWho] = useSaid("who");
  const [shown, show] = useState(STEP);
  const found = moves.filter((one) => (!what || one.what === what) && (!who || one.who === who));
  const seen = found.slice(0, shown);
  const texts = useTexts([...new Set(seen.flatMap((one) => (one.changes ?? []).slice(0, NAMED).map((change) => change.record_id)))]).data;
  const values = (name: "what" | "who") => [...new Set(moves.map((one) => one[name]))].sort();
  return (
    <section className="panel" aria-labelledby="journal">
      <header>
        <h2 id="journal">Journal</h2>
        <span className="small" aria-live="polite">
          {found.length.toLocaleString()} {all ? "moves" : "of the newest moves"}
        </span>
        <span className="spring" />
        <Pick label="What" value={what} set={setWhat} options={values("what")} />
        <Pick label="Who" value={who} set={setWho} options={values("who")} />
      </header>
      <div className="table-wrap" role="region" aria-label="Moves, newest first" tabIndex={0}>
        <table className="journal">
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">What</th>
              <th scope="col">Why</th>
              <th scope="col">Memories</th>
              <th scope="col">
                <span className="visually-hidden">Take back</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {seen.map((move) => (
              <Line key={move.id} move={move} texts={texts} />
            ))}
          </tbody>
        </table>
      </div>
      {found.length > shown && (
        <div>
          <Button onPress={() => show(shown + STEP)}>Show {Math.min(STEP, found.length - shown)} more</Button>
        </div>
      )}
    </section>
  );
}

function Line({ move, texts }: { move: Move; texts: Map<string, string> | undefined }) {
  const { undo } = useActs();
  const may = useMay("write");
  const [busy, setBusy] = useState(false);
  const changes = move.changes ?? [];
  const first = changes[0];
  const flow = first && flowOf(first);
  const back = () => {
    setBusy(true);
    undo(move.id)
      .then((done) => notify(`Took back “${move.what}”.`, () => undo(done.id)), notifyFailure)
      .finally(() => setBusy(false));
  };
  return (
    <tr className={move.undone_at ? "undone" : undefined}>
      <td className="nowrap">
        <When at={move.at} />
        <br />
        <span className="faint">by {move.who}</span>
      </td>
      <td>
        <b>{sentence(move)}</b>
        {flow && (
          <>
            <br />
            <span className="faint nowrap">
              {PLACES[flow[0]]} → {PLACES[flow[1]]}
            </span>
          </>
        )}
      </td>
      <td className="why" title={move.why}>{reason(move.why)}</td>
      <td>
        {changes.slice(0, NAMED).map((one) => (
          <span key={one.record_id} className="block">
            <Link to={`/inspect/${encodeURIComponent(one.record_id)}`} title={one.record_id}>
              {texts?.get(one.record_id) ?? one.record_id}
            </Link>
          </span>
        ))}
        {changes.length > NAMED && <span className="faint">and {changes.length - NAMED} more</span>}
      </td>
      <td className="number">
        {move.undone_at ? (
          <span className="faint nowrap" title={fullMoment(move.undone_at)}>
            taken back
          </span>
        ) : (
          may && (
            <Button look="quiet" icon="undo" isDisabled={busy} onPress={back} aria-label={`Undo ${move.what} of ${first?.record_id ?? move.id}`}>
              Undo
            </Button>
          )
        )}
      </td>
    </tr>
  );
}

function Pick({ label, value, set, options }: { label: string; value: string; set: (to: string) => void; options: string[] }) {
  return (
    <label className={value ? "pick set" : "pick"}>
      <span>{label}</span>
      <select value={value} onChange={(event) => set(event.target.value)}>
        <option value="">any</option>
        {options.map((one) => (
          <option key={one} value={one}>
            {label === "What" ? toldOf(one) : one}
          </option>
        ))}
      </select>
    </label>
  );
}
