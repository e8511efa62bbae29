// Embed everything anew, with a clock while it runs.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useMay } from "../../api/caller";
import { answer, api, authorization } from "../../api/client";
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
          Vectors of {stats?.encoder ?? "no encoder yet"}; {counted(stats?.pending ?? 0, "memory waits", "memories wait")} for one. {secondLook(stats)}
        </span>
        <span className="spring" />
        <Button icon="play" isDisabled={!may || run.isPending} onPress={() => ask(true)}>
          Reindex…
        </Button>
      </header>
      {!may && <p className="small">This needs a key that may administer.</p>}
      <div aria-live="polite">
        {run.isPending && <Running waiting={stats?.pending ?? 0} />}
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

/** How far the second look has come; it goes on by itself. */
function secondLook(stats: { second_look?: string | null; second_look_waiting?: number; records: number } | undefined): string {
  if (!stats?.second_look) return "No second look.";
  const waiting = stats.second_look_waiting ?? 0;
  const done = waiting === 0 ? "all memories done" : `${(stats.records - waiting).toLocaleString()} of ${stats.records.toLocaleString()} memories done`;
  return `Second look by ${stats.second_look}: ${done}.`;
}

/** How far it is: of what waited at its beginning, how much waits no longer. */
function Running({ waiting: now }: { waiting: number }) {
  const [seconds, set] = useState(0);
  const waiting = useWaiting() ?? now;
  const [most, setMost] = useState(waiting);
  useEffect(() => setMost((before) => Math.max(before, waiting)), [waiting]);
  const done = most > 0 ? Math.floor((100 * (most - waiting)) / most) : null;
  useEffect(() => {
    const timer = setInterval(() => set((before) => before + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <div className="running">
      <progress aria-label="Reindexing" {...(done !== null && { value: done, max: 100 })} />
      <span aria-hidden="true">
        {done !== null && `${done} %, ${(most - waiting).toLocaleString()} of ${most.toLocaleString()}; `}
        {seconds} s
      </span>
      <span>Embedding everything anew. You may leave this page: the server goes on.</span>
    </div>
  );
}

/** How many versions of all actors wait for a vector, as the health of the index tells. */
function useWaiting(): number | undefined {
  return useQuery({
    queryKey: ["health", "waiting"],
    queryFn: async () => {
      const told = (await (await fetch("/api/memory/health", { headers: authorization() })).json()) as { components?: { name: string; figure: number | null }[] };
      return told.components?.find((one) => one.name === "index")?.figure ?? 0;
    },
    refetchInterval: 1_500,
  }).data;
}
