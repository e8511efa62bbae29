// What the node that we look from sees, by who wrote it, and why.
import { useMemo } from "react";
import type { Memory } from "../../api/client";
import type { At } from "../../api/whose";
import { Empty } from "../../parts/Empty";
import { When } from "../../parts/words";
import { Link, say } from "../../route/router";
import { Button } from "../../parts/Button";
import { SCOPES, why, type Scope } from "./nodes";

const EXAMPLES = 2;
type Group = { author: string; scope: Scope; count: number; examples: Memory[] };

function groups(records: Memory[]): Group[] {
  const found = new Map<string, Group>();
  for (const one of records) {
    const scope = (one.scope ?? "local") as Scope;
    const author = one.node ?? "/";
    const group = found.get(`${author} ${scope}`) ?? { author, scope, count: 0, examples: [] };
    group.count += 1;
    if (group.examples.length < EXAMPLES) group.examples.push(one);
    found.set(`${author} ${scope}`, group);
  }
  return [...found.values()].sort((a, b) => a.author.localeCompare(b.author) || SCOPES.indexOf(a.scope) - SCOPES.indexOf(b.scope));
}

export function Seen({ at, records, all }: { at: At; records: Memory[]; all: boolean }) {
  const found = useMemo(() => groups(records), [records]);
  return (
    <section className="panel" aria-labelledby="seen">
      <header>
        <h2 id="seen">
          What <code>{at.node}</code> sees
        </h2>
        <span className="small">{all ? `All ${records.length.toLocaleString()} memories` : `The newest ${records.length.toLocaleString()} memories`}, by who wrote them</span>
        <span className="spring" />
        {at.node !== "/" && (
          <Button icon="up" onPress={() => say({ node: null }, "push")}>
            Back to the top
          </Button>
        )}
      </header>
      {found.length === 0 ? (
        <Empty icon="eye" title="Nothing is seen from here">
          <p>Nobody has written something global, and this node has nothing of its own.</p>
        </Empty>
      ) : (
        <div className="table-wrap" role="region" aria-label="What is seen, and why" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Written by</th>
                <th scope="col">Scope</th>
                <th scope="col">Why it is seen</th>
                <th scope="col" className="number">
                  Memories
                </th>
                <th scope="col">The newest of them</th>
              </tr>
            </thead>
            <tbody>
              {found.map((one) => (
                <tr key={`${one.author} ${one.scope}`}>
                  <td className="mono nowrap">{one.author}</td>
                  <td>
                    <span className={`scope ${one.scope}`}>{one.scope}</span>
                  </td>
                  <td className="reason">{why(at.node, one.author, one.scope)}</td>
                  <td className="number">{one.count.toLocaleString()}</td>
                  <td className="newest">
                    {one.examples.map((record) => (
                      <p key={record.id}>
                        <Link to={`/inspect/${record.id}`}>{record.text}</Link>{" "}
                        <span className="faint">
                          <When at={record.occurred_at} relative />
                        </span>
                      </p>
                    ))}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
