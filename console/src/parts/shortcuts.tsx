// Keys that do something, and the list of them that `?` opens.
import { useEffect, useRef } from "react";
import { Dialog } from "./Dialog";

type Shortcut = { key: string; told: string };
const known = new Map<string, Shortcut>();

/** Whether keys go into a field. */
export const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null;

/** Do something on a key, anywhere on the page but in a field that is typed into. */
export function useShortcut(key: string, told: string, run: () => void, when = true): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    if (!when) return;
    known.set(key, { key, told });
    const heard = (event: KeyboardEvent) => {
      if (event.key !== key || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector("[role=dialog], [role=alertdialog]")) return;
      event.preventDefault();
      latest.current();
    };
    addEventListener("keydown", heard);
    return () => {
      removeEventListener("keydown", heard);
      known.delete(key);
    };
  }, [key, told, when]);
}

/** Name a key in the list that something else listens to. */
export function useNamedKeys(keys: Record<string, string>): void {
  const text = JSON.stringify(keys);
  useEffect(() => {
    const said = Object.entries(JSON.parse(text) as Record<string, string>);
    for (const [key, told] of said) known.set(key, { key, told });
    return () => {
      for (const [key] of said) known.delete(key);
    };
  }, [text]);
}

export function Keys({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog title="Keys" open={open} onClose={onClose}>
      <dl className="keys">
        {[...known.values()].sort((a, b) => Number(a.key.startsWith("g ")) - Number(b.key.startsWith("g "))).map((one) => (
          <div key={one.key}>
            <dt>
              <kbd>{one.key}</kbd>
            </dt>
            <dd>{one.told}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
