// Forget memories, after a look at what that means; the notice that follows takes it back.
import { useState } from "react";
import { useActs } from "../api/acts";
import type { Memory } from "../api/client";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { ProblemNote } from "./ProblemNote";
import { counted, When } from "./words";

type Props = { records: Memory[]; open: boolean; onClose: () => void; onDone?: () => void };

export function ForgetMemories({ records, open, onClose, onDone }: Props) {
  return (
    <Dialog title={records.length === 1 ? "Forget this memory?" : `Forget ${records.length.toLocaleString()} memories?`} open={open} onClose={onClose} alert>
      <Preview records={records} onClose={onClose} onDone={onDone} />
    </Dialog>
  );
}

const tally = (records: Memory[]) => {
  const found = new Map<string, number>();
  for (const one of records) found.set(one.kind ?? "note", (found.get(one.kind ?? "note") ?? 0) + 1);
  return [...found].sort((a, b) => b[1] - a[1]);
};

function Preview({ records, onClose, onDone }: Omit<Props, "open">) {
  const { forget } = useActs();
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
        <li>You can take this back, now or later, from the journal.</li>
      </ul>
      <label className="check">
        <input type="checkbox" checked={cascade} onChange={(event) => setCascade(event.target.checked)} />
        Also forget what lies below {one ? "it" : "them"}
      </label>
      {state.error !== undefined && <ProblemNote error={state.error} />}
      <footer>
        <Button onPress={onClose} autoFocus>
          Keep {one ? "it" : "them"}
        </Button>
        <Button
          look="danger"
          icon="bin"
          isDisabled={state.busy || going.length === 0}
          onPress={() => {
            setState({ busy: true });
            forget(
              going.map((one) => one.id),
              cascade,
            ).then(
              () => {
                onClose();
                onDone?.();
              },
              (error: unknown) => setState({ busy: false, error }),
            );
          }}
        >
          Forget {counted(going.length, "memory", "memories")}
        </Button>
      </footer>
    </>
  );
}
