// Chat: talk to an agent with this memory, see what it recalled, and set right what is wrong.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useActs } from "../../api/acts";
import { useAsked } from "../../api/asked";
import { useMay } from "../../api/caller";
import { answer, api, type Memory } from "../../api/client";
import { useWhose } from "../../api/whose";
import { Button } from "../../parts/Button";
import { Empty } from "../../parts/Empty";
import { notify, notifyFailure } from "../../parts/notices";
import { useShortcut } from "../../parts/shortcuts";
import { useSaid } from "../../route/router";
import "./chat.css";
import { Connect, Said } from "./Said";
import { clear, recordsOf, setForgotten, stop, tell, useTurns, type Turn } from "./talk";
import { Wrong } from "./Wrong";

export default function Chat() {
  const at = useWhose();
  const turns = useTurns(at);
  const queries = useQueryClient();
  const mayWrite = useMay("write");
  const asked = useAsked();
  const [beside, setBeside] = useSaid("beside");
  const [wrong, setWrong] = useState<Memory | null>(null);
  const end = useRef<HTMLDivElement>(null);
  const latest = turns.at(-1);
  const speaking = latest?.remembering.state === "speaking" || latest?.forgetful?.state === "speaking";
  const length = (latest?.remembering.text.length ?? 0) + (latest?.remembering.state === "done" ? 1 : 0);
  useEffect(() => {
    if (turns.length) end.current?.scrollIntoView({ block: "end" });
  }, [turns.length, length]);
  const say = async (text: string) => {
    await tell(text, at, beside === "yes");
    void queries.invalidateQueries({ queryKey: ["records"] });
  };
  return (
    <section className="chat" aria-labelledby="title">
      <header className="view-head">
        <h1 id="title">Chat</h1>
        <p className="small">An agent with this memory. What is said here is remembered.</p>
        <span className="spring" />
        <label className="check">
          <input type="checkbox" checked={beside === "yes"} onChange={(event) => setBeside(event.target.checked ? "yes" : "")} />
          Also answer without memory
        </label>
        {turns.length > 0 && (
          <Button look="quiet" icon="cross" onPress={clear} isDisabled={speaking}>
            Clear
          </Button>
        )}
      </header>
      <div className="log" role="log" aria-label="Conversation" aria-live="polite" tabIndex={0}>
        {turns.length === 0 && (
          <Empty icon="chat" title="Ask something that only this memory knows">
            <p>Each answer shows the memories it rests on. Open one to see where it was learned, correct it where it stands, or flag it when it should not have come up.</p>
            {mayWrite && (asked.data ?? []).length > 0 && (
              <p className="chips" role="group" aria-label="Asked lately">
                {asked.data?.map((one) => (
                  <button key={one} type="button" className="chip-link" onClick={() => void say(one)}>
                    {one}
                  </button>
                ))}
              </p>
            )}
            <Connect />
          </Empty>
        )}
        {turns.map((turn) => (
          <div className="turn" key={turn.id}>
            <p className={turn.forgotten ? "asked forgotten" : "asked"}>
              <span className="visually-hidden">You: </span>
              {turn.question}
            </p>
            {turn.remembering.state === "done" && mayWrite && <NotThis turn={turn} />}
            <div className={turn.forgetful ? "voices two" : "voices"}>
              <Said voice={turn.remembering} name="With memory" question={turn.question} wrong={setWrong} />
              {turn.forgetful && <Said voice={turn.forgetful} name="Without memory" question={turn.question} />}
            </div>
          </div>
        ))}
        <div ref={end} />
      </div>
      <Message say={say} speaking={speaking} mayWrite={mayWrite} />
      <Wrong record={wrong} onClose={() => setWrong(null)} />
    </section>
  );
}

/** Forget what was just said, and what was answered. */
function NotThis({ turn }: { turn: Turn }) {
  const { undo } = useActs();
  const [busy, setBusy] = useState(false);
  if (turn.forgotten) return <p className="small not-this">This is not remembered.</p>;
  const run = async () => {
    const told = await answer(api.POST("/v1/records:forget", { body: { ...turn.at, target: await recordsOf(turn) } }));
    setForgotten(turn.id, true);
    const move = told.move;
    const back = move ? () => undo(move).then(() => setForgotten(turn.id, false)) : undefined;
    notify("Forgot what was said and answered, and the facts drawn only from it.", back);
  };
  return (
    <span className="not-this">
      <Button
        look="quiet"
        icon="mute"
        isDisabled={busy}
        onPress={() => {
          setBusy(true);
          run().catch(notifyFailure).finally(() => setBusy(false));
        }}
      >
        Don’t remember this
      </Button>
    </span>
  );
}

function Message({ say, speaking, mayWrite }: { say: (text: string) => Promise<void>; speaking: boolean; mayWrite: boolean }) {
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  useShortcut("/", "Write a message", () => field.current?.focus());
  const send = () => {
    if (!text.trim() || speaking) return;
    setText("");
    void say(text.trim());
  };
  if (!mayWrite) return <p className="small">This key may only read. A chat is remembered, so it needs a key that may write.</p>;
  return (
    <form
      className="message"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <label>
        <span className="visually-hidden">Message</span>
        <textarea
          ref={field}
          rows={2}
          value={text}
          placeholder="Enter sends, Shift and Enter begins a line"
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            send();
          }}
        />
      </label>
      {speaking ? (
        <Button icon="pause" onPress={stop}>
          Stop
        </Button>
      ) : (
        <Button look="main" type="submit" isDisabled={!text.trim()}>
          Send
        </Button>
      )}
    </form>
  );
}
