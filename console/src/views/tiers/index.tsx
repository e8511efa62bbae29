// Tiers: how full they are, what flowed between them, the journal, and the next pass.
import { useQuery } from "@tanstack/react-query";
import { answer, api } from "../../api/client";
import { useWhose } from "../../api/whose";
import { Loading } from "../../parts/Loading";
import { ProblemNote } from "../../parts/ProblemNote";
import "../../style/sheet.css";
import { FlowChart } from "./FlowChart";
import { Gauges } from "./Gauges";
import { Journal } from "./Journal";
import { NextPass } from "./NextPass";
import "./tiers.css";

const MOST = 2_000;

export default function Tiers() {
  const at = useWhose();
  const { data, error, refetch } = useQuery({
    queryKey: ["records", at, "journal", MOST],
    queryFn: () => answer(api.GET("/v1/journal", { params: { query: { ...at, limit: MOST } } })),
  });
  return (
    <section className="sheet tiers" aria-labelledby="title">
      <header>
        <h1 id="title">Tiers</h1>
        <p className="small">A memory begins in L1 and earns its way to L4, or fades.</p>
      </header>
      <Gauges />
      <NextPass />
      {error ? (
        <ProblemNote error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Loading lines={12} label="Reading the journal" />
      ) : (
        <>
          <section className="panel" aria-labelledby="flow">
            <header>
              <h2 id="flow">Flow</h2>
              <span className="small">{data.length < MOST ? "All that the journal keeps" : `The newest ${MOST.toLocaleString()} moves`}, without what was taken back.</span>
            </header>
            <FlowChart moves={data} />
          </section>
          <Journal moves={data} all={data.length < MOST} />
        </>
      )}
    </section>
  );
}
