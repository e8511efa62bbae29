// Make a key; its token is shown once, here.
import { useState } from "react";
import { answer, api } from "../../api/client";
import { Button } from "../../parts/Button";
import { Dialog } from "../../parts/Dialog";
import { notify, notifyFailure } from "../../parts/notices";
import { ProblemNote } from "../../parts/ProblemNote";

type Props = { open: boolean; onClose: () => void; onMade: () => void };
const RIGHTS = [
  ["read", "read what is remembered"],
  ["write", "write, change and forget"],
  ["admin", "administer: keys, reindex, the whole store"],
] as const;
type Right = (typeof RIGHTS)[number][0];

export function MakeKey({ open, onClose, onMade }: Props) {
  const [token, setToken] = useState<string | null>(null);
  const close = () => {
    setToken(null);
    onClose();
  };
  return (
    <Dialog title={token ? "Your new key" : "Make a key"} open={open} onClose={close}>
      {token ? <Shown token={token} onClose={close} /> : <Form onClose={close} onMade={(made) => { setToken(made); onMade(); }} />}
    </Dialog>
  );
}

const names = (text: FormDataEntryValue | null) => {
  const said = String(text ?? "").split(/[\s,]+/).filter(Boolean);
  return said.length ? said : null;
};

function Form({ onClose, onMade }: { onClose: () => void; onMade: (token: string) => void }) {
  const [rights, setRights] = useState<Right[]>(["read", "write"]);
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false });
  const submit = (said: FormData) => {
    setState({ busy: true });
    const until = said.get("until");
    const body = {
      name: String(said.get("name")).trim(),
      rights,
      actors: names(said.get("actors")),
      worlds: names(said.get("worlds")),
      expires_at: until ? new Date(`${String(until)}T23:59:59`).toISOString() : null,
    };
    answer(api.POST("/v1/keys", { body })).then(
      (made) => onMade((made as unknown as { token: string }).token),
      (error: unknown) => setState({ busy: false, error }),
    );
  };
  return (
    <form
      className="fields"
      onSubmit={(event) => {
        event.preventDefault();
        submit(new FormData(event.currentTarget));
      }}
    >
      <label>
        Name
        <input name="name" required autoFocus autoComplete="off" placeholder="laptop" />
        <small>So that you know later whose it is.</small>
      </label>
      <fieldset className="rights">
        <legend>It may</legend>
        {RIGHTS.map(([right, told]) => (
          <label key={right} className="check">
            <input type="checkbox" checked={rights.includes(right)} onChange={(event) => setRights(event.target.checked ? [...rights, right] : rights.filter((one) => one !== right))} />
            <span>{told}</span>
          </label>
        ))}
      </fieldset>
      <label>
        Only for these actors
        <input name="actors" autoComplete="off" placeholder="any" />
      </label>
      <label>
        Only in these worlds
        <input name="worlds" autoComplete="off" placeholder="any" />
      </label>
      <label>
        Until
        <input name="until" type="date" />
      </label>
      {state.error !== undefined && <ProblemNote error={state.error} />}
      <footer>
        <Button onPress={onClose}>Cancel</Button>
        <Button look="main" type="submit" icon="key" isDisabled={state.busy || rights.length === 0}>
          Make the key
        </Button>
      </footer>
    </form>
  );
}

function Shown({ token, onClose }: { token: string; onClose: () => void }) {
  return (
    <>
      <p>Copy it now: it is not kept anywhere, and cannot be shown again.</p>
      <code className="token" data-testid="token">
        {token}
      </code>
      <footer>
        <Button icon="copy" onPress={() => void navigator.clipboard.writeText(token).then(() => notify("Copied the key."), notifyFailure)}>
          Copy
        </Button>
        <Button look="main" onPress={onClose}>
          I have it
        </Button>
      </footer>
    </>
  );
}
