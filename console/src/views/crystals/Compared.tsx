// What one crystal has that another has not.
import { useQuery } from "@tanstack/react-query";
import { answer, api, type Schemas } from "../../api/client";
import { useWhose } from "../../api/whose";
import { IconButton } from "../../parts/Button";
import { Loading } from "../../parts/Loading";
import { ProblemNote } from "../../parts/ProblemNote";
import { counted } from "../../parts/words";
import { nameOf, type Lineage } from "./lineage";

export function Compared({ first, second, onClose }: { first: Lineage; second: Lineage; onClose: () => void }) {
  const at = useWhose();
  const { data, error, refetch } = useQuery({
    queryKey: ["records", at, "crystals", "diff", first.crystal_id, second.crystal_id],
    queryFn: () => answer(api.GET("/v1/crystals:diff", { params: { query: { ...at, first: first.crystal_id, second: second.crystal_id } } })),
  });
  return (
    <section className="panel" aria-labelledby="compared">
      <header>
        <h2 id="compared">
          From “{nameOf(first)}” to “{nameOf(second)}”
        </h2>
        <span className="spring" />
        <IconButton name="Close the comparison" icon="cross" onClick={onClose} />
      </header>
      {error ? <ProblemNote error={error} retry={() => void refetch()} /> : !data ? <Loading lines={4} label="Comparing" /> : <Told told={data as Schemas["Difference"]} />}
    </section>
  );
}

function Told({ told }: { told: Schemas["Difference"] }) {
  const tokens = told.tokens ?? 0;
  const states = { ...told.working_memory, ...told.task_state };
  return (
    <>
      <p>
        <b>{counted(told.kept ?? 0, "fragment")}</b> in both, {told.added?.length ?? 0} added, {told.removed?.length ?? 0} gone; {tokens === 0 ? "the same number of tokens" : `${Math.abs(tokens).toLocaleString()} tokens ${tokens > 0 ? "more" : "fewer"}`}.{" "}
        {told.ancestor ? (
          <span className="small">
            Both come from <code>{told.ancestor}</code>.
          </span>
        ) : (
          <span className="small">They have no ancestor in common.</span>
        )}
      </p>
      <Fragments title="Only in the second" sign="+" all={told.added ?? []} />
      <Fragments title="Only in the first" sign="−" all={told.removed ?? []} />
      {told.summary && (
        <>
          <h3>Summary</h3>
          <div className="halves">
            {told.summary.map((text, place) => (
              <pre key={place}>{String(text)}</pre>
            ))}
          </div>
        </>
      )}
      {Object.keys(states).length > 0 && (
        <>
          <h3>State</h3>
          <dl className="facts">
            {Object.entries(states).map(([name, pair]) => (
              <div key={name} className="contents">
                <dt>{name}</dt>
                <dd>{(pair as unknown[]).map((one) => JSON.stringify(one)).join(" → ")}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </>
  );
}

function Fragments({ title, sign, all }: { title: string; sign: string; all: Schemas["FocusFragment"][] }) {
  if (!all.length) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul className={sign === "+" ? "diff added" : "diff gone"}>
        {all.map((one) => (
          <li key={one.id}>
            <b aria-hidden="true">{sign}</b> {one.content} <span className="faint">({one.linearity})</span>
          </li>
        ))}
      </ul>
    </>
  );
}
