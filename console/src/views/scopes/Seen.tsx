// What the node that we look from sees, by who wrote it, and why.
import { useQuery } from "@tanstack/react-query";
import { answer, api } from "../../api/client";
import type { At } from "../../api/whose";
import { Empty } from "../../parts/Empty";
import { TableWrap } from "../../parts/TableWrap";
import { counted, When } from "../../parts/words";
import { Link, say } from "../../route/router";
import { Button } from "../../parts/Button";
import { why, type Group } from "./nodes";

const EXAMPLES = 2;

export function Seen({ at, found }: { at: At; found: Group[] }) {
  return (
    <section className="panel" aria-labelledby="seen">
      <header>
        <h2 id="seen">
          What {at.node === "/" ? "the top node" : <code>{at.node}</code>} can see
        </h2>
        <span className="small">{counted(found.reduce((all, one) => all + one.count, 0), "memory", "memories")}, by who wrote them</span>
        <span className="spring" />
        {at.node !== "/" && (
          <Button icon="up" onPress={() => say({ node: null }, "push")}>
            Back to the top
          </Button>
        )}
      </header>
      {found.length === 0 ? (
        <Empty icon="eye" title="This node can see nothing yet">
          <p>It has written nothing, no node beside it has shared anything, and nobody has written anything global.</p>
        </Empty>
      ) : (
        <TableWrap label="What is seen, and why">
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
                    <Newest at={at} group={one} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableWrap>
      )}
    </section>
  );
}

/** The newest of a group, as examples. */
function Newest({ at, group }: { at: At; group: Group }) {
  const filters = JSON.stringify({ node: group.author, scope: group.scope });
  const { data } = useQuery({
    queryKey: ["records", at, "newest", filters],
    queryFn: () => answer(api.GET("/v1/records", { params: { query: { ...at, filters, limit: EXAMPLES } } })),
  });
  return data?.records.map((record) => (
    <p key={record.id}>
      <Link to={`/inspect/${encodeURIComponent(record.id)}`}>{record.text}</Link>{" "}
      <span className="faint">
        <When at={record.occurred_at} relative />
      </span>
    </p>
  ));
}
