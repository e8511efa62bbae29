// The table of memories: only the rows in sight are in the page, and the arrow keys walk through all.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useImperativeHandle, useMemo, useRef, useState, useSyncExternalStore, type Ref } from "react";
import type { useActs } from "../../api/acts";
import type { Memory } from "../../api/client";
import { useNamedKeys } from "../../parts/shortcuts";
import { go } from "../../route/router";
import { One, pathOf, type Heard } from "./One";
import { bandAround, bandFor, bandOf } from "./places";
import type { Row } from "./rows";
import { COLUMNS, pressed as pressedHead, type Column, type Sort } from "./sorting";
import { changedBy, EVERYTHING, has, NOTHING, size, type Selection } from "./selection";

const NARROW = matchMedia("(max-width: 800px)");
const useNarrow = () =>
  useSyncExternalStore(
    (listener) => {
      NARROW.addEventListener("change", listener);
      return () => NARROW.removeEventListener("change", listener);
    },
    () => NARROW.matches,
  );

export type Going = { to: (place: number) => void };
type Props = {
  row: (place: number) => Row | undefined;
  count: number;
  look: (first: number, last: number) => void;
  range: (first: number, last: number) => Promise<Memory[]>;
  /** Whether all can be selected at once, also what was never shown. */
  endless: boolean;
  selected: Selection;
  select: (to: Selection) => void;
  acts: ReturnType<typeof useActs>;
  edit: (record: Memory) => void;
  forget: (record: Memory | null) => void;
  mayWrite: boolean;
  going: Ref<Going>;
  /** What was searched for, to be marked in the texts. */
  query: string;
  sort: Sort | null;
  order: (said: string) => void;
};

