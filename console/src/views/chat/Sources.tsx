// The memories that an answer rests on: the best first, few of them, each to be corrected where it stands.
import { useState } from "react";
import { useActs } from "../../api/acts";
import { useMay } from "../../api/caller";
import type { Memory } from "../../api/client";
import { useGone } from "../../api/gone";
import { Button, IconButton } from "../../parts/Button";
import { ProblemNote } from "../../parts/ProblemNote";
import { Older, percent } from "../../parts/relevance";
import { counted, When } from "../../parts/words";
import { Link } from "../../route/router";
import { countingOf } from "./counting";
import type { Item } from "./talk";

type Props = { items: Item[]; nothing: boolean | undefined; question: string; wrong: (one: Memory) => void };

export function Sources({ items, nothing, question, wrong }: Props) {
  const [all, setAll] = useState(false);
  const { counting, rest } = countingOf(items);
  if (!items.length) return <p className="small">Nothing found: no memory is likely to help with this.</p>;
  return (
    <div className="used">
      <p className="small">
        {nothing
          ? `Nothing found that is likely to help. ${counted(items.length, "memory was", "memories were")} given for another reason, such as being recent.`
          : "It rests on these memories, the most telling first."}{" "}
        <Link to="/lens" said={{ q: question, budget: "2048" }}>
          Why these?
        </Link>
      </p>
      <ol>
        {(all ? [...counting, ...rest] : counting).map((item) => (
          <Source key={item.record.id} item={item} wrong={wrong} />
        ))}
      </ol>
      {rest.length > 0 && (
        <Button look="quiet" aria-expanded={all} onPress={() => setAll(!all)}>
          {all ? "Fewer" : `${rest.length} more were given`}
        </Button>
      )}
    </div>
  );
}

function Source({ item, wrong }: { item: Item; wrong: (one: Memory) => void }) {
  const [record, setRecord] = useState(item.record);
  const [editing, edit] = useState(false);
  const mayWrite = useMay("write");
  const gone = useGone().get(record.id);
  if (gone) return <li className="source small">This memory was {gone}.</li>;
  if (editing)
    return (
      <li className="source">
        <Correction
          record={record}
          done={(text) => {
            if (text !== null) setRecord({ ...record, text, version: (record.version ?? 1) + 1 });
            edit(false);
          }}
        />
      </li>
    );
  return (
    <li className="source">
      <div>
        <Link to={`/inspect/${encodeURIComponent(record.id)}`}>{record.text}</Link> <Older by={item.replaced_by} />
        <span className="small how">
          {item.relevance < 0.01 && item.zone !== "relevant" ? item.zone : `${percent(item.relevance)} likely to help`} · {record.speaker ?? record.source}, <When at={record.occurred_at} />
        </span>
      </div>
      {mayWrite && (
        <span className="source-acts">
          <IconButton name={`Correct: ${record.text}`} icon="edit" onClick={() => edit(true)} />
          <IconButton name={`Wrong memory: ${record.text}`} icon="flag" onClick={() => wrong(record)} />
        </span>
      )}
    </li>
  );
}

/** Say what is true, where the wrong words stand. */
function Correction({ record, done }: { record: Memory; done: (text: string | null) => void }) {
  const { supersede } = useActs();
  const [text, setText] = useState(record.text);
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false });
  const save = () => {
    setState({ busy: true });
    supersede(record, text.trim()).then(
      () => done(text.trim()),
      (error: unknown) => setState({ busy: false, error }),
    );
  };
  const ready = !state.busy && text.trim() !== "" && text !== record.text;
  return (
    <form
      className="correction"
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) save();
      }}
    >
      <label>
        <span className="small">What is true</span>
        <textarea
          rows={2}
          autoFocus
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") done(null);
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && ready) save();
          }}
        />
      </label>
      {state.error !== undefined && <ProblemNote error={state.error} />}
      <span className="row">
        <Button look="main" type="submit" isDisabled={!ready}>
          Correct
        </Button>
        <Button look="quiet" onPress={() => done(null)}>
          Cancel
        </Button>
      </span>
    </form>
  );
}
