// What was just done, told for a while below the view, which makes room for it, with a way back.
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { asProblem } from "../api/problem";
import { usePath } from "../route/router";
import { Button, IconButton } from "./Button";

type Notice = { id: number; text: string; since: number; undo?: () => Promise<unknown>; failed?: boolean };
const LASTS = 12_000;
/** What is told this long before the view changes was brought about by the same act, and stays. */
const TOGETHER = 1_000;
let notices: Notice[] = [];
let last = 0;
const listeners = new Set<() => void>();
const set = (to: Notice[]) => {
  notices = to;
  for (const listener of listeners) listener();
};

/** Tell that something was done; `undo` takes it back. */
export function notify(text: string, undo?: () => Promise<unknown>): void {
  set([...notices.slice(-2), { id: ++last, text, since: Date.now(), undo }]);
}

/** Tell that something failed; it stays until it is closed or the view changes. */
export function notifyFailure(error: unknown): void {
  const problem = asProblem(error);
  const request = problem.requestId ? ` (${problem.code}, request ${problem.requestId})` : ` (${problem.code})`;
  set([...notices.slice(-2), { id: ++last, text: problem.detail + request, since: Date.now(), failed: true }]);
}

const dismiss = (id: number) => set(notices.filter((one) => one.id !== id));

export function Notices() {
  const path = usePath();
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    set(notices.filter((one) => one.since > Date.now() - TOGETHER));
  }, [path]);
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
