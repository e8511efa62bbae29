// The command palette: type to go to a view, do something, or find a memory.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import { Dialog as AriaDialog, Modal, ModalOverlay } from "react-aria-components";
import { useMay } from "../api/caller";
import { answer, api } from "../api/client";
import { useWhose } from "../api/whose";
import { Icon, type IconName } from "../parts/Icon";
import { go } from "../route/router";
import { VIEWS } from "../route/views";
import { closeDialog, openDialog } from "./dialogs";
import { applyTheme } from "./theme";
import { matches } from "./matching";

type Entry = { id: string; group: string; icon: IconName; name: string; about?: string; keys?: string; run: () => void };

const PAUSE = 200;
const FOUND = 6;

function useCommands(): Entry[] {
  const mayWrite = useMay("write");
  const views = VIEWS.map((view) => ({ id: view.path, group: "Go to", icon: view.icon, name: view.title, about: view.about, keys: `g ${view.key}`, run: () => go(view.path) }));
  const acts: Entry[] = [
    { id: "whose", group: "Do", icon: "person", name: "Choose whose memory", keys: "w", run: () => openDialog("whose") },
    { id: "light", group: "Do", icon: "sun", name: "Light theme", run: () => applyTheme("light") },
    { id: "dark", group: "Do", icon: "moon", name: "Dark theme", run: () => applyTheme("dark") },
    { id: "system", group: "Do", icon: "half", name: "Theme of the system", run: () => applyTheme("system") },
    { id: "keys", group: "Do", icon: "question", name: "Show the keys", keys: "?", run: () => openDialog("keys") },
  ];
  const add: Entry = { id: "add", group: "Do", icon: "plus", name: "Add a memory", keys: "n", run: () => openDialog("add") };
  return [...views, ...(mayWrite ? [add] : []), ...acts];
}

/** Memories for what was typed, once typing pauses. */
function useFound(typed: string) {
  const at = useWhose();
  const [query, ask] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => ask(typed.trim().length > 1 ? typed.trim() : ""), PAUSE);
    return () => clearTimeout(timer);
  }, [typed]);
  return useQuery({
    queryKey: ["records", at, "palette", query],
    queryFn: ({ signal }) => answer(api.POST("/v1/search", { body: { ...at, query, k: FOUND, touch: false }, signal })),
    enabled: query !== "",
    placeholderData: keepPreviousData,
  });
}

function useEntries(typed: string): Entry[] {
  const found = useFound(typed);
  const commands = useCommands().filter((one) => matches(`${one.name} ${one.about ?? ""}`, typed));
  const query = typed.trim();
  if (query.length < 2) return commands;
  const hits: Entry[] = (found.data ?? []).map(({ record }) => ({
    id: record.id,
    group: "Memories",
    icon: "list",
    name: record.text,
    run: () => go(`/inspect/${encodeURIComponent(record.id)}`),
  }));
  const asks: Entry[] = [
    { id: "search", group: "Ask", icon: "search", name: `Search the memories for “${query}”`, run: () => go("/memories", { q: query }) },
    { id: "lens", group: "Ask", icon: "lens", name: `See what a model would be given for “${query}”`, run: () => go("/lens", { q: query }) },
  ];
  // An address, a glyph or an id is looked up as it is.
  if (/^\S+$/.test(query) && (/[#\d]/.test(query) || [...query].length === 1))
    asks.push({ id: "inspect", group: "Ask", icon: "eye", name: `Inspect “${query}”`, run: () => (query.includes("#") || [...query].length === 1 ? go("/inspect", { at: query }) : go(`/inspect/${encodeURIComponent(query)}`)) });
  return [...commands, ...hits, ...asks];
}

export function Palette({ open }: { open: boolean }) {
  return (
    <ModalOverlay className="overlay at-top" isOpen={open} onOpenChange={(is) => !is && closeDialog()} isDismissable>
      <Modal className="modal palette">
        <AriaDialog aria-label="Search, or go anywhere" className="palette-body">
          <Chooser />
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

function Chooser() {
  const [typed, type] = useState("");
  const [place, point] = useState(0);
  const entries = useEntries(typed);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const here = Math.min(place, entries.length - 1);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [here, entries.length]);
  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    closeDialog();
    entry.run();
  };
  const moves: Record<string, () => void> = {
    ArrowDown: () => point((here + 1) % Math.max(1, entries.length)),
    ArrowUp: () => point((here + entries.length - 1) % Math.max(1, entries.length)),
    Enter: () => run(entries[here]),
  };
  const groups = [...new Set(entries.map((one) => one.group))];
  return (
    <>
      <div className="palette-field">
        <Icon name="search" />
        <input
          autoFocus
          type="text"
          role="combobox"
          aria-label="Search, or go anywhere"
          aria-expanded="true"
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={entries[here] ? `${id}-${here}` : undefined}
          placeholder="Search memories, or go to a view"
          value={typed}
          onChange={(event) => {
            type(event.target.value);
            point(0);
          }}
          onKeyDown={(event) => {
            const move = event.nativeEvent.isComposing ? undefined : moves[event.key];
            if (!move) return;
            event.preventDefault();
            move();
          }}
        />
        <kbd aria-hidden="true">Esc</kbd>
      </div>
      <div className="palette-list" role="listbox" id={id} aria-label="What to do" ref={list} tabIndex={-1}>
        {groups.map((group) => (
          <div role="group" aria-label={group} key={group}>
            <p className="palette-group" aria-hidden="true">
              {group}
            </p>
            {entries.map((entry, number) =>
              entry.group !== group ? null : (
                <div
                  key={entry.id}
                  id={`${id}-${number}`}
                  role="option"
                  aria-selected={number === here}
                  className="palette-entry"
                  onPointerMove={() => point(number)}
                  onClick={() => run(entry)}
                >
                  <Icon name={entry.icon} />
                  <span className="palette-name">{entry.name}</span>
                  {entry.about && <span className="palette-about">{entry.about}</span>}
                  {entry.keys && <kbd>{entry.keys}</kbd>}
                </div>
              ),
            )}
          </div>
        ))}
        {entries.length === 0 && <p className="small palette-none">Nothing is called that.</p>}
      </div>
    </>
  );
}
