// Ask before something is done; a failure is shown where it was asked.
import { useState, type ReactNode } from "react";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import type { IconName } from "./Icon";
import { ProblemNote } from "./ProblemNote";

type Props = {
  title: string;
  open: boolean;
  onClose: () => void;
  /** Throws when it fails: the dialog stays and shows why. */
  run: () => Promise<unknown>;
  act: string;
  icon?: IconName;
  look?: "danger" | "main";
  disabled?: boolean;
  children: ReactNode;
};

export function Confirm({ title, open, onClose, ...rest }: Props) {
  return (
    <Dialog title={title} open={open} onClose={onClose} alert>
      <Asked onClose={onClose} {...rest} />
    </Dialog>
  );
}

function Asked({ onClose, run, act, icon, look = "danger", disabled, children }: Omit<Props, "title" | "open">) {
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false });
  return (
    <>
      {children}
      {state.error !== undefined && <ProblemNote error={state.error} />}
      <footer>
        <Button onPress={onClose} autoFocus>
          Cancel
        </Button>
        <Button
          look={look}
          icon={icon}
          isDisabled={state.busy || disabled}
          onPress={() => {
            setState({ busy: true });
            run().then(onClose, (error: unknown) => setState({ busy: false, error }));
          }}
        >
          {act}
        </Button>
      </footer>
    </>
  );
}
