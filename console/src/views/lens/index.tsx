// Context lens: what a model would be given for a question, inside a budget, and why.
import { useEffect, useRef, useState } from "react";
import { useAsked } from "../../api/asked";
import { usePolicies } from "../../api/policies";
import { asProblem } from "../../api/problem";
import { Button } from "../../parts/Button";
import { Empty } from "../../parts/Empty";
import { Icon } from "../../parts/Icon";
import { Loading } from "../../parts/Loading";
import { ProblemNote } from "../../parts/ProblemNote";
import { useShortcut } from "../../parts/shortcuts";
import { counted } from "../../parts/words";
import { Link, say, useSaid } from "../../route/router";
import { Bar } from "./Bar";
import type { Context } from "./budget";
import { CutList, Items } from "./Items";
import "./lens.css";
import { POLICIES, useReplay, type Policy } from "./replay";

const LEAST = 5;
const MOST = 14;
const USUAL = 600;
const PAUSE = 250;

const policyOf = (said: string): Policy | "" => (said in POLICIES ? (said as Policy) : "");

export default function Lens() {
  const [saidQuery, setQuery] = useSaid("q");
  const asked = useAsked();
  // Whoever comes without a question mostly wonders about the last answer.
  const query = saidQuery || asked.data?.[0] || "";
  const [saidBudget] = useSaid("budget");
  const [saidPolicy, setPolicy] = useSaid("policy");
  const [saidOther, setOther] = useSaid("other");
  const [different, setDifferent] = useSaid("different");
  const told = Number(saidBudget) || USUAL;
  const [budget, setBudget] = useState(told);
  const policy = policyOf(saidPolicy) || "foveated";
  const other = policyOf(saidOther);
  useEffect(() => setBudget(told), [told]);
  // The budget is said in the address, and so replayed, once it rests.
  useEffect(() => {
    if (budget === told) return;
    const timer = setTimeout(() => say({ budget: budget === USUAL ? null : String(budget) }), PAUSE);
    return () => clearTimeout(timer);
  }, [budget, told]);
  const first = useReplay(query, told, policy);
  const second = useReplay(query, told, other);
  const set = (to: number) => setBudget(Math.max(1, Math.min(2 ** MOST, Math.round(to) || 1)));
  return (
    <section className="lens" aria-labelledby="title">
      <header className="view-head">
        <h1 id="title">Context lens</h1>
        <p className="small">What a model is given for a question, and why. Looking changes nothing.</p>
      </header>
      <Question said={query} ask={setQuery} />
      {!saidQuery && query && <p className="small">This was asked last.</p>}
      {(asked.data ?? []).length > 1 && (
        <p className="chips" role="group" aria-label="Asked lately">
          {asked.data
            ?.filter((one) => one !== query)
            .map((one) => (
              <Link key={one} to="/lens" said={{ q: one }} className="chip-link">
                {one}
              </Link>
            ))}
        </p>
      )}
      <div className="dials">
        <label className="slider">
          <span>Budget</span>
          <input
            type="range"
            min={LEAST}
            max={MOST}
            step={0.125}
            value={Math.log2(Math.max(2 ** LEAST, budget))}
            aria-valuetext={`${budget} tokens`}
            onChange={(event) => set(2 ** Number(event.target.value))}
          />
          <input type="number" min={1} max={2 ** MOST} value={budget} aria-label="Budget in tokens" onChange={(event) => set(Number(event.target.value))} />
          <span aria-hidden="true">tokens</span>
        </label>
        <label>
          <span>Policy</span>
          <Policies value={policy} set={(to) => setPolicy(to === "foveated" ? "" : to)} />
        </label>
        <label>
          <span>Compare with</span>
          <Policies value={other} set={setOther} none />
        </label>
      </div>
      {query === "" ? (
        asked.isPending ? <Loading lines={8} /> : <Teaching />
      ) : (
        <>
          {other && first.data && second.data && (
            <Differences names={[policy, other]} contexts={[first.data, second.data]} only={different === "yes"} setOnly={(on) => setDifferent(on ? "yes" : "")} />
          )}
          <div className={other ? "sides two" : "sides"}>
            <Side name={policy} query={query} asked={first} other={other ? second.data : undefined} onlyDifferent={different === "yes" && other !== ""} setBudget={set} />
            {other && <Side name={other} query={query} asked={second} other={first.data} onlyDifferent={different === "yes"} setBudget={set} />}
          </div>
        </>
      )}
    </section>
  );
}

/** How two answers to one question differ, in numbers. */
function Differences({ names, contexts, only, setOnly }: { names: [string, string]; contexts: [Context, Context]; only: boolean; setOnly: (on: boolean) => void }) {
  const [here, there] = contexts.map((one) => new Set(one.items.map((item) => item.record.id))) as [Set<string>, Set<string>];
  const both = [...here].filter((id) => there.has(id)).length;
  return (
    <div className="row" role="status">
      <span>
        {counted(both, "memory", "memories")} in both, {here.size - both} only in {names[0]}, {there.size - both} only in {names[1]}.
      </span>
      <label className="check">
        <input type="checkbox" checked={only} onChange={(event) => setOnly(event.target.checked)} />
        Only the differences
      </label>
    </div>
  );
}

