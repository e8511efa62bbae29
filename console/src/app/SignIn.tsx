// The page that asks for a key.
import { useState } from "react";
import type { Problem } from "../api/problem";
import { signIn, useToken } from "../api/session";
import { Button } from "../parts/Button";
import { Icon } from "../parts/Icon";
import { ProblemNote } from "../parts/ProblemNote";

export function SignIn({ error }: { error: Problem }) {
  const tried = useToken();
  const [key, setKey] = useState("");
  return (
    <main className="door">
      <form
        className="card"
        onSubmit={(event) => {
          event.preventDefault();
          if (key.trim()) signIn(key);
        }}
      >
        <h1>
          <Icon name="key" size={26} /> Sign in
        </h1>
        <p>This memory is open to holders of a key.</p>
        {tried && <ProblemNote error={error} />}
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
        <Button look="main" type="submit" isDisabled={!key.trim()}>
          Sign in
        </Button>
        <p className="small">
          Who runs the server makes one with <code>foveal key add NAME --right read --right write</code>. The key stays in
          this tab and is gone when the tab is closed.
        </p>
      </form>
    </main>
  );
}
