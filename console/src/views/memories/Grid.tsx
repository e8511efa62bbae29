// The table of memories: only the rows in sight are in the page, and the arrow keys walk through all.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { useActs } from "../../api/acts";
import type { Memory, Schemas } from "../../api/client";
import { IconButton } from "../../parts/Button";
import { Icon } from "../../parts/Icon";
import { useNamedKeys } from "../../parts/shortcuts";
import { Share, Tags, TierTag, When } from "../../parts/words";
import { go, Link } from "../../route/router";
import type { Row } from "./rows";

const NARROW = matchMedia("(max-width: 800px)");
const useNarrow = () =>
  useSyncExternalStore(
    (listener) => {
      NARROW.addEventListener("change", listener);
      return () => NARROW.removeEventListener("change", listener);
    },
    () => NARROW.matches,
  );

type Props = {
  rows: Row[];
  total: number;
  more: boolean;
  fetching: boolean;
  next: () => void;
  selected: ReadonlySet<string>;
  select: (to: ReadonlySet<string>) => void;
  acts: ReturnType<typeof useActs>;
  edit: (record: Memory) => void;
  forget: (records: Memory[]) => void;
  mayWrite: boolean;
};

export const pathOf = (record: Memory) => `/inspect/${encodeURIComponent(record.id)}`;

