// Scopes: the tree of nodes, and what each of them sees.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { answer, api } from "../../api/client";
import { useWhose, type At } from "../../api/whose";
import { Button } from "../../parts/Button";
import { Empty } from "../../parts/Empty";
import { Loading } from "../../parts/Loading";
import { ProblemNote } from "../../parts/ProblemNote";
import { TableWrap } from "../../parts/TableWrap";
import { counted } from "../../parts/words";
import { say } from "../../route/router";
import "../../style/sheet.css";
import { SCOPES, seenFrom, treeOf, type Node } from "./nodes";
import { Seen } from "./Seen";
import "./scopes.css";

/** How it is asked: from the top, since each node is told of all below it. */
function useNodes(at: At) {
  return useQuery({
    queryKey: ["records", { ...at, node: "/" }, "nodes"],
    queryFn: () => answer(api.GET("/v1/nodes", { params: { query: { ...at, node: "/" } } })),
    staleTime: 30_000,
  });
}

export default function Scopes() {
  const at = useWhose();
  const { data, error, refetch } = useNodes(at);
  const nodes = useMemo(() => treeOf(data ?? [], [at.node]), [data, at.node]);
  return (
    <section className="sheet scopes" aria-labelledby="title">
      <header>
        <h1 id="title">Scopes</h1>
        <p className="small">Who can see what. Each agent is a node of a tree: what it writes is seen by itself alone (local), by the nodes one step up and down too (shared), or by all (global).</p>
      </header>
      {error ? (
        <ProblemNote error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Loading lines={12} label="Looking for the nodes" />
      ) : data.length === 0 && at.node === "/" ? (
        <Empty icon="tree" title="No node has written yet">
          <p>A node is named when something is written:</p>
          <pre>{`foveal write "The plan is ready" --node /planner --scope shared --actor-id ${at.actor_id}`}</pre>
        </Empty>
      ) : (
        <>
          <section className="panel" aria-labelledby="nodes">
            <header>
              <h2 id="nodes">Nodes</h2>
              <span className="small">{counted(nodes.length, "node")}; how many memories each wrote, and how many it can see. Choose one to look at the memory as that agent does.</span>
            </header>
            <TableWrap label="The tree of nodes">
              <table role="treegrid" aria-label="Nodes with what they see">
                <thead>
                  <tr>
                    <th scope="col">Node</th>
                    <th scope="col">
                      <span className="visually-hidden">View as</span>
                    </th>
                    {SCOPES.map((scope) => (
                      <th scope="col" className="number" key={scope}>
                        Wrote, {scope}
                      </th>
                    ))}
                    <th scope="col" className="number">
                      Can see
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {nodes.map((node) => (
                    <Line key={node.path} node={node} sees={seenFrom(nodes, node.path).reduce((all, one) => all + one.count, 0)} here={node.path === at.node} />
                  ))}
                </tbody>
              </table>
            </TableWrap>
            <LookFrom />
          </section>
          <Seen at={at} found={seenFrom(nodes, at.node)} />
        </>
      )}
    </section>
  );
}

const viewAs = (node: string) => say({ node: node === "/" ? null : node }, "push");

function Line({ node, sees, here }: { node: Node; sees: number; here: boolean }) {
  return (
    <tr role="row" aria-level={node.depth + 1} className={here ? "here" : undefined} aria-current={here || undefined}>
      <th scope="row" className="node">
        <span style={{ paddingInlineStart: node.depth * 20 }} className="mono" title={node.path}>
          {node.depth > 0 && <span aria-hidden="true">└ </span>}
          {node.name}
        </span>
      </th>
      <td>
        {here ? (
          <span className="state busy">shown below</span>
        ) : (
          <Button look="quiet" icon="eye" onPress={() => viewAs(node.path)} aria-label={`View as ${node.path}`}>
            View as
          </Button>
        )}
      </td>
      {SCOPES.map((scope) => (
        <td className="number" key={scope}>
          {node.own[scope].toLocaleString()}
        </td>
      ))}
      <td className="number">{sees.toLocaleString()}</td>
    </tr>
  );
}

function LookFrom() {
  return (
    <form
      className="row ends"
      onSubmit={(event) => {
        event.preventDefault();
        const said = new FormData(event.currentTarget).get("node");
        if (typeof said === "string" && said.trim()) viewAs(`/${said.trim().replace(/^\/+|\/+$/g, "")}`);
      }}
    >
      <label className="pick">
        <span>A node that is not listed</span>
        <input name="node" placeholder="/planner/research" autoComplete="off" />
      </label>
      <Button type="submit" icon="eye">
        View as it
      </Button>
    </form>
  );
}
