// What one voice answers, how it came to it, and the memories it was given.
import { useState } from "react";
import type { Memory } from "../../api/client";
import { Button, IconButton } from "../../parts/Button";
import { Icon } from "../../parts/Icon";
import { ProblemNote } from "../../parts/ProblemNote";
import { Older, percent } from "../../parts/relevance";
import { counted, fullMoment } from "../../parts/words";
import { Link } from "../../route/router";
import type { Item, Voice } from "./talk";

const FIRST = 5;

export function Said({ voice, name, question, wrong }: {
  voice: Voice;
  name: string;
  question: string;
  wrong?: (one: Memory) => void;
}) {
  const { answer } = voice;
  return (
    <article className="said" aria-label={name} aria-busy={voice.state === "speaking"}>
      <h3>{name}</h3>
      <p className="words">
        {voice.text}
        {voice.state === "speaking" && <span className="caret" aria-hidden="true" />}
      </p>
      {voice.state === "speaking" && !voice.text && <p className="small">Thinking…</p>}
      {voice.state === "stopped" && <p className="small">Stopped before the end.</p>}
      {voice.state === "failed" && <ProblemNote error={voice.error} />}
      {answer && <How voice={voice} />}
      {answer?.context && wrong && <Used items={answer.context.items} nothing={answer.context.receipt.nothing_relevant} question={question} wrong={wrong} />}
    </article>
  );
}

function How({ voice }: { voice: Voice }) {
  const answer = voice.answer;
  if (!answer) return null;
  if (!answer.extractive)
    return (
      <p className="small">
        Said by {answer.model || "the model"}
        {answer.context ? `, given ${counted(answer.context.tokens, "token")} of memory` : ", given nothing to remember"}.
      </p>
    );
  return (
    <p className="extractive small">
      <Icon name="alert" size={16} />
      <span>
        No model said this: {answer.degraded}. {answer.context && "The answer is memories, word for word. "}
        To let one speak, start the server with <code>FOVEAL_LLM=http://host/v1#model</code>.
      </span>
    </p>
  );
}

function Used({ items, nothing, question, wrong }: {
  items: Item[];
  nothing: boolean | undefined;
  question: string;
  wrong: (one: Memory) => void;
}) {
  const [all, setAll] = useState(false);
  const sorted = [...items].sort((a, b) => b.relevance - a.relevance);
  if (!sorted.length) return <p className="small">Nothing found: no memory is likely to help with this.</p>;
  return (
    <div className="used">
      <p className="small">
        {nothing
          ? `Nothing found that is likely to help. ${counted(items.length, "memory was", "memories were")} given for another reason, such as being recent.`
          : `${counted(items.length, "memory", "memories")} recalled for this, best first.`}{" "}
        <Link to="/lens" said={{ q: question, budget: "2048" }}>
          Why these?
        </Link>
      </p>
      <ul>
        {(all ? sorted : sorted.slice(0, FIRST)).map(({ record, relevance, replaced_by, zone }) => (
          <li key={record.id} className="chip">
            <span className="how">{relevance < 0.01 && zone !== "relevant" ? zone : percent(relevance)}</span>
            <Older by={replaced_by} />
            <Link to={`/inspect/${encodeURIComponent(record.id)}`} title={`${record.text}\n${fullMoment(record.occurred_at)}`}>
              {record.text}
            </Link>
            <IconButton name={`Wrong memory: ${record.text}`} icon="flag" onClick={() => wrong(record)} />
          </li>
        ))}
      </ul>
      {!all && sorted.length > FIRST && (
        <Button look="quiet" onPress={() => setAll(true)}>
          {sorted.length - FIRST} more
        </Button>
      )}
    </div>
  );
}