export function Grid({ rows, total, more, fetching, next, selected, select, acts, edit, forget, mayWrite }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const narrow = useNarrow();
  const height = narrow ? 84 : 44;
  const [active, setActive] = useState(0);
  const anchor = useRef(0);
  const virtual = useVirtualizer({
    count: rows.length + (more ? 1 : 0),
    getScrollElement: () => frame.current,
    estimateSize: () => height,
    overscan: 12,
    getItemKey: (place) => rows[place]?.record.id ?? "more",
  });
  useEffect(() => virtual.measure(), [height, virtual]);
  const items = virtual.getVirtualItems();
  const lastShown = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (more && !fetching && lastShown >= rows.length - 40) next();
  }, [more, fetching, lastShown, rows.length, next]);
  useNamedKeys({
    "↑ ↓": "Walk through the rows",
    Enter: "Open the memory in the inspector",
    Space: "Select the row; with Shift, all up to it",
    ...(mayWrite && { e: "Correct the row", p: "Pin the row", m: "Never recall the row", Delete: "Forget the row, or what is selected" }),
  });

  const focus = (place: number) => {
    const to = Math.max(0, Math.min(rows.length - 1, place));
    setActive(to);
    virtual.scrollToIndex(to);
    requestAnimationFrame(() => frame.current?.querySelector<HTMLElement>(`[data-place="${to}"]`)?.focus());
  };
  const toggle = (place: number, through: boolean) => {
    const to = new Set(selected);
    const [first, last] = through ? [Math.min(anchor.current, place), Math.max(anchor.current, place)] : [place, place];
    const on = through || !to.has(rows[place]?.record.id ?? "");
    for (const row of rows.slice(first, last + 1)) on ? to.add(row.record.id) : to.delete(row.record.id);
    anchor.current = place;
    select(to);
  };
  const pressed = (event: React.KeyboardEvent, place: number) => {
    const record = rows[place]?.record;
    if (!record || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.floor((frame.current?.clientHeight ?? height) / height) - 1;
    const moves: Record<string, () => void> = {
      ArrowDown: () => focus(place + 1),
      ArrowUp: () => focus(place - 1),
      PageDown: () => focus(place + page),
      PageUp: () => focus(place - page),
      Home: () => focus(0),
      End: () => focus(rows.length - 1),
    };
    const own: Record<string, () => void> = { Enter: () => go(pathOf(record)), " ": () => toggle(place, event.shiftKey) };
    const writes: Record<string, () => void> = {
      e: () => edit(record),
      p: () => void acts.pin(record),
      m: () => void acts.mute(record),
      Delete: () => forget(selected.size ? rows.filter((row) => selected.has(row.record.id)).map((row) => row.record) : [record]),
    };
    const onRow = event.target === event.currentTarget;
    const run = moves[event.key] ?? (onRow ? (own[event.key] ?? (mayWrite ? writes[event.key] : undefined)) : undefined);
    if (!run) return;
    event.preventDefault();
    run();
  };
  const all = rows.length > 0 && selected.size >= rows.length;
  const cursor = Math.min(active, Math.max(0, rows.length - 1));
  return (
    <div className="grid-frame" ref={frame}>
      <div className="grid" role="grid" aria-label="Memories" aria-rowcount={total + 1} aria-multiselectable="true">
        <div className="grid-head" role="row" aria-rowindex={1}>
          <span role="columnheader">
            <input
              type="checkbox"
              aria-label="Select all rows that are loaded"
              checked={all}
              ref={(box) => {
                if (box) box.indeterminate = selected.size > 0 && !all;
              }}
              onChange={() => select(all ? new Set() : new Set(rows.map((row) => row.record.id)))}
            />
          </span>
          {["Memory", "Kind", "Tier", "Weight", "By", "Happened", "Recalled", "Actions"].map((name) => (
            <span role="columnheader" key={name} className={`col-${name.toLowerCase()}`}>
              {name === "Actions" ? <span className="visually-hidden">{name}</span> : name}
            </span>
          ))}
        </div>
        <div role="rowgroup" className="grid-body" style={{ height: virtual.getTotalSize() }}>
          {items.map((item) => {
            const row = rows[item.index];
            const place = { transform: `translateY(${item.start}px)`, height };
            if (!row)
              return (
                <div key={item.key} role="row" className="grid-row" style={place}>
                  <span role="gridcell" className="bone" aria-label="Loading more" />
                </div>
              );
            return (
              <One
                key={item.key}
                row={row}
                place={item.index}
                style={place}
                active={item.index === cursor}
                chosen={selected.has(row.record.id)}
                onFocus={() => setActive(item.index)}
                onKeyDown={(event) => pressed(event, item.index)}
                onSelect={(through) => toggle(item.index, through)}
                acts={acts}
                edit={edit}
                forget={forget}
                mayWrite={mayWrite}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

type OneProps = Pick<Props, "acts" | "edit" | "forget" | "mayWrite"> & {
  row: Row;
  place: number;
  style: React.CSSProperties;
  active: boolean;
  chosen: boolean;
  onFocus: () => void;
  onKeyDown: (event: React.KeyboardEvent) => void;
  onSelect: (through: boolean) => void;
};

function One({ row, place, style, active, chosen, onFocus, onKeyDown, onSelect, acts, edit, forget, mayWrite }: OneProps) {
  const { record, score } = row;
  const vitals: Partial<Schemas["Vitals"]> = record.vitals ?? {};
  const tab = active ? 0 : -1;
  return (
    <div
      role="row"
      aria-rowindex={place + 2}
      aria-selected={chosen}
      data-place={place}
      className={`grid-row${chosen ? " chosen" : ""}${vitals.muted || vitals.archived_at ? " dim" : ""}`}
      style={style}
      tabIndex={tab}
      onFocus={onFocus}
      onKeyDown={onKeyDown}
      onDoubleClick={() => go(pathOf(record))}
    >
      <span role="gridcell">
        <input
          type="checkbox"
          aria-label={`Select: ${record.text.slice(0, 60)}`}
          checked={chosen}
          tabIndex={tab}
          onClick={(event) => onSelect(event.shiftKey)}
          onChange={() => undefined}
        />
      </span>
      <span role="gridcell" className="col-memory">
        {vitals.pinned && <Mark icon="pin" told="pinned" />}
        {vitals.muted && <Mark icon="mute" told="never recalled" />}
        <Link to={pathOf(record)} tabIndex={-1} title={record.text}>
          {record.text}
        </Link>
        {vitals.archived_at && <span className="tag">archived</span>}
        <Tags tags={record.tags} />
      </span>
      <span role="gridcell" className="col-kind">
        {record.kind}
      </span>
      <span role="gridcell" className="col-tier">
        <TierTag tier={vitals.tier} />
      </span>
      <span role="gridcell" className="col-weight">
        {score === undefined ? <Share value={vitals.importance ?? 0.5} label="Importance" /> : <span title="Score of the search">{score.toFixed(2)}</span>}
      </span>
      <span role="gridcell" className="col-by">
        {record.speaker ?? record.source}
      </span>
      <span role="gridcell" className="col-happened">
        <When at={record.occurred_at} />
      </span>
      <span role="gridcell" className="col-recalled">
        <When at={vitals.used_at} relative />
      </span>
      <span role="gridcell" className="col-actions">
        {mayWrite && (
          <>
            <IconButton name="Correct" icon="edit" tabIndex={tab} onClick={() => edit(record)} />
            <IconButton name={vitals.pinned ? "Unpin" : "Pin"} icon="pin" pressed={vitals.pinned} tabIndex={tab} onClick={() => void acts.pin(record)} />
            <IconButton name={vitals.muted ? "Recall again" : "Never recall"} icon="mute" pressed={vitals.muted} tabIndex={tab} onClick={() => void acts.mute(record)} />
            <IconButton name="Forget" icon="bin" tabIndex={tab} onClick={() => forget([record])} />
          </>
        )}
      </span>
    </div>
  );
}

function Mark({ icon, told }: { icon: "pin" | "mute"; told: string }) {
  return (
    <span className="mark" title={told}>
      <Icon name={icon} size={15} />
      <span className="visually-hidden">{told}</span>
    </span>
  );
}
