// Facts: what is believed to be true, since when, and from which words.
import { useMemo } from "react";
import { useWhose } from "../../api/whose";
import { Empty } from "../../parts/Empty";
import { Icon } from "../../parts/Icon";
import { Loading } from "../../parts/Loading";
import { ProblemNote } from "../../parts/ProblemNote";
import { counted } from "../../parts/words";
import { useSaid } from "../../route/router";
import "../../style/sheet.css";
import { useFacts } from "./asking";
import { Fact } from "./Fact";
import "./facts.css";
import { grouped, passes, SHOWS, type Show } from "./groups";

export default function Facts() {
  const at = useWhose();
  const [typed, type] = useSaid("q");
  const [saidShow, setShow] = useSaid("show");
  const [opened, open] = useSaid("fact");
  const show: Show = saidShow in SHOWS ? (saidShow as Show) : "all";
  const { data, error, refetch } = useFacts(show === "past");
  const facts = useMemo(() => (data ?? []).filter((fact) => passes(fact, show, typed)), [data, show, typed]);
  return (
    <section className="sheet facts-view" aria-labelledby="title">
      <header>
        <h1 id="title">Facts</h1>
        <p className="small">What this memory believes to be true, drawn from what was said. Open one to see why, and to set it right.</p>
      </header>
      {error ? (
        <ProblemNote error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Loading lines={12} label="Loading facts" />
      ) : data.length === 0 && show !== "past" ? (
        <Empty icon="fact" title="No facts were learned yet">
          <p>Facts are drawn from what people say, and keep the words they came from. Chat here, add a memory, or hand over a conversation:</p>
          <pre>{`foveal remember "I moved to Graz in May." --actor-id ${at.actor_id}`}</pre>
        </Empty>
      ) : (
        <>
          <div className="row" role="search">
            <label className="search">
              <span className="visually-hidden">Find a fact</span>
              <Icon name="search" />
              <input type="search" placeholder="Find a fact" value={typed} onChange={(event) => type(event.target.value)} />
            </label>
            <div className="spans" role="group" aria-label="Which facts">
              {(Object.keys(SHOWS) as Show[]).map((one) => (
                <button key={one} type="button" className="button quiet" aria-pressed={show === one} onClick={() => setShow(one === "all" ? "" : one)}>
                  {SHOWS[one]}
                </button>
              ))}
            </div>
          </div>
          <p className="small" aria-live="polite">
            {facts.length === 0 ? "No fact passes." : `${counted(facts.length, "fact")}.`}
          </p>
          {grouped(facts).map(([name, some]) => (
            <section className="panel" key={name} aria-label={name}>
              <header>
                <h2>{name}</h2>
                <span className="small">{some.length}</span>
              </header>
              <ul className="fact-list">
                {some.map((fact) => (
                  <Fact key={fact.id} fact={fact} facts={data} open={opened === fact.id} toggle={() => open(opened === fact.id ? "" : fact.id)} />
                ))}
              </ul>
            </section>
          ))}
        </>
      )}
    </section>
  );
}
