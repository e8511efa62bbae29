// Scopes: the tree of nodes, and what each of them sees.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { answer, api, type Memory } from "../../api/client";
import { useWhose, type At } from "../../api/whose";
import { Button } from "../../parts/Button";
import { Empty } from "../../parts/Empty";
import { Loading } from "../../parts/Loading";
import { ProblemNote } from "../../parts/ProblemNote";
import { counted } from "../../parts/words";
import { say } from "../../route/router";
import "../../style/sheet.css";
import { nodesOf, SCOPES, type Node } from "./nodes";
import { Seen } from "./Seen";
import "./scopes.css";

const PAGE = 1_000;
const PAGES = 5;

async function newest(at: At): Promise<{ records: Memory[]; all: boolean }> {
  const records: Memory[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < PAGES; page += 1) {
    const found: { records: Memory[]; cursor?: string | null } = await answer(api.GET("/v1/records", { params: { query: { ...at, limit: PAGE, cursor } } }));
    records.push(...found.records);
    cursor = found.cursor ?? null;
    if (!cursor) return { records, all: true };
  }
  return { records, all: false };
}

/** The tree is found from the top, where all that is global or shared by its children is seen, and from where we look. */
async function tree(at: At) {
  const here = await newest(at);
  const top = at.node === "/" ? here : await newest({ ...at, node: "/" });
  const nodes = nodesOf(top.records.concat(here.records), [at.node]).map((one) => one.path);
  // A node alone knows what it keeps to itself, and what its children share with it.
  const seen = await Promise.all(nodes.map((node) => answer(api.GET("/v1/stats", { params: { query: { ...at, node } } }))));
  return { here, paths: nodes, seen: new Map(nodes.map((node, place) => [node, seen[place]])), all: top.all && here.all };
}

export default function Scopes() {
  const at = useWhose();
  const { data, error, refetch } = useQuery({ queryKey: ["records", at, "scopes"], queryFn: () => tree(at), staleTime: 30_000 });
  const nodes = useMemo(() => (data ? nodesOf(data.here.records, data.paths) : []), [data]);
  return (
    <section className="sheet scopes" aria-labelledby="title">
      <header>
        <h1 id="title">Scopes</h1>
        <p className="small">Each agent is a node of a tree. What it writes is local to it, shared one step, or global.</p>
      </header>
      {error ? (
        <ProblemNote error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Loading lines={12} label="Looking for the nodes" />
      ) : !data.here.records.length && nodes.length <= 1 ? (
        <Empty icon="tree" title="No node has written yet">
          <p>A node is named when something is written:</p>
          <pre>{`foveal write "The plan is ready" --node /planner --scope shared --actor-id ${at.actor_id}`}</pre>
        </Empty>
      ) : (
        <>
          <section className="panel" aria-labelledby="nodes">
            <header>
              <h2 id="nodes">Nodes</h2>
              <span className="small">
                {counted(nodes.length, "node")}, found among {data.all ? "all that can be seen from here and from the top" : `the newest ${(PAGE * PAGES).toLocaleString()} memories`}. A node that keeps everything to itself shows once you look from it.
              </span>
            </header>
            <div className="table-wrap" role="region" aria-label="The tree of nodes" tabIndex={0}>
              <table role="treegrid" aria-label="Nodes with what they see">
                <thead>
                  <tr>
                    <th scope="col">Node</th>
                    <th scope="col">
                      <span className="visually-hidden">View as</span>
                    </th>
                    {SCOPES.map((scope) => (
                      <th scope="col" className="number" key={scope}>
                        sees {scope}
                      </th>
                    ))}
                    <th scope="col" className="number">
                      sees in all
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {nodes.map((node) => (
                    <Line key={node.path} node={node} scopes={data.seen.get(node.path)?.scopes ?? {}} all={data.seen.get(node.path)?.records ?? 0} here={node.path === at.node} />
                  ))}
                </tbody>
              </table>
            </div>
            <LookFrom />
          </section>
          <Seen at={at} records={data.here.records} all={data.here.all} />
        </>
      )}
    </section>
  );
}

const viewAs = (node: string) => say({ node: node === "/" ? null : node }, "push");

function Line({ node, scopes, all, here }: { node: Node; scopes: Record<string, number>; all: number; here: boolean }) {
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
          <span className="state busy">from here</span>
        ) : (
          <Button look="quiet" icon="eye" onPress={() => viewAs(node.path)} aria-label={`View as ${node.path}`}>
            View as
          </Button>
        )}
      </td>
      {SCOPES.map((scope) => (
        <td className="number" key={scope}>
          {(scopes[scope] ?? 0).toLocaleString()}
        </td>
      ))}
      <td className="number">{all.toLocaleString()}</td>
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
