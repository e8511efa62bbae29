// The journal: what was done to memories, why, and the way back.
import { useState } from "react";
import { useActs } from "../../api/acts";
import { useMay } from "../../api/caller";
import { Button } from "../../parts/Button";
import { notify, notifyFailure } from "../../parts/notices";
import { fullMoment, When } from "../../parts/words";
import { Link, useSaid } from "../../route/router";
import { flowOf, PLACES, type Move } from "./flow";

const STEP = 50;

export function Journal({ moves, all }: { moves: Move[]; all: boolean }) {
  const [what, setWhat] = useSaid("what");
  const [who, setWho] = useSaid("who");
  const [shown, show] = useState(STEP);
  const found = moves.filter((one) => (!what || one.what === what) && (!who || one.who === who));
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
            {found.slice(0, shown).map((move) => (
              <Line key={move.id} move={move} />
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

function Line({ move }: { move: Move }) {
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
        <b>{move.what}</b>
        {flow && (
          <>
            <br />
            <span className="faint nowrap">
              {PLACES[flow[0]]} → {PLACES[flow[1]]}
            </span>
          </>
        )}
      </td>
      <td className="why">{move.why}</td>
      <td>
        {changes.slice(0, 2).map((one) => (
          <span key={one.record_id} className="block">
            <Link to={`/inspect/${one.record_id}`} className="mono">
              {one.record_id}
            </Link>
          </span>
        ))}
        {changes.length > 2 && <span className="faint">and {changes.length - 2} more</span>}
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
          <option key={one}>{one}</option>
        ))}
      </select>
    </label>
  );
}
