// Add a memory by hand: what it says, and if wanted its kind, tags and time.
import { useState } from "react";
import { useActs, type Added } from "../api/acts";
import { useWhose } from "../api/whose";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { ProblemNote } from "./ProblemNote";

const KINDS = ["note", "fact", "preference", "instruction", "event", "episode", "knowledge"];

export default function AddMemory({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Add a memory" open onClose={onClose} wide>
      <Form onClose={onClose} />
    </Dialog>
  );
}

function Form({ onClose }: { onClose: () => void }) {
  const { add } = useActs();
  const { actor_id } = useWhose();
  const [said, set] = useState<Added>({ text: "", kind: "note", tags: "", when: "", pin: false, learn: true });
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false });
  const change = (to: Partial<Added>) => set((was) => ({ ...was, ...to }));
  return (
    <form
      className="fields"
      onSubmit={(event) => {
        event.preventDefault();
        setState({ busy: true });
        add(said).then(onClose, (error: unknown) => setState({ busy: false, error }));
      }}
    >
      <label>
        What to remember
        <textarea
          rows={4}
          autoFocus
          value={said.text}
          placeholder="I take oat milk in my coffee."
          onChange={(event) => change({ text: event.target.value })}
          onKeyDown={(event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && said.text.trim() && event.currentTarget.form?.requestSubmit()}
        />
        <small>It becomes part of the memory of {actor_id}, and the next read finds it. Ctrl and Enter add it.</small>
      </label>
      <label className="check">
        <input type="checkbox" checked={said.learn} onChange={(event) => change({ learn: event.target.checked })} />
        Also learn the facts, preferences and instructions it states
      </label>
      <details className="more">
        <summary>Kind, tags and time</summary>
        <div className="columns">
          <label>
            Kind
            <select value={said.kind} onChange={(event) => change({ kind: event.target.value })}>
              {KINDS.map((kind) => (
                <option key={kind}>{kind}</option>
              ))}
            </select>
          </label>
          <label>
            Tags
            <input value={said.tags} placeholder="food, home" onChange={(event) => change({ tags: event.target.value })} />
          </label>
          <label>
            When it happened
            <input type="datetime-local" value={said.when} onChange={(event) => change({ when: event.target.value })} />
          </label>
        </div>
        <label className="check">
          <input type="checkbox" checked={said.pin} onChange={(event) => change({ pin: event.target.checked })} />
          Pin it: it neither fades nor can it be forgotten by accident
        </label>
      </details>
      {state.error !== undefined && <ProblemNote error={state.error} />}
      <footer>
        <Button onPress={onClose}>Cancel</Button>
        <Button look="main" type="submit" isDisabled={state.busy || !said.text.trim()}>
          Add
        </Button>
      </footer>
    </form>
  );
}
