// Crystals: work that was put aside, and how it went on.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { answer, api } from "../../api/client";
import { useWhose } from "../../api/whose";
import { Button } from "../../parts/Button";
import { Empty } from "../../parts/Empty";
import { Loading } from "../../parts/Loading";
import { ProblemNote } from "../../parts/ProblemNote";
import { counted, When } from "../../parts/words";
import { Link, say, useSaid } from "../../route/router";
import type { ViewProps } from "../../route/views";
import "../../style/sheet.css";
import { Compared } from "./Compared";
import "./crystals.css";
import { Detail } from "./Detail";
import { inTree, nameOf, type Placed } from "./lineage";

export default function Crystals({ rest }: ViewProps) {
  const at = useWhose();
  const [against, setAgainst] = useSaid("with");
  const { data, error, refetch } = useQuery({
    queryKey: ["records", at, "crystals"],
    queryFn: () => answer(api.GET("/v1/crystals", { params: { query: at } })),
  });
  const placed = useMemo(() => inTree(data ?? []), [data]);
  const chosen = data?.find((one) => one.crystal_id === rest);
  const other = data?.find((one) => one.crystal_id === against);
  const gone = placed.filter(({ one }) => one.reaped_at).length;
  return (
    <section className="sheet crystals" aria-labelledby="title">
      <header>
        <h1 id="title">Crystals</h1>
        <p className="small">A crystal is a piece of work put aside: its state, what it must not lose, and a summary of the rest.</p>
      </header>
      {error ? (
        <ProblemNote error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Loading lines={10} label="Loading crystals" />
      ) : data.length === 0 ? (
        <Empty icon="crystal" title="No work was put aside yet">
          <p>An agent whose window gets full puts its work aside:</p>
          <pre>{`memory.crystals.crystallize(messages, ["what must stay"], "30d")`}</pre>
        </Empty>
      ) : (
        <>
          <section className="panel" aria-labelledby="tree">
            <header>
              <h2 id="tree">Lineage</h2>
              <span className="small">
                {counted(data.length, "crystal")}
                {gone > 0 && `, ${gone} of them composted`}
              </span>
            </header>
            <ul className="lineage">
              {placed.map((one) => (
                <Line key={one.one.crystal_id} placed={one} chosen={one.one.crystal_id === rest} comparing={Boolean(chosen)} against={against} />
              ))}
            </ul>
          </section>
          {rest && !chosen && (
            <Empty icon="crystal" title="There is no such crystal">
              <p>It is not seen from this node, or was never there.</p>
            </Empty>
          )}
          {chosen && other && chosen !== other && <Compared first={chosen} second={other} onClose={() => setAgainst("")} />}
          {chosen && <Detail key={rest} crystal={chosen} />}
          {!rest && <p className="small">Choose a crystal to see what it holds, to compare it, or to go on from it.</p>}
        </>
      )}
    </section>
  );
}

function Line({ placed: { one, depth }, chosen, comparing, against }: { placed: Placed; chosen: boolean; comparing: boolean; against: string }) {
  const dead = Boolean(one.reaped_at);
  return (
    <li className={chosen ? "chosen" : undefined} style={{ paddingInlineStart: 8 + depth * 24 }}>
      <span className="name">
        {depth > 0 && (
          <span aria-hidden="true" className="faint">
            └
          </span>
        )}
        <Link to={`/crystals/${one.crystal_id}`} aria-current={chosen || undefined} className={dead ? "dead" : undefined}>
          {nameOf(one)}
        </Link>
      </span>
      <span className="row marks">
        {one.pinned && <span className="state good">cherished</span>}
        {dead ? (
          <span className="state bad">
            composted <When at={one.reaped_at} />
          </span>
        ) : one.expires_at ? (
          <span className="state">
            until <When at={one.expires_at} />
          </span>
        ) : null}
        {one.merged && <span className="state">merged</span>}
        <span className="small">
          {counted(one.fragments ?? 0, "fragment")}, {counted(one.tokens ?? 0, "token")} · <When at={one.timestamp} /> · {one.agent}
        </span>
      </span>
      {comparing && !chosen && !dead && (
        <Button look="quiet" icon="copy" onPress={() => say({ with: against === one.crystal_id ? null : one.crystal_id }, "push")} aria-label={`Compare with ${nameOf(one)}`}>
          Compare
        </Button>
      )}
    </li>
  );
}
