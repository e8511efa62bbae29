// Whose memory is looked at: the actor, the world they are in, the node they look from.
import { useState } from "react";
import { useActors } from "../api/actors";
import { useCaller } from "../api/caller";
import { useWhose } from "../api/whose";
import { Button } from "../parts/Button";
import { Dialog } from "../parts/Dialog";
import { Icon } from "../parts/Icon";
import { useShortcut } from "../parts/shortcuts";
import { closeDialog, openDialog, useDialog } from "./dialogs";
import { go, usePath } from "../route/router";

export function Whose() {
  const { actor_id: actor, world, node } = useWhose();
  const open = useDialog() === "whose";
  useShortcut("w", "Choose whose memory", () => openDialog("whose"));
  return (
    <>
      <Button look="plain" className="whose" aria-label={`Whose memory: ${actor}, world ${world}, node ${node}`} onPress={() => openDialog("whose")}>
        <Icon name="person" />
        <b>{actor}</b>
        <span className="faint wide-only">
          {world} {node}
        </span>
      </Button>
      <Dialog title="Whose memory" open={open} onClose={closeDialog}>
        <Choose actor={actor} world={world} node={node} onDone={closeDialog} />
      </Dialog>
    </>
  );
}

function Choose({ actor, world, node, onDone }: { actor: string; world: string; node: string; onDone: () => void }) {
  const path = usePath();
  // What stands behind the view is of the other memory.
  const view = path.split("/").slice(0, 2).join("/");
  const caller = useCaller().data;
  const [said, set] = useState({ actor, world, node });
  const known = useActors().data ?? [];
  const actors = caller?.actors ?? [...new Set(known.map((one) => one.actor_id))];
  const worlds = caller?.worlds ?? [...new Set(known.map((one) => one.world))];
  const field = (name: keyof typeof said) => ({
    value: said[name],
    onChange: (event: React.ChangeEvent<HTMLInputElement>) => set({ ...said, [name]: event.target.value }),
  });
  return (
    <form
      className="fields"
      onSubmit={(event) => {
        event.preventDefault();
        go(view, said);
        onDone();
      }}
    >
      {known.length > 0 && (
        <ul className="known" aria-label="Memories there are">
          {known.slice(0, 50).map((one) => (
            <li key={`${one.world}/${one.actor_id}`}>
              <Button
                look={one.actor_id === said.actor && one.world === said.world ? "main" : "plain"}
                onPress={() => {
                  go(view, { actor: one.actor_id, world: one.world, node: "/" });
                  onDone();
                }}
              >
                {one.actor_id}
                <span className="in-world"> in {one.world}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      <label>
        Actor
        <input {...field("actor")} list="actors" required autoFocus autoComplete="off" />
        <small>Whose memory it is: a person, or what an agent works for.</small>
      </label>
      <label>
        World
        <input {...field("world")} list="worlds" required autoComplete="off" />
        <small>The tenant. Worlds never see each other.</small>
      </label>
      <label>
        Node
        <input {...field("node")} required autoComplete="off" />
        <small>The agent that looks: from / everything shared upwards is seen, from /a/b what that agent sees.</small>
      </label>
      <datalist id="actors">
        {actors.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <datalist id="worlds">
        {worlds.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <footer>
        <Button onPress={onDone}>Cancel</Button>
        <Button look="main" type="submit">
          Show this memory
        </Button>
      </footer>
    </form>
  );
}
