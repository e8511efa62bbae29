// The page that asks for a key.
import { useState } from "react";
import type { Problem } from "../api/problem";
import { drop, signIn } from "../api/session";
import { Button } from "../parts/Button";
import { Icon } from "../parts/Icon";
import { ProblemNote } from "../parts/ProblemNote";

/** `refused` is why who tried was not let in; a server that is `open` lets them in without a key, too. */
export function SignIn({ refused, open }: { refused: Problem | null; open: boolean }) {
  const [key, setKey] = useState("");
  return (
    <main className="door">
      <form
        className="card"
        onSubmit={(event) => {
          event.preventDefault();
          if (key.trim()) void signIn(key);
        }}
      >
        <h1>
          <Icon name="key" size={26} /> Sign in
        </h1>
        <p>{open ? "This memory is open to everyone on this machine, and to holders of a key." : "This memory is open to holders of a key."}</p>
        {refused && <ProblemNote error={refused} />}
        <label>
          Key
          <input
            type="password"
            name="key"
            autoComplete="off"
            spellCheck={false}
            placeholder="fov_…"
            value={key}
            onChange={(event) => setKey(event.target.value)}
            autoFocus
          />
        </label>
        <div className="row">
          <Button look="main" type="submit" isDisabled={!key.trim()}>
            Sign in
          </Button>
          {open && (
            <Button look="quiet" onPress={() => drop(null)}>
              Go on without a key
            </Button>
          )}
        </div>
        <p className="small">
          Who runs the server makes one with <code>foveal key add NAME --right read --right write</code>. The key stays in
          this tab and is gone when the tab is closed. The one-time token of <code>foveal console</code> signs in, too.
        </p>
      </form>
    </main>
  );
}
