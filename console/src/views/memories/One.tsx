// One row of the table.
import { memo, useState } from "react";
import type { Memory, Schemas } from "../../api/client";
import { IconButton } from "../../parts/Button";
import { Highlighted, nearMatch } from "../../parts/highlight";
import { Icon } from "../../parts/Icon";
import { Older, Relevance } from "../../parts/relevance";
import { Share, Tags, TierTag, When } from "../../parts/words";
import { go, Link } from "../../route/router";

export const pathOf = (record: Memory) => `/inspect/${encodeURIComponent(record.id)}`;

/** What a row tells the table. */
export type Heard = {
  focus: (place: number) => void;
  key: (event: React.KeyboardEvent, place: number) => void;
  select: (place: number, through: boolean) => void;
  edit: (record: Memory) => void;
  forget: (record: Memory) => void;
  pin: (record: Memory) => void;
  mute: (record: Memory) => void;
};

type Props = {
  record: Memory | undefined;
  relevance: number | undefined;
  replacedBy: string | null | undefined;
  place: number;
  top: number;
  height: number;
  active: boolean;
  chosen: boolean;
  heard: Heard;
  mayWrite: boolean;
  query: string;
};

export const One = memo(function One({ record, relevance, replacedBy, place, top, height, active, chosen, heard, mayWrite, query }: Props) {
  const [pointed, point] = useState(false);
  const vitals: Partial<Schemas["Vitals"]> = record?.vitals ?? {};
  const tab = active ? 0 : -1;
  const row = {
    role: "row",
    "aria-rowindex": place + 2,
    "data-place": place,
    style: { transform: `translateY(${top}px)`, height },
    tabIndex: tab,
    onFocus: () => heard.focus(place),
    onKeyDown: (event: React.KeyboardEvent) => heard.key(event, place),
  };
  if (!record)
    return (
      <div {...row} className="grid-row">
        <span role="gridcell" className="bone" aria-label="Loading" />
      </div>
    );
  return (
    <div
      {...row}
      aria-selected={chosen}
      className={`grid-row${chosen ? " chosen" : ""}${vitals.muted ? " dim" : ""}`}
      onPointerEnter={() => point(true)}
      onPointerLeave={() => point(false)}
      onDoubleClick={() => go(pathOf(record))}
    >
      <span role="gridcell">
        <input
          type="checkbox"
          aria-label={`Select: ${record.text.slice(0, 60)}`}
          checked={chosen}
          tabIndex={tab}
          onClick={(event) => heard.select(place, event.shiftKey)}
          onChange={() => undefined}
        />
      </span>
      <span role="gridcell" className="col-memory">
        {vitals.pinned && <Mark icon="pin" told="pinned" />}
        {vitals.muted && <Mark icon="mute" told="never recalled" />}
        <Link to={pathOf(record)} tabIndex={-1} title={record.text}>
          <Highlighted text={nearMatch(record.text, query)} query={query} />
        </Link>
        <Older by={replacedBy} />
        <Tags tags={record.tags} />
      </span>
      <span role="gridcell" className="col-kind">
        {record.kind}
      </span>
      <span role="gridcell" className="col-tier">
        <TierTag tier={vitals.tier} archived={vitals.archived_at} />
      </span>
      <span role="gridcell" className="col-weight">
        {relevance === undefined ? <Share value={vitals.importance ?? 0.5} label="Importance" /> : <Relevance value={relevance} />}
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
        {mayWrite && (pointed || active) && (
          <>
            <IconButton name="Correct" icon="edit" tabIndex={tab} onClick={() => heard.edit(record)} />
            <IconButton name={vitals.pinned ? "Unpin" : "Pin"} icon="pin" pressed={vitals.pinned} tabIndex={tab} onClick={() => heard.pin(record)} />
            <IconButton name={vitals.muted ? "Recall again" : "Never recall"} icon="mute" pressed={vitals.muted} tabIndex={tab} onClick={() => heard.mute(record)} />
            <IconButton name="Forget" icon="bin" tabIndex={tab} onClick={() => heard.forget(record)} />
          </>
        )}
      </span>
    </div>
  );
});

function Mark({ icon, told }: { icon: "pin" | "mute"; told: string }) {
  return (
    <span className="mark" title={told}>
      <Icon name={icon} size={15} />
      <span className="visually-hidden">{told}</span>
    </span>
  );
}
