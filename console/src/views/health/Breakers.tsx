// What stands before the servers that this one asks: whether calls go there, or it is let alone for a while.
import type { Breaker } from "../../api/health";
import { TableWrap } from "../../parts/TableWrap";
import { counted, When } from "../../parts/words";

const LOOKS: Record<string, string> = { CLOSED: "good", HALF_OPEN: "busy", OPEN: "bad" };
const SIGNS: Record<string, string> = { CLOSED: "✓", HALF_OPEN: "!", OPEN: "✕" };

/** What a state means, in words. */
export function meaning({ state, failures, allowed, seconds }: Breaker): string {
  if (state === "OPEN") return seconds > 0 ? `Not asked: one call is tried in ${counted(Math.ceil(seconds), "second")}.` : "Not asked: the next call is the one that tries.";
  if (state === "HALF_OPEN") return "One call is trying; the others wait for how it goes.";
  return failures ? `Asked; opens after ${counted(allowed - failures, "more failure", "more failures")} in a row.` : "Asked as usual.";
}

export function Breakers({ all }: { all: Breaker[] }) {
  return (
    <section className="panel" aria-labelledby="breakers">
      <header>
        <h2 id="breakers">Calls to other servers</h2>
        <span className="small">A server that fails too often is left alone for a while, so that nobody waits in vain (a circuit breaker).</span>
      </header>
      {all.length === 0 ? (
        <p className="small">This server asks no other: its encoder is its own, and no model and no shared cache is set.</p>
      ) : (
        <TableWrap label="Breakers by what they stand before">
          <table>
            <thead>
              <tr>
                <th scope="col">Before</th>
                <th scope="col">State</th>
                <th scope="col" className="number">
                  Failures
                </th>
                <th scope="col">Last failure</th>
                <th scope="col">What it means</th>
              </tr>
            </thead>
            <tbody>
              {all.map((one) => (
                <tr key={one.name}>
                  <td>
                    <b>{one.name}</b>
                  </td>
                  <td>
                    <span className={`state ${LOOKS[one.state] ?? ""}`}>
                      <span aria-hidden="true">{SIGNS[one.state] ?? "?"}</span> {one.state.toLowerCase().replace("_", " ")}
                    </span>
                  </td>
                  <td className="number nowrap">
                    {one.failures} of {one.allowed}
                  </td>
                  <td className="nowrap">{one.failed_at ? <When at={one.failed_at} relative /> : "none"}</td>
                  <td>{meaning(one)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableWrap>
      )}
    </section>
  );
}
