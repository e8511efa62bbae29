// What was just done, told for a while at the foot of the page, with a way back.
import { useEffect, useState, useSyncExternalStore } from "react";
import { asProblem } from "../api/problem";
import { Button, IconButton } from "./Button";

type Notice = { id: number; text: string; undo?: () => Promise<unknown>; failed?: boolean };
const LASTS = 12_000;
let notices: Notice[] = [];
let last = 0;
const listeners = new Set<() => void>();
const set = (to: Notice[]) => {
  notices = to;
  for (const listener of listeners) listener();
};

/** Tell that something was done; `undo` takes it back. */
export function notify(text: string, undo?: () => Promise<unknown>): void {
  set([...notices.slice(-2), { id: ++last, text, undo }]);
}

/** Tell that something failed; it stays until it is closed. */
export function notifyFailure(error: unknown): void {
  const problem = asProblem(error);
  const request = problem.requestId ? ` (${problem.code}, request ${problem.requestId})` : ` (${problem.code})`;
  set([...notices.slice(-2), { id: ++last, text: problem.detail + request, failed: true }]);
}

const dismiss = (id: number) => set(notices.filter((one) => one.id !== id));

export function Notices() {
  const shown = useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, () => notices);
  return (
    <section className="notices" aria-label="Notices" aria-live="polite">
      {shown.map((one) => (
        <One key={one.id} notice={one} />
      ))}
    </section>
  );
}

function One({ notice }: { notice: Notice }) {
  const [held, hold] = useState(false);
  useEffect(() => {
    if (held || notice.failed) return;
    const timer = setTimeout(() => dismiss(notice.id), LASTS);
    return () => clearTimeout(timer);
  }, [held, notice]);
  return (
    <div
      className={notice.failed ? "notice failed" : "notice"}
      onMouseEnter={() => hold(true)}
      onMouseLeave={() => hold(false)}
      onFocus={() => hold(true)}
      onBlur={() => hold(false)}
    >
      <span>{notice.text}</span>
      {notice.undo && (
        <Button
          look="quiet"
          icon="undo"
          onPress={() => {
            dismiss(notice.id);
            notice.undo?.().then(() => notify("Taken back."), notifyFailure);
          }}
        >
          Undo
        </Button>
      )}
      <IconButton name="Close notice" icon="cross" onClick={() => dismiss(notice.id)} />
    </div>
  );
}
