// What is known: facts by whom they are about, or what was kept longest where no facts were drawn.
import type { Schemas } from "../../api/client";
import { Loading } from "../../parts/Loading";
import { ProblemNote } from "../../parts/ProblemNote";
import { percent } from "../../parts/relevance";
import { counted, When } from "../../parts/words";
import { Link } from "../../route/router";
import { grouped } from "../facts/groups";
import { useKept, useProfile, useRegions } from "./asking";

type Fact = Schemas["KnownFact"];
const SHOWN = 5;

export function Known({ stats }: { stats: Schemas["Stats"] }) {
  const { data, error, refetch } = useProfile();
  return (
    <section className="panel" aria-labelledby="known">
      <header>
        <h2 id="known">What it knows</h2>
        <span className="spring" />
        <Link to="/facts">All facts</Link>
      </header>
      {error ? (
        <ProblemNote error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Loading lines={8} />
      ) : data.items.length ? (
        <Facts facts={data.items} left={data.left_out ?? 0} />
      ) : (
        <Kept />
      )}
      <Regions stats={stats} />
    </section>
  );
}

function Facts({ facts, left }: { facts: Fact[]; left: number }) {
  return (
    <>
      {grouped(facts).map(([name, some]) => (
        <section key={name} aria-label={name} className="about">
          <h3>{name}</h3>
          <ul className="lines">
            {some.slice(0, SHOWN).map((fact) => (
              <li key={fact.id}>
                <Link to="/facts" said={{ fact: fact.id }}>
                  {fact.text}
                </Link>
                <span className="aside">
                  {fact.before && <>before: {fact.before} · </>}
                  {fact.disputed.length > 0 && <span className="state bad">disputed</span>} since <When at={fact.since} /> · {percent(fact.confidence)} sure
                </span>
              </li>
            ))}
          </ul>
          {some.length > SHOWN && <Link to="/facts">{counted(some.length - SHOWN, "more", "more")}</Link>}
        </section>
      ))}
      {left > 0 && (
        <p className="small">
          <Link to="/facts">{counted(left, "more fact")}</Link> did not fit here.
        </p>
      )}
    </>
  );
}

function Kept() {
  const kept = useKept(true).data;
  if (!kept) return <Loading lines={4} />;
  return (
    <>
      {kept.length > 0 && (
        <ul className="lines">
          {kept.map((record) => (
            <li key={record.id}>
              <Link to={`/inspect/${encodeURIComponent(record.id)}`}>{record.text}</Link>
              <span className="aside">
                {record.vitals?.pinned ? "pinned" : "kept for good"} · <When at={record.occurred_at} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <p className="small">
        No facts were drawn yet: these memories were pinned or kept longest. <code>foveal remember</code>, or a chat here, draws facts from what is said.
      </p>
    </>
  );
}

/** The regions that hold most: the topics, people and projects that texts were filed under. */
function Regions({ stats }: { stats: Schemas["Stats"] }) {
  const regions = [...(useRegions().data ?? [])].sort((a, b) => b.records - a.records).slice(0, 8);
  if (stats.regions < 2 || !regions.length) return null;
  return (
    <section aria-label="Regions" className="about">
      <h3>What most memories are about</h3>
      <p className="chips">
        {regions.map((one) => (
          <Link key={one.region} to="/memories" said={{ region: one.region }} className="chip-link">
            {one.region} <span className="faint">{one.records.toLocaleString()}</span>
          </Link>
        ))}
      </p>
    </section>
  );
}
