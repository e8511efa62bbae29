// One fact: what is believed, and when it is opened why, with what can be done about it.
import { useState } from "react";
import { useMay } from "../../api/caller";
import { Button } from "../../parts/Button";
import { percent } from "../../parts/relevance";
import { fullMoment, When } from "../../parts/words";
import { Link } from "../../route/router";
import { nameOf, type KnownFact } from "./groups";
import { SetRight } from "./SetRight";

type Props = { fact: KnownFact; facts: readonly KnownFact[]; open: boolean; toggle: () => void };
const STATES: Record<string, string> = { unsure: "not sure enough to be told", ended: "no longer holds", wrong: "said to be wrong", merged: "part of another fact" };
const BY: Record<string, string> = { rules: "Rules read it in what was said", model: "The language model read it in what was said", person: "A person said so here" };

export function Fact({ fact, facts, open, toggle }: Props) {
  return (
    <li className={open ? "fact open" : "fact"}>
      <button type="button" className="fact-line" aria-expanded={open} onClick={toggle}>
        <span className="fact-text">{fact.text}</span>
        <span className="aside">
          {fact.before && <span className="tag">before: {fact.before}</span>}
          {fact.disputed.length > 0 && <span className="state bad">disputed</span>}
          {fact.status !== "current" && <span className="state">{STATES[fact.status] ?? fact.status}</span>}
          <span>
            since <When at={fact.since} />
          </span>
        </span>
      </button>
      {open && <Why fact={fact} facts={facts} />}
    </li>
  );
}

function Why({ fact, facts }: Pick<Props, "fact" | "facts">) {
  const mayWrite = useMay("write");
  const [setting, setRight] = useState(false);
  const against = facts.filter((one) => fact.disputed.includes(one.id));
  return (
    <div className="why-fact">
      <p>{fact.by === "person" ? "It is believed because a person said so." : fact.evidence.length === 1 ? "It is believed because this was said:" : "It is believed because these were said:"}</p>
      <ul className="sources">
        {fact.evidence.map((one) => (
          <li key={one.id}>
            <Link to={`/inspect/${encodeURIComponent(one.id)}`}>
              <q>{one.text}</q>
            </Link>{" "}
            <span className="small">
              {one.speaker}, <When at={one.said_at} />
            </span>
          </li>
        ))}
      </ul>
      {against.length > 0 && (
        <>
          <p>Something else was said, too, and nobody has said which is true:</p>
          <ul className="sources">
            {against.map((one) => (
              <li key={one.id}>{one.text}</li>
            ))}
          </ul>
        </>
      )}
      <dl className="fact-details">
        {fact.attribute !== "instruction" && (
          <>
            <dt>Read as</dt>
            <dd>
              {nameOf(fact.subject)}, {fact.attribute.replaceAll("_", " ")}: {fact.value}
            </dd>
          </>
        )}
        <dt>Holds</dt>
        <dd>
          from {fullMoment(fact.since)}
          {fact.ended && ` to ${fullMoment(fact.ended)}`}
        </dd>
        {fact.before && (
          <>
            <dt>Before</dt>
            <dd>
              {fact.before}
              {fact.until && (
                <>
                  , until <When at={fact.until} />
                </>
              )}
            </dd>
          </>
        )}
        <dt>How sure</dt>
        <dd>
          {percent(fact.confidence)}. {BY[fact.by] ?? fact.by}
          {fact.why && `: ${fact.why}`}.
        </dd>
      </dl>
      <div className="row">
        {mayWrite && fact.status !== "wrong" && fact.status !== "merged" && (
          <Button icon="edit" look="main" onPress={() => setRight(true)}>
            Set it right…
          </Button>
        )}
        <Link className="button" to={`/inspect/${encodeURIComponent(fact.id)}`}>
          Inspect it
        </Link>
      </div>
      <SetRight open={setting} fact={fact} facts={facts} onClose={() => setRight(false)} />
    </div>
  );
}
