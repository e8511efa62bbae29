// One crystal: what it holds, and what may be done with it.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useMay } from "../../api/caller";
import { answer, api, type Schemas } from "../../api/client";
import { useWhose } from "../../api/whose";
import { Button } from "../../parts/Button";
import { Confirm } from "../../parts/Confirm";
import { Loading } from "../../parts/Loading";
import { notify, notifyFailure } from "../../parts/notices";
import { ProblemNote } from "../../parts/ProblemNote";
import { TableWrap } from "../../parts/TableWrap";
import { counted, fullMoment } from "../../parts/words";
import { nameOf, type Lineage } from "./lineage";
import { Resume } from "./Resume";

export function Detail({ crystal }: { crystal: Lineage }) {
  const at = useWhose();
  const id = crystal.crystal_id;
  const dead = Boolean(crystal.reaped_at);
  const { data, error, refetch } = useQuery({
    queryKey: ["records", at, "crystal", id],
    queryFn: () => answer(api.GET("/v1/crystals/{crystal_id}", { params: { path: { crystal_id: id }, query: at } })),
    enabled: !dead,
  });
  return (
    <section className="panel" aria-labelledby="detail">
      <header>
        <h2 id="detail">{nameOf(crystal)}</h2>
        <code className="small">{id}</code>
        <span className="spring" />
        {!dead && <Acts crystal={crystal} />}
      </header>
      {dead ? (
        <p>
          Composted on {fullMoment(crystal.reaped_at ?? "")}. Its tombstone keeps where it stood in the lineage{crystal.history_summary ? ", and this summary:" : "."}
        </p>
      ) : error ? (
        <ProblemNote error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Loading lines={8} label="Loading the crystal" />
      ) : (
        <Held crystal={data} />
      )}
      {dead && crystal.history_summary && <pre>{crystal.history_summary}</pre>}
    </section>
  );
}

function Acts({ crystal }: { crystal: Lineage }) {
  const at = useWhose();
  const may = useMay("write");
  const queries = useQueryClient();
  const [composting, compost] = useState(false);
  const [resuming, resume] = useState(false);
  const id = crystal.crystal_id;
  const asked = { params: { path: { crystal_id: id } }, body: at };
  const refresh = () => void queries.invalidateQueries({ queryKey: ["records"] });
  const cherish = () => answer(api.POST("/v1/crystals/{crystal_id}/cherish", asked)).then(refresh);
  const uncherish = () => answer(api.POST("/v1/crystals/{crystal_id}/uncherish", asked)).then(refresh);
  const toggle = crystal.pinned
    ? () => uncherish().then(() => notify("It ages like the others again.", cherish), notifyFailure)
    : () => cherish().then(() => notify("Cherished: it stays until you let it go.", uncherish), notifyFailure);
  if (!may) return null;
  return (
    <>
      <Button icon="play" onPress={() => resume(true)}>
        Resume…
      </Button>
      <Button icon="pin" onPress={() => void toggle()}>
        {crystal.pinned ? "Uncherish" : "Cherish"}
      </Button>
      <Button look="danger" icon="bin" isDisabled={crystal.pinned} onPress={() => compost(true)} aria-label={crystal.pinned ? "Compost: uncherish it first" : "Compost…"}>
        Compost…
      </Button>
      <Resume id={id} open={resuming} onClose={() => resume(false)} />
      <Confirm
        title="Compost this crystal?"
        open={composting}
        onClose={() => compost(false)}
        act="Compost it"
        icon="bin"
        run={async () => {
          await answer(api.POST("/v1/crystals/{crystal_id}/compost", { ...asked, body: { ...at, hard: false } }));
          refresh();
          notify("Composted. Its tombstone and its summary stay.");
        }}
      >
        <ul className="consequences">
          <li>
            Its <b>{counted(crystal.fragments ?? 0, "fragment")}</b> and its state go for good: work cannot be resumed from it.
          </li>
          <li>Its place in the lineage and its summary stay, and so do the crystals that came of it.</li>
          <li>
            <b>This cannot be taken back.</b>
          </li>
        </ul>
      </Confirm>
    </>
  );
}

function Held({ crystal }: { crystal: Schemas["StateCrystal"] }) {
  const task = crystal.task_state;
  const fragments = crystal.focus_fragments ?? [];
  const state = Object.keys(crystal.working_memory ?? {}).length > 0;
  return (
    <>
      <dl className="facts">
        <dt>Tokens</dt>
        <dd>
          {(crystal.focus_tokens ?? 0).toLocaleString()} in fragments and {(crystal.summary_tokens ?? 0).toLocaleString()} in the summary{crystal.budget ? `, of at most ${crystal.budget.toLocaleString()}` : ""}
        </dd>
        <dt>Turns</dt>
        <dd>
          {counted(crystal.turns ?? 0, "turn")}, {crystal.dropped ?? 0} of them only in the summary
        </dd>
        <dt>Task</dt>
        <dd>
          {task?.description || "none was named"} ({task?.status ?? "active"}, {Math.round((task?.progress ?? 0) * 100)} %)
        </dd>
        <dt>Resumed</dt>
        <dd>{counted(crystal.uses ?? 0, "time")}</dd>
      </dl>
      <h3>Fragments</h3>
      {fragments.length === 0 ? (
        <p className="small">Nothing was kept word for word.</p>
      ) : (
        <TableWrap label="Fragments">
          <table>
            <thead>
              <tr>
                <th scope="col" className="number">
                  Turn
                </th>
                <th scope="col">Said by</th>
                <th scope="col">What</th>
                <th scope="col">Kept because</th>
              </tr>
            </thead>
            <tbody>
              {fragments.map((one) => (
                <tr key={one.id}>
                  <td className="number">{one.position}</td>
                  <td>{one.role}</td>
                  <td className="said">
                    {one.content}
                    {one.condensed && <span className="faint"> (condensed)</span>}
                  </td>
                  <td>
                    <span className="state">{one.linearity}</span> <span className="faint">{one.rationale}</span>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableWrap>
      )}
      <h3>Summary of the rest</h3>
      {crystal.history_summary ? <pre>{crystal.history_summary}</pre> : <p className="small">There is none.</p>}
      {state && (
        <>
          <h3>Working memory</h3>
          <pre>{JSON.stringify(crystal.working_memory, null, 2)}</pre>
        </>
      )}
    </>
  );
}