function Question({ said, ask }: { said: string; ask: (query: string) => void }) {
  const [typed, setTyped] = useState(said);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => setTyped(said), [said]);
  useShortcut("/", "Ask another question", () => field.current?.focus());
  return (
    <form
      className="question"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        ask(typed.trim());
      }}
    >
      <label className="search">
        <span className="visually-hidden">The question a model would be asked</span>
        <Icon name="search" />
        <input ref={field} placeholder="A question, as a user would ask it" value={typed} onChange={(event) => setTyped(event.target.value)} />
      </label>
      <Button look="main" type="submit" isDisabled={!typed.trim()}>
        Look
      </Button>
    </form>
  );
}

function Policies({ value, set, none }: { value: Policy | ""; set: (to: string) => void; none?: boolean }) {
  return (
    <select value={value} onChange={(event) => set(event.target.value)}>
      {none && <option value="">nothing</option>}
      {Object.keys(POLICIES).map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

function Teaching() {
  return (
    <Empty icon="lens" title="Ask as a user would">
      <p>
        A model cannot be given everything. The lens shows what fits: the best memories word for word, others shortened, the rest as a hint.
        Looking leaves nothing behind: no memory grows stronger by it, and no recall is logged.
      </p>
    </Empty>
  );
}

/** How the policy parts the budget now, and whether somebody set it so. */
function Shares() {
  const values = new Map(usePolicies().data?.map((one) => [one.name, one]));
  const of = (name: string) => values.get(`policy.${name}`);
  const percent = (name: string) => `${Math.round(Number(of(name)?.value ?? 0) * 100)} %`;
  if (!values.size) return null;
  const kept = [...values.values()].filter((one) => one.origin === "store" && one.name.startsWith("policy."));
  return (
    <p className="small" data-testid="shares">
      It keeps {percent("relevant_ratio")} for what the question points at, {percent("recent_ratio")} for the {counted(Number(of("recent_records")?.value ?? 0), "newest", "newest")} and{" "}
      {percent("early_ratio")} for how it began. {kept.length > 0 && `${counted(kept.length, "value")} of it ${kept.length === 1 ? "is" : "are"} kept in the store. `}
      <Link to="/settings">Change it</Link>
    </p>
  );
}

type SideProps = {
  query: string;
  onlyDifferent: boolean;
  name: Policy;
  asked: ReturnType<typeof useReplay>;
  other: Context | undefined;
  setBudget: (to: number) => void;
};

function Side({ name, query, asked, other, onlyDifferent, setBudget }: SideProps) {
  const [lit, light] = useState("");
  const { data, error, isPlaceholderData, refetch } = asked;
  if (error) {
    const needed = asProblem(error).data.needed;
    return (
      <div>
        <ProblemNote error={error} retry={() => void refetch()} />
        {typeof needed === "number" && <Button onPress={() => setBudget(needed)}>Use {needed} tokens</Button>}
      </div>
    );
  }
  if (!data) return <Loading lines={12} label="Reading" />;
  const { receipt } = data;
  return (
    <section className={isPlaceholderData ? "side stale" : "side"} aria-label={`Policy ${name}`}>
      <header>
        <h2>{name}</h2>
        <p className="small">{POLICIES[name]}.</p>
      </header>
      <p className="small" aria-live="polite">
        {counted(data.items.length, "memory", "memories")} shown of {receipt.considered.toLocaleString()} considered, in{" "}
        {counted(data.tokens, "token")} of {receipt.token_budget.toLocaleString()}.
      </p>
      {receipt.nothing_relevant && (
        <p className="nothing">
          Nothing found: no memory is likely to help with this question.
          {data.items.length > 0 && " What is shown has another reason, such as being recent."}
        </p>
      )}
      {(receipt.first_look_only ?? 0) > 0 && (
        <p className="small">{counted(receipt.first_look_only ?? 0, "candidate was", "candidates were")} ranked by the first look alone; the second look is still working on them.</p>
      )}
      {(receipt.degraded ?? []).length > 0 && <p className="small">Found without {receipt.degraded?.join(", ")}, which did not answer.</p>}
      <Bar context={data} name={name} lit={lit} light={light} />
      <div className={other ? undefined : "beside"}>
        <div className="chosen">
          <h3>Shown</h3>
          <Items context={data} query={query} name={name} other={other} onlyDifferent={onlyDifferent} lit={lit} light={light} />
          <h3>Left out</h3>
          <CutList context={data} />
        </div>
        {other ? (
          <details>
            <summary>The text as the model gets it</summary>
            <pre tabIndex={0}>{data.text}</pre>
          </details>
        ) : (
          <section className="as-given" aria-label="The text as the model gets it">
            <h3>As the model gets it</h3>
            <pre tabIndex={0}>{data.text}</pre>
          </section>
        )}
      </div>
      {name === "foveated" && <Shares />}
      <p className="small faint">
        Tokens counted by {receipt.counter}; meaning by {receipt.encoder ?? "nothing: only words were compared"}.
      </p>
    </section>
  );
}
