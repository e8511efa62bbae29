// Embed everything anew, with a clock while it runs.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useMay } from "../../api/caller";
import { answer, api } from "../../api/client";
import { useWhose } from "../../api/whose";
import { Button } from "../../parts/Button";
import { Confirm } from "../../parts/Confirm";
import { ProblemNote } from "../../parts/ProblemNote";
import { counted } from "../../parts/words";

export function Reindex() {
  const at = useWhose();
  const may = useMay("admin");
  const [asking, ask] = useState(false);
  const run = useMutation({ mutationFn: () => answer(api.POST("/v1/reindex", { body: {} })) });
  const stats = useQuery({
    queryKey: ["records", at, "stats"],
    queryFn: () => answer(api.GET("/v1/stats", { params: { query: at } })),
    refetchInterval: run.isPending ? 2_000 : false,
  }).data;
  return (
    <section className="panel" aria-labelledby="reindex">
      <header>
        <h2 id="reindex">Index</h2>
        <span className="small">
          Vectors of {stats?.encoder ?? "no encoder yet"}; {counted(stats?.pending ?? 0, "memory waits", "memories wait")} for one.
        </span>
        <span className="spring" />
        <Button icon="play" isDisabled={!may || run.isPending} onPress={() => ask(true)}>
          Reindex…
        </Button>
      </header>
      {!may && <p className="small">This needs a key that may administer.</p>}
      <div aria-live="polite">
        {run.isPending && <Running />}
        {run.data && (
          <p>
            <span className="state good">✓ done</span> {counted(run.data.versions, "version")} embedded with {run.data.encoder}.
          </p>
        )}
      </div>
      {run.error && <ProblemNote error={run.error} retry={() => run.mutate()} />}
      <Confirm
        title="Embed everything anew?"
        open={asking}
        onClose={() => ask(false)}
        act="Reindex"
        icon="play"
        look="main"
        run={async () => {
          run.mutate();
        }}
      >
        <p>Every memory of every actor gets a new vector from the encoder the server was started with. Reads go on meanwhile, with the old vectors. It takes about a second for some thousands of memories with the encoder of the package.</p>
      </Confirm>
    </section>
  );
}

function Running() {
  const [seconds, set] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => set((before) => before + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <div className="running">
      <progress aria-label="Reindexing" />
      <span aria-hidden="true">{seconds} s</span>
      <span>Embedding everything anew. You may leave this page: the server goes on.</span>
    </div>
  );
}
