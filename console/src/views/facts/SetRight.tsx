// A person's word about a fact: it is wrong, it is outdated, or another says the same.
import { useState } from "react";
import { Button } from "../../parts/Button";
import { Dialog } from "../../parts/Dialog";
import { ProblemNote } from "../../parts/ProblemNote";
import { useCorrect, type Verdict } from "./asking";
import type { KnownFact } from "./groups";

type Props = { fact: KnownFact; facts: readonly KnownFact[]; onClose: () => void };

export function SetRight({ open, ...rest }: Props & { open: boolean }) {
  return (
    <Dialog title="Set it right" open={open} onClose={rest.onClose}>
      <Form {...rest} />
    </Dialog>
  );
}

function Form({ fact, facts, onClose }: Props) {
  const correct = useCorrect();
  const [verdict, setVerdict] = useState<Verdict["verdict"]>("wrong");
  const [value, setValue] = useState("");
  const [into, setInto] = useState("");
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false });
  const others = facts.filter((one) => one.id !== fact.id && one.kind === fact.kind && one.status === "current").sort((a, b) => Number(b.subject === fact.subject) - Number(a.subject === fact.subject));
  const ways: [Verdict["verdict"], string, string][] = [
    ["wrong", "It is wrong", "It was never so. What it had replaced holds again."],
    ["outdated", "It is outdated", "It was so, and no longer is. Questions about the past still find it."],
    ["merge", "Another fact says the same", "The two become one, with the sources of both."],
  ];
  return (
    <form
      className="fields"
      onSubmit={(event) => {
        event.preventDefault();
        setState({ busy: true });
        const said: Verdict = verdict === "merge" ? { verdict, into } : { verdict, value: value.trim() || undefined };
        correct(fact.id, said).then(onClose, (error: unknown) => setState({ busy: false, error }));
      }}
    >
      <blockquote className="quoted">{fact.text}</blockquote>
      <fieldset className="ways">
        <legend>What is the matter?</legend>
        {ways.map(([name, told, means]) => (
          <label className="check" key={name}>
            <input type="radio" name="verdict" checked={verdict === name} disabled={name === "merge" && others.length === 0} onChange={() => setVerdict(name)} />
            <span>
              <b>{told}</b> <small>{means}</small>
            </span>
          </label>
        ))}
      </fieldset>
      {verdict === "merge" ? (
        <label>
          The fact that says the same
          <select value={into} onChange={(event) => setInto(event.target.value)} required>
            <option value="">choose one</option>
            {others.map((one) => (
              <option key={one.id} value={one.id}>
                {one.text}
              </option>
            ))}
          </select>
        </label>
      ) : (
        <label>
          What is true instead
          <input value={value} onChange={(event) => setValue(event.target.value)} placeholder={fact.value} />
          <small>Leave it empty if you do not know. It takes the place of “{fact.value}”.</small>
        </label>
      )}
      {state.error !== undefined && <ProblemNote error={state.error} />}
      <p className="small">Your word outranks everything that was said before it, and can be taken back.</p>
      <footer>
        <Button onPress={onClose}>Cancel</Button>
        <Button look="main" type="submit" isDisabled={state.busy || (verdict === "merge" && !into)}>
          Set it right
        </Button>
      </footer>
    </form>
  );
}
