// What one voice answers, how it came to it, and the memories it was given.
import type { Memory } from "../../api/client";
import { useGone } from "../../api/gone";
import { Icon } from "../../parts/Icon";
import { ProblemNote } from "../../parts/ProblemNote";
import { counted } from "../../parts/words";
import { Sources } from "./Sources";
import type { Voice } from "./talk";

export function Said({ voice, name, question, wrong }: {
  voice: Voice;
  name: string;
  question: string;
  wrong?: (one: Memory) => void;
}) {
  const { answer } = voice;
  const gone = useGone();
  const erased = answer?.sources?.some((id) => gone.get(id) === "erased") ?? false;
  return (
    <article className="said" aria-label={name} aria-busy={voice.state === "speaking"}>
      <h3>{name}</h3>
      <p className="words">
        {erased ? "This answer rested on a memory that was erased." : voice.text}
        {voice.state === "speaking" && <span className="caret" aria-hidden="true" />}
      </p>
      {voice.state === "speaking" && !voice.text && <p className="small">Thinking…</p>}
      {voice.state === "stopped" && <p className="small">Stopped before the end.</p>}
      {voice.state === "failed" && <ProblemNote error={voice.error} />}
      {answer && <How voice={voice} />}
      {answer?.context && wrong && <Sources items={answer.context.items} nothing={answer.context.receipt.nothing_relevant} question={question} wrong={wrong} />}
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
    <div className="extractive small">
      <Icon name="alert" size={16} />
      <div>
        {/* The words mostly say why themselves. */}
        {answer.text.includes(answer.degraded) ? "No model said this." : `No model said this: ${answer.degraded}.`}
        {(answer.sources?.length ?? 0) > 0 && " The answer is memories, word for word."}
        <Connect />
      </div>
    </div>
  );
}

/** How to let a model speak. */
export function Connect() {
  return (
    <details className="connect">
      <summary>Connect a model</summary>
      <p>Any server that speaks the protocol of OpenAI will do. Stop this one, and start it again with the address and the name of the model:</p>
      <pre>{`# on this machine, with Ollama
FOVEAL_LLM=http://127.0.0.1:11434/v1#llama3.2 foveal console

# elsewhere, with a key
FOVEAL_LLM=https://HOST/v1#MODEL FOVEAL_LLM_KEY=… foveal console`}</pre>
      <p>What is recalled goes to that server with each question. Everything else stays here.</p>
    </details>
  );
}
