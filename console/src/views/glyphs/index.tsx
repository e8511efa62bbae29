// Glyphs: the map of the families of phrases, and what is in each.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useMay } from "../../api/caller";
import { answer, api, type Schemas } from "../../api/client";
import { useWhose } from "../../api/whose";
import { Button } from "../../parts/Button";
import { Empty } from "../../parts/Empty";
import { Loading } from "../../parts/Loading";
import { notify, notifyFailure } from "../../parts/notices";
import { ProblemNote } from "../../parts/ProblemNote";
import { counted, When } from "../../parts/words";
import { say, useSaid } from "../../route/router";
import { Detail } from "./Detail";
import { Families } from "./Families";
import "./glyphs.css";
import { inside, lineIn, placed, saidOf } from "./plane";
import { Scatter } from "./Scatter";

const MOST = 20_000;
const LEVELS = 3;
type Tape = Schemas["Tape"];

export default function Glyphs() {
  const at = useWhose();
  const { data, error, refetch } = useQuery({
    queryKey: ["records", at, "tapes"],
    queryFn: () => answer(api.GET("/v1/tapes", { params: { query: at } })),
  });
  const tape = data?.find((one) => one.active);
  return (
    <section className="glyphs" aria-labelledby="title">
      <header className="view-head">
        <h1 id="title">Glyphs</h1>
        {tape && (
          <p className="small">
            Tape {tape.number}, built <When at={tape.created_at} relative /> from {counted(tape.records ?? 0, "memory", "memories")}: {counted(tape.phrases ?? 0, "phrase")} in{" "}
            {counted(tape.families ?? 0, "family", "families")}.
          </p>
        )}
      </header>
      {error ? (
        <ProblemNote error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Loading lines={12} />
      ) : tape ? (
        <Map tape={tape} />
      ) : (
        <Empty icon="glyph" title="There is no map yet">
          <p>
            A tape cuts memories into phrases, gathers those that mean about the same into families, and gives each family a glyph and a place on a
            map. It takes some seconds for a few thousand memories, and changes none of them.
          </p>
          <Build label="Build the map" />
        </Empty>
      )}
    </section>
  );
}

/** Build the tape, for the first time or again with the phrases that fit none of its families. */
function Build({ label, again }: { label: string; again?: boolean }) {
  const at = useWhose();
  const queries = useQueryClient();
  const mayWrite = useMay("write");
  const [busy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    try {
      const tape = await answer(api.POST("/v1/tapes", { body: at }));
      await queries.invalidateQueries({ queryKey: ["records"] });
      notify(`The map has ${counted(tape.families ?? 0, "family", "families")}.`);
    } catch (error) {
      notifyFailure(error);
    }
    setBusy(false);
  };
  if (!mayWrite) return <p>It needs a key that may write.</p>;
  return (
    <Button look={again ? "plain" : "main"} icon="glyph" isDisabled={busy} onPress={() => void run()}>
      {busy ? "Building…" : label}
    </Button>
  );
}

function Map({ tape }: { tape: Tape }) {
  const at = useWhose();
  const [saidLasso] = useSaid("lasso");
  const [cell] = useSaid("cell");
  const [family, setFamily] = useSaid("family");
  const families = useQuery({
    queryKey: ["records", at, "families", tape.digest],
    queryFn: () => answer(api.GET("/v1/families", { params: { query: { ...at, limit: MOST } } })),
  });
  const cells = useQuery({
    queryKey: ["records", at, "cells", tape.digest],
    queryFn: () => answer(api.GET("/v1/cells", { params: { query: { ...at, levels: LEVELS } } })),
  });
  const lasso = useMemo(() => lineIn(saidLasso), [saidLasso]);
  const all = families.data;
  const chosen = useMemo(() => {
    if (!all || (!lasso.length && !cell)) return null;
    const some = all.filter((one) => (lasso.length ? inside(placed(one.x, one.y), lasso) : one.digits.startsWith(cell)));
    return new Set(some.map((one) => one.number));
  }, [all, lasso, cell]);
  if (families.error) return <ProblemNote error={families.error} retry={() => void families.refetch()} />;
  if (!all) return <Loading lines={12} label="Loading the map" />;
  const open = family === "" ? null : Number(family);
  const shown = open === null ? undefined : all.find((one) => one.number === open);
  const about = cell ? cells.data?.find((one) => one.digits === cell) : undefined;
  return (
    <>
      <div className="dials">
        <label>
          Part of the map
          <select value={cell} onChange={(event) => say({ cell: event.target.value, lasso: null })}>
            <option value="">everything</option>
            {(cells.data ?? [])
              .filter((one) => one.digits)
              .map((one) => (
                <option key={one.digits} value={one.digits}>
                  {`${"\u00a0\u00a0".repeat(one.digits.length - 1)}${one.digits}: ${one.summary.slice(0, 60)} (${one.records.toLocaleString()})`}
                </option>
              ))}
          </select>
        </label>
        {chosen && (
          <Button look="quiet" icon="cross" onPress={() => say({ lasso: null, cell: null })}>
            Choose everything
          </Button>
        )}
        {(tape.waiting ?? 0) > 0 && <Build label={`Build it again with ${counted(tape.waiting ?? 0, "new phrase")}`} again />}
      </div>
      {about && (
        <p className="small">
          Cell {cell} holds {counted(about.records, "memory", "memories")}: {about.summary}
        </p>
      )}
      <div className="halves">
        <div>
          <Scatter
            families={all}
            cells={cells.data ?? []}
            chosen={chosen}
            open={open}
            lasso={lasso}
            choose={(line) => say({ lasso: saidOf(line), cell: null }, "push")}
            show={(one) => setFamily(String(one.number))}
          />
          <p className="legend small">
            <span className="key" /> one language <span className="key mixed" /> several languages. Larger: used more. Darker triangles hold more memories.
            {all.length === MOST && ` These are the ${MOST.toLocaleString()} families that are used most.`}
          </p>
        </div>
        {shown && <Detail family={shown} close={() => setFamily("")} />}
      </div>
      <Families families={chosen ? all.filter((one) => chosen.has(one.number)) : all} open={open} show={(one) => setFamily(String(one.number))} narrowed={chosen !== null} />
    </>
  );
}
