// Forget memories, which can be undone, or erase them for good, which cannot and gives a receipt.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useActs } from "../api/acts";
import { answer, api, type Memory, type Schemas } from "../api/client";
import { saved } from "../api/exporting";
import { useWhose } from "../api/whose";
import { Link } from "../route/router";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { ProblemNote } from "./ProblemNote";
import { counted, Span, When } from "./words";

/** What an erasure removed, and how many memories were named for it; the rest went with them. */
type Receipt = Schemas["Forgotten"] & { named: number };
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

/** The memories that facts were read from, which do not go with them. */
function sourcesOf(records: Memory[]): string[] {
  const going = new Set(records.map((one) => one.id));
  const found = records.flatMap((one) => ((one.metadata ?? {}) as { fact?: { sources?: string[] } }).fact?.sources ?? []);
  return [...new Set(found)].filter((id) => !going.has(id));
}

function useSources(records: Memory[]): Memory[] {
  const at = useWhose();
  const ids = sourcesOf(records);
  const { data } = useQuery({
    queryKey: ["records", at, "sources", ids.join(" ")],
    queryFn: () => answer(api.POST("/v1/records:get", { body: { ...at, record_ids: ids, touch: false } })),
    enabled: ids.length > 0,
  });
  return data ?? [];
}

function Preview({ records, onClose, onDone, erased }: Omit<Props, "open"> & { erased: (receipt: Receipt) => void }) {
  const { forget, erase } = useActs();
  const [hard, setHard] = useState(false);
  const [sure, setSure] = useState(false);
  const [cascade, setCascade] = useState(false);
  const [words, setWords] = useState(false);
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false });
  const pinned = records.filter((one) => one.vitals?.pinned);
  const going = records.filter((one) => !one.vitals?.pinned);
  const sources = useSources(going);
  const named = words ? [...going, ...sources.filter((one) => !one.vitals?.pinned)] : going;
  const used = going.filter((one) => (one.vitals?.uses ?? 0) > 0);
  const one = records.length === 1;
  const times = going.map((one) => one.occurred_at).sort();
  return (
    <>
      <ul className="consequences">
        <li>
          <b>{counted(named.length, "memory", "memories")}</b> will no longer be found by any read or search.
        </li>
        {going.length > 1 && (
          <li>
            {tally(going)
              .map(([kind, count]) => `${count.toLocaleString()} ${kind}`)
              .join(", ")}
            ; <Span from={times[0]} to={times.at(-1)} />.
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
      {sources.length > 0 && (
        <div className="read-from">
          <p>{words ? `The words ${one ? "it was" : "they were"} read from go, too:` : `The words ${one ? "it was" : "they were"} read from stay, and may be quoted:`}</p>
          <ul>
            {sources.map((source) => (
              <li key={source.id}>
                <Link to={`/inspect/${encodeURIComponent(source.id)}`} onClick={onClose}>
                  <q>{source.text}</q>
                </Link>{" "}
                <span className="small">
                  {source.speaker ?? source.source}, <When at={source.occurred_at} />
                  {source.vitals?.pinned && ", pinned: it stays"}
                </span>
              </li>
            ))}
          </ul>
          <label className="check">
            <input type="checkbox" checked={words} onChange={(event) => setWords(event.target.checked)} />
            Also {hard ? "erase" : "forget"} these words, and the other facts that were read only from them
          </label>
        </div>
      )}
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
            const ids = named.map((one) => one.id);
            const done = hard
              ? erase(ids, cascade).then((receipt) => erased({ ...receipt, named: ids.filter((id) => receipt.ids.includes(id)).length }))
              : forget(ids, cascade).then(() => {
                  onClose();
                  onDone?.();
                });
            done.catch((error: unknown) => setState({ busy: false, error }));
          }}
        >
          {hard ? "Erase" : "Forget"} {counted(named.length, "memory", "memories")}
        </Button>
      </footer>
    </>
  );
}

const PARTS: Record<string, string> = {
  with_it: "memories drawn only from it, or below it",
  index_entries: "entries of the word index",
  answers: "cached answers",
  reads: "mentions in the log of reads",
  memberships: "places in groups",
};

/** What an erasure removed, to keep. */
function Erased({ receipt: { named, ...receipt }, onClose }: { receipt: Receipt; onClose: () => void }) {
  const removed = Object.entries({ with_it: receipt.ids.length - named, ...receipt.removed }).filter(([, count]) => count > 0);
  const text = JSON.stringify({ erased_at: new Date().toISOString(), ...receipt }, null, 2);
  return (
    <>
      <p>{counted(named, "memory is", "memories are")} gone, and with {named === 1 ? "it" : "them"}:</p>
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
