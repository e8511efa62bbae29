// Inspector: everything about one memory.
import { useRef, useState } from "react";
import { useActs } from "../../api/acts";
import { useMay } from "../../api/caller";
import type { Memory } from "../../api/client";
import { useGone } from "../../api/gone";
import { asProblem } from "../../api/problem";
import { Button } from "../../parts/Button";
import { EditMemory } from "../../parts/EditMemory";
import { Empty } from "../../parts/Empty";
import { ForgetMemories } from "../../parts/ForgetMemories";
import { Icon } from "../../parts/Icon";
import { Loading } from "../../parts/Loading";
import { ProblemNote } from "../../parts/ProblemNote";
import { useShortcut } from "../../parts/shortcuts";
import { counted, Share, Tags, TierTag, When } from "../../parts/words";
import { go, Link, useSearch } from "../../route/router";
import type { ViewProps } from "../../route/views";
import { useRecord } from "./asking";
import { Breadcrumb } from "./Breadcrumb";
import { Copying, Future, Glyphs, Life, Links, Provenance, Recalls } from "./Cards";
import "./inspector.css";
import { Place } from "./Place";

export default function Inspector({ rest }: ViewProps) {
  const at = useSearch().get("at");
  return (
    <div className="inspector">
      {rest ? (
        <One id={rest} />
      ) : (
        <>
          <h1>Inspector</h1>
          <Finder key={at} at={at ?? ""} />
          {at ? (
            <Place what={at} />
          ) : (
            <Empty icon="eye" title="Everything about one memory">
              <p>
                Where it was learned, why it came back, how it changed and how it will fade. Open one from the{" "}
                <Link to="/memories">table of memories</Link>, or type its id, an address or a glyph above.
              </p>
            </Empty>
          )}
        </>
      )}
    </div>
  );
}

function Finder({ at }: { at: string }) {
  const field = useRef<HTMLInputElement>(null);
  useShortcut("/", "Find by id, address or glyph", () => field.current?.focus());
  return (
    <form
      className="finder"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const said = field.current?.value.trim() ?? "";
        const place = said.includes("#") || [...said].length === 1;
        if (said) place ? go("/inspect", { at: said }) : go(`/inspect/${encodeURIComponent(said)}`);
      }}
    >
      <label>
        <span className="visually-hidden">The id of a memory, an address, or a glyph</span>
        <input ref={field} defaultValue={at} placeholder="An id, an address, or a glyph" spellCheck={false} />
      </label>
      <Button type="submit" look="main">
        Inspect
      </Button>
    </form>
  );
}

function One({ id }: { id: string }) {
  const gone = useGone().get(id);
  const [going, forget] = useState<Memory[]>([]);
  return (
    <>
      {gone === "erased" ? <Gone>This memory was erased</Gone> : <Shown key={id} id={id} forget={(record) => forget([record])} />}
      <ForgetMemories records={going} open={going.length > 0} onClose={() => forget([])} onDone={() => go("/memories")} />
    </>
  );
}

/** Instead of a memory that was here and is not any more. */
function Gone({ children }: { children: string }) {
  return (
    <Empty icon="bin" title={children}>
      <p>
        Nothing of it is shown here any more. <Link to="/memories">Back to the memories</Link>
      </p>
    </Empty>
  );
}

function Shown({ id, forget }: { id: string; forget: (record: Memory) => void }) {
  const gone = useGone().get(id);
  const asked = useRecord(id);
  const acts = useActs();
  const mayWrite = useMay("write");
  const [editing, edit] = useState(false);
  const record = asked.data;
  const vitals = record?.vitals;
  useShortcut("e", "Correct this memory", () => edit(true), mayWrite && record !== undefined);
  useShortcut("p", "Pin this memory", () => record && void acts.pin(record), mayWrite && record !== undefined);
  useShortcut("m", "Never recall this memory", () => record && void acts.mute(record), mayWrite && record !== undefined);
  useShortcut("Delete", "Forget this memory", () => record && forget(record), mayWrite && record !== undefined);
  if (asked.error && asProblem(asked.error).status === 404 && (record || gone)) return <Gone>This memory was forgotten or erased</Gone>;
  if (asked.error)
    return (
      <>
        <ProblemNote error={asked.error} retry={() => void asked.refetch()} />
        <p>
          <Link to="/memories">Back to the memories</Link>
        </p>
      </>
    );
  if (!record) return <Loading lines={14} />;
  return (
    <article>
      <header className="one">
        <h1 className={vitals?.muted ? "text dim" : "text"}>{record.text}</h1>
        <p className="labels">
          <span className="tag">{record.kind}</span>
          <TierTag tier={vitals?.tier} archived={vitals?.archived_at} />
          {vitals?.pinned && (
            <span className="tag">
              <Icon name="pin" size={13} /> pinned
            </span>
          )}
          {vitals?.muted && (
            <span className="tag">
              <Icon name="mute" size={13} /> kept from recall
            </span>
          )}
          <Tags tags={record.tags} />
          <span className="small">
            {record.speaker ?? record.source}, <When at={record.occurred_at} /> · importance <Share value={vitals?.importance ?? 0.5} label="Importance" /> ·{" "}
            {vitals?.uses ? (
              <>
                recalled {counted(vitals.uses, "time")}, last <When at={vitals.used_at} relative />
              </>
            ) : (
              "not recalled yet"
            )}
          </span>
        </p>
        {mayWrite && (
          <div className="acts" role="toolbar" aria-label="What to do with this memory">
            <Button icon="edit" look="main" onPress={() => edit(true)}>
              Correct
            </Button>
            <Button icon="pin" onPress={() => void acts.pin(record)}>
              {vitals?.pinned ? "Unpin" : "Pin"}
            </Button>
            <Button icon="mute" onPress={() => void acts.mute(record)}>
              {vitals?.muted ? "Recall again" : "Never recall"}
            </Button>
            <Button icon="bin" look="danger" onPress={() => forget(record)}>
              Forget…
            </Button>
          </div>
        )}
      </header>
      <div className="cards">
        <Recalls record={record} />
        <Life record={record} />
        <Provenance record={record} />
        <Future record={record} />
        <Links id={id} />
        <Glyphs text={record.text} />
        <Copying record={record} />
      </div>
      <details className="address">
        <summary>Its address on the map of meaning</summary>
        <Breadcrumb address={record.address} />
      </details>
      <EditMemory record={editing ? record : null} onClose={() => edit(false)} />
    </article>
  );
}
