// Put a crystal back: the window that an agent goes on with, as messages to copy.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api } from "../../api/client";
import { useWhose } from "../../api/whose";
import { Button } from "../../parts/Button";
import { Dialog } from "../../parts/Dialog";
import { notify, notifyFailure } from "../../parts/notices";
import { ProblemNote } from "../../parts/ProblemNote";
import { counted } from "../../parts/words";

export function Resume({ id, open, onClose }: { id: string; open: boolean; onClose: () => void }) {
  return (
    <Dialog title="Resume from this crystal" open={open} onClose={onClose} wide>
      <Asked id={id} onClose={onClose} />
    </Dialog>
  );
}

function Asked({ id, onClose }: { id: string; onClose: () => void }) {
  const at = useWhose();
  const queries = useQueryClient();
  const [most, setMost] = useState("8000");
  const done = useMutation({
    mutationFn: () => answer(api.POST("/v1/crystals/{crystal_id}/resume", { params: { path: { crystal_id: id } }, body: { ...at, max_tokens: Number(most) } })),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ["records"] }),
  });
  const turns = done.data?.window.turns ?? [];
  const tokens = turns.reduce((sum, one) => sum + (one.tokens ?? 0), 0);
  const messages = JSON.stringify(turns.map((one) => ({ role: one.role, content: one.content })), null, 2);
  return (
    <form
      className="fields"
      onSubmit={(event) => {
        event.preventDefault();
        done.mutate();
      }}
    >
      <label>
        At most so many tokens
        <input type="number" min={1} required value={most} onChange={(event) => setMost(event.target.value)} autoFocus />
        <small>What must be preserved comes first, then what is required, then the summary.</small>
      </label>
      {done.error && <ProblemNote error={done.error} />}
      {done.data && (
        <div className="resumed" aria-live="polite">
          <p>
            A window of <b>{counted(turns.length, "turn")}</b> and {counted(tokens, "token")}
            {done.data.left_out?.length ? `; ${counted(done.data.left_out.length, "fragment")} did not fit` : "; everything fits"}.
          </p>
          <pre tabIndex={0} aria-label="Messages to go on with">
            {messages}
          </pre>
        </div>
      )}
      <footer>
        <Button onPress={onClose}>Close</Button>
        {done.data && (
          <Button icon="copy" onPress={() => navigator.clipboard.writeText(messages).then(() => notify("Copied the messages."), notifyFailure)}>
            Copy the messages
          </Button>
        )}
        <Button look="main" type="submit" icon="play" isDisabled={done.isPending}>
          Resume
        </Button>
      </footer>
    </form>
  );
}
