// What the next pass of the metabolism would do, and the button that lets it.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useMay } from "../../api/caller";
import { answer, api, type Schemas } from "../../api/client";
import { useTexts } from "../../api/texts";
import { useWhose } from "../../api/whose";
import { Button } from "../../parts/Button";
import { Confirm } from "../../parts/Confirm";
import { reason, toldOf } from "../../parts/moves";
import { notify } from "../../parts/notices";
import { ProblemNote } from "../../parts/ProblemNote";
import { counted } from "../../parts/words";
import { Link } from "../../route/router";

const told = (counts: Record<string, number> | undefined) =>
  Object.entries(counts ?? {})
    .map(([what, count]) => `${count.toLocaleString()} ${toldOf(what)}`)
    .join(", ");

export function NextPass() {
  const at = useWhose();
  const may = useMay("write");
  const queries = useQueryClient();
  const [asking, ask] = useState(false);
  const dry = useMutation({ mutationFn: () => answer(api.POST("/v1/metabolism", { body: { ...at, dry_run: true } })) });
  const run = async () => {
    const done = await answer(api.POST("/v1/metabolism", { body: { ...at, dry_run: false } }));
    dry.reset();
    void queries.invalidateQueries({ queryKey: ["records"] });
    notify(done.moves ? `The pass made ${counted(done.moves, "move")}: ${told(done.counts)}. Each can be taken back in the journal.` : "Nothing was due.");
  };
  return (
    <section className="panel" aria-labelledby="pass">
      <header>
        <h2 id="pass">Next pass</h2>
        <span className="small">What is due moves to its next tier, is merged, or goes to the archive. Nothing is destroyed.</span>
        <span className="spring" />
        <span className="row">
          <Button icon="eye" isDisabled={!may || dry.isPending} onPress={() => dry.mutate()}>
            {dry.isPending ? "Looking…" : "What would it do?"}
          </Button>
          <Button look="main" icon="play" isDisabled={!may} onPress={() => ask(true)}>
            Run it…
          </Button>
        </span>
      </header>
      {dry.error && <ProblemNote error={dry.error} retry={() => dry.mutate()} />}
      <div aria-live="polite">{dry.data && <Forecast would={dry.data} />}</div>
      <Confirm title="Run a pass now?" open={asking} onClose={() => ask(false)} run={run} act="Run the pass" icon="play" look="main">
        <p>
          {dry.data ? (dry.data.moves ? `It would make ${counted(dry.data.moves, "move")}: ${told(dry.data.counts)}.` : "As it looked, nothing is due.") : "What is due by now moves; look first if you want to know what."}
        </p>
        <p className="small">Each move is in the journal with its reason, and can be taken back there.</p>
      </Confirm>
    </section>
  );
}

function Forecast({ would }: { would: Schemas["Metabolised"] }) {
  const texts = useTexts((would.examples ?? []).flatMap((move) => move.changes?.[0]?.record_id ?? [])).data;
  if (!would.moves) return <p>Nothing is due: the next pass would change nothing.</p>;
  return (
    <>
      <p>
        It would make <b>{counted(would.moves, "move")}</b>: {told(would.counts)}.
      </p>
      <ul className="examples small">
        {would.examples?.map((move) => {
          const id = move.changes?.[0]?.record_id ?? "";
          return (
            <li key={move.id}>
              <Link to={`/inspect/${encodeURIComponent(id)}`} title={id}>
                {texts?.get(id) ?? id}
              </Link>{" "}
              would be <b>{toldOf(move.what)}</b>: {reason(move.why)}
            </li>
          );
        })}
      </ul>
    </>
  );
}