export function Grid({ row, count: all, look, range, endless, selected, select, acts, edit, forget, mayWrite, going, query, sort, order }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const narrow = useNarrow();
  const height = narrow ? 84 : 44;
  const band = bandOf(height);
  const [said, setFrom] = useState(0);
  const from = Math.max(0, Math.min(said, all - band));
  const count = Math.min(all, band);
  /** The place to go to when the band that has it is laid out. */
  const bound = useRef<number | null>(null);
  const [active, setActive] = useState(0);
  const anchor = useRef(0);
  const virtual = useVirtualizer({ count, getScrollElement: () => frame.current, estimateSize: () => height, overscan: 8 });
  useEffect(() => virtual.measure(), [height, virtual]);
  const items = virtual.getVirtualItems();
  const [first, last] = [from + (items[0]?.index ?? 0), from + (items.at(-1)?.index ?? 0)];
  useEffect(() => look(first, last), [look, first, last]);
  useEffect(() => {
    const to = bandFor(from, first, last, all, band);
    if (to === from || bound.current !== null || !frame.current) return;
    setFrom(to);
    frame.current.scrollTop -= (to - from) * height;
  }, [from, first, last, all, band, height]);
  useEffect(() => {
    if (bound.current === null) return;
    const to = bound.current;
    bound.current = null;
    focus(to);
  }, [from]);
  useNamedKeys({
    "↑ ↓ Home End": "Walk through the rows",
    Enter: "Open the memory in the inspector",
    Space: "Select the row; with Shift, all up to it",
    ...(mayWrite && { e: "Correct the row", p: "Pin the row", m: "Never recall the row", Delete: "Forget the row, or what is selected" }),
  });

  const focus = (place: number) => {
    const to = Math.max(0, Math.min(all - 1, place));
    setActive(to);
    if (to < from || to >= from + count) {
      bound.current = to;
      return setFrom(bandAround(to, all, band));
    }
    virtual.scrollToIndex(to - from);
    requestAnimationFrame(() => frame.current?.querySelector<HTMLElement>(`[data-place="${to}"]`)?.focus());
  };
  useImperativeHandle(going, () => ({ to: focus }));
  const toggle = (place: number, through: boolean) => {
    const record = row(place)?.record;
    if (!record) return;
    const from = anchor.current;
    anchor.current = place;
    if (!through) return select(changedBy(selected, [record.id], !has(selected, record.id)));
    void range(Math.min(from, place), Math.max(from, place)).then((records) => select(changedBy(selected, records.map((one) => one.id), true)));
  };
  const pressed = (event: React.KeyboardEvent, place: number) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const record = row(place)?.record;
    const page = Math.floor((frame.current?.clientHeight ?? height) / height) - 1;
    const moves: Record<string, () => void> = {
      ArrowDown: () => focus(place + 1),
      ArrowUp: () => focus(place - 1),
      PageDown: () => focus(place + page),
      PageUp: () => focus(place - page),
      Home: () => focus(0),
      End: () => focus(all - 1),
    };
    const own: Record<string, () => void> = record ? { Enter: () => go(pathOf(record)), " ": () => toggle(place, event.shiftKey) } : {};
    const writes: Record<string, () => void> = record
      ? {
          e: () => edit(record),
          p: () => void acts.pin(record),
          m: () => void acts.mute(record),
          Delete: () => forget(size(selected, all) ? null : record),
        }
      : {};
    const onRow = event.target === event.currentTarget;
    const run = moves[event.key] ?? (onRow ? (own[event.key] ?? (mayWrite ? writes[event.key] : undefined)) : undefined);
    if (!run) return;
    event.preventDefault();
    run();
  };
  // The rows are drawn again only when they change: what they call is always the latest.
  const latest = useRef({ pressed, toggle });
  latest.current = { pressed, toggle };
  const heard = useMemo<Heard>(
    () => ({
      focus: setActive,
      key: (event, place) => latest.current.pressed(event, place),
      select: (place, through) => latest.current.toggle(place, through),
      edit,
      forget,
      pin: (record) => void acts.pin(record),
      mute: (record) => void acts.mute(record),
    }),
    [edit, forget, acts],
  );
  const chosen = size(selected, all);
  const every = all > 0 && chosen >= all;
  const selectAll = async () => {
    if (every) return select(NOTHING);
    if (endless) return select(EVERYTHING);
    select(changedBy(NOTHING, (await range(0, all - 1)).map((one) => one.id), true));
  };
  const cursor = Math.min(active, Math.max(0, all - 1));
  return (
    <div className="grid-frame" ref={frame}>
      <div className="grid" role="grid" aria-label="Memories" aria-rowcount={all + 1} aria-multiselectable="true">
        <div className="grid-head" role="row" aria-rowindex={1}>
          <span role="columnheader">
            <input
              type="checkbox"
              aria-label={`Select all ${all.toLocaleString()}`}
              checked={every}
              ref={(box) => {
                if (box) box.indeterminate = chosen > 0 && !every;
              }}
              onChange={() => void selectAll()}
            />
          </span>
          {(Object.keys(COLUMNS) as Column[]).map((name) => (
            <span role="columnheader" key={name} className={`col-${name}`} aria-sort={sort?.by === name ? (sort.down ? "descending" : "ascending") : undefined}>
              <button type="button" className="heading" onClick={() => order(pressedHead(sort, name))}>
                {name === "weight" ? (endless ? "Importance" : "Relevance") : COLUMNS[name]}
                <span aria-hidden="true">{sort?.by === name ? (sort.down ? " ↓" : " ↑") : ""}</span>
              </button>
            </span>
          ))}
          <span role="columnheader" className="col-actions">
            <span className="visually-hidden">Actions</span>
          </span>
        </div>
        <div role="rowgroup" className="grid-body" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const place = from + index;
            const known = row(place);
            return (
              <One
                key={place}
                record={known?.record}
                relevance={known?.relevance}
                replacedBy={known?.replaced_by}
                place={place}
                top={start}
                height={height}
                active={place === cursor}
                chosen={known !== undefined && has(selected, known.record.id)}
                heard={heard}
                mayWrite={mayWrite}
                query={query}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}
