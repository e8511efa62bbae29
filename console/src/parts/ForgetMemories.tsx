// Forget memories, which can be undone, or erase them for good, which cannot and gives a receipt.
import { useState } from "react";
import { useActs } from "../api/acts";
import type { Memory, Schemas } from "../api/client";
import { saved } from "../api/exporting";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { ProblemNote } from "./ProblemNote";
import { counted, When } from "./words";

type Receipt = Schemas["Forgotten"];
type Props = { records: Memory[]; open: boolean; onClose: () => void; onDone?: () => void };

export function ForgetMemories({ records, open, onClose, onDone }: Props) {
  const [receipt, setReceipt] = useState<Receipt | null>(null);
  const close = () => {
    setReceipt(null);
    onClose();
    if (receipt) onDone?.();
  };
  const title = receipt ? "Erased for good" : records.length === 1 ? "Forget this memory?" : `Forget ${records.length.toLocaleString()} memories?`;
  return (
    <Dialog title={title} open={open || receipt !== null} onClose={close} alert>
      {receipt ? <Erased receipt={receipt} onClose={close} /> : <Preview records={records} onClose={onClose} onDone={onDone} erased={setReceipt} />}
    </Dialog>
  );
}

const tally = (records: Memory[]) => {
  const found = new Map<string, number>();
  for (const one of records) found.set(one.kind ?? "note", (found.get(one.kind ?? "note") ?? 0) + 1);
  return [...found].sort((a, b) => b[1] - a[1]);
};

function Preview({ records, onClose, onDone, erased }: Omit<Props, "open"> & { erased: (receipt: Receipt) => void }) {
  const { forget, erase } = useActs();
  const [hard, setHard] = useState(false);
  const [sure, setSure] = useState(false);
  const [cascade, setCascade] = useState(false);
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false });
  const pinned = records.filter((one) => one.vitals?.pinned);
  const going = records.filter((one) => !one.vitals?.pinned);
  const used = going.filter((one) => (one.vitals?.uses ?? 0) > 0);
  const one = records.length === 1;
  const times = going.map((one) => one.occurred_at).sort();
  return (
    <>
      <ul className="consequences">
        <li>
          <b>{counted(going.length, "memory", "memories")}</b> will no longer be found by any read or search.
        </li>
        {going.length > 1 && (
          <li>
            {tally(going)
              .map(([kind, count]) => `${count.toLocaleString()} ${kind}`)
              .join(", ")}
            ; from <When at={times[0]} /> to <When at={times.at(-1)} />.
          </li>
        )}
        {used.length > 0 && (
          <li>
            {one ? (
              "It was recalled before: answers that rested on it may change."
            ) : (
              <>
                <b>{counted(used.length, "of them was", "of them were")}</b> recalled before: answers that rested on them may change.
              </>
            )}
          </li>
        )}
        {pinned.length > 0 && (
          <li>
            <b>{counted(pinned.length, "pinned memory", "pinned memories")}</b> will stay. Unpin first what should go.
          </li>
        )}
      </ul>
      <fieldset className="ways">
        <legend>How</legend>
        <label className="check">
          <input type="radio" name="how" checked={!hard} onChange={() => setHard(false)} />
          <span>
            <b>Forget</b> <small>You can take this back, now or later, from the journal.</small>
          </span>
        </label>
        <label className="check">
          <input type="radio" name="how" checked={hard} onChange={() => setHard(true)} />
          <span>
            <b>Erase for good</b> <small>Every version, its vectors, and the facts drawn only from it. Nobody can bring it back. You get a receipt.</small>
          </span>
        </label>
      </fieldset>
      <label className="check">
        <input type="checkbox" checked={cascade} onChange={(event) => setCascade(event.target.checked)} />
        Also {hard ? "erase" : "forget"} what lies below {one ? "it" : "them"}
      </label>
      {hard && (
        <label className="check">
          <input type="checkbox" checked={sure} onChange={(event) => setSure(event.target.checked)} />
          I know that this cannot be undone
        </label>
      )}
      {state.error !== undefined && <ProblemNote error={state.error} />}
      <footer>
        <Button onPress={onClose} autoFocus>
          Keep {one ? "it" : "them"}
        </Button>
        <Button
          look="danger"
          icon="bin"
          isDisabled={state.busy || going.length === 0 || (hard && !sure)}
          onPress={() => {
            setState({ busy: true });
            const ids = going.map((one) => one.id);
            const done = hard
              ? erase(ids, cascade).then(erased)
              : forget(ids, cascade).then(() => {
                  onClose();
                  onDone?.();
                });
            done.catch((error: unknown) => setState({ busy: false, error }));
          }}
        >
          {hard ? "Erase" : "Forget"} {counted(going.length, "memory", "memories")}
        </Button>
      </footer>
    </>
  );
}

const PARTS: Record<string, string> = {
  index_entries: "entries of the word index",
  answers: "cached answers",
  reads: "mentions in the log of reads",
  memberships: "places in groups",
};

/** What an erasure removed, to keep. */
function Erased({ receipt, onClose }: { receipt: Receipt; onClose: () => void }) {
  const removed = Object.entries(receipt.removed ?? {}).filter(([, count]) => count > 0);
  const text = JSON.stringify({ erased_at: new Date().toISOString(), ...receipt }, null, 2);
  return (
    <>
      <p>{counted(receipt.ids.length, "memory is", "memories are")} gone, and with {receipt.ids.length === 1 ? "it" : "them"}:</p>
      <dl className="receipt">
        {removed.map(([what, count]) => (
          <div key={what}>
            <dt>{PARTS[what] ?? what.replaceAll("_", " ")}</dt>
            <dd>{count.toLocaleString()}</dd>
          </div>
        ))}
      </dl>
      {receipt.lingers && <p className="small">A reader still holds a copy of the file. The bytes are gone when that reader ends.</p>}
      {(receipt.pinned?.length ?? 0) > 0 && <p className="small">{counted(receipt.pinned?.length ?? 0, "pinned memory", "pinned memories")} stayed.</p>}
      <p className="small">Backups and exports that were made before still contain it.</p>
      <footer>
        <Button icon="down" onPress={() => saved(`${text}\n`, "erased.json")}>
          Save the receipt
        </Button>
        <Button look="main" onPress={onClose} autoFocus>
          Done
        </Button>
      </footer>
    </>
  );
}
