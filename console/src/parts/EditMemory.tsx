// Correct a memory: a new version is written, the old one stays in its history.
import { useState } from "react";
import { useActs } from "../api/acts";
import type { Memory } from "../api/client";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { ProblemNote } from "./ProblemNote";

export function EditMemory({ record, onClose }: { record: Memory | null; onClose: () => void }) {
  return (
    <Dialog title="Correct this memory" open={record !== null} onClose={onClose} wide>
      {record && <Form record={record} onClose={onClose} />}
    </Dialog>
  );
}

function Form({ record, onClose }: { record: Memory; onClose: () => void }) {
  const { supersede } = useActs();
  const [text, setText] = useState(record.text);
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false });
  return (
    <form
      className="fields"
      onSubmit={(event) => {
        event.preventDefault();
        setState({ busy: true });
        supersede(record, text).then(onClose, (error: unknown) => setState({ busy: false, error }));
      }}
    >
      <label>
        What is true
        <textarea
          rows={6}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && text.trim() && text !== record.text && event.currentTarget.form?.requestSubmit()}
          autoFocus
        />
        <small>
          This writes version {(record.version ?? 1) + 1}. Version {record.version ?? 1} stays in the history and can be brought back. Ctrl and Enter write it.
        </small>
      </label>
      {state.error !== undefined && <ProblemNote error={state.error} />}
      <footer>
        <Button onPress={onClose}>Cancel</Button>
        <Button look="main" type="submit" isDisabled={state.busy || !text.trim() || text === record.text}>
          Write the new version
        </Button>
      </footer>
    </form>
  );
}
