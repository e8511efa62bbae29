// The chosen time as a list, with both clocks.
import { useState } from "react";
import { Button } from "../../parts/Button";
import { counted, When } from "../../parts/words";
import { Link } from "../../route/router";
import { inOneLine, LANES, laneName, type By, type Mark } from "./marks";

const FIRST = 50;

export function List({ marks, by, narrowed }: { marks: Mark[]; by: By; narrowed: boolean }) {
  const [most, setMost] = useState(FIRST);
  const sorted = [...marks].sort((a, b) => b.happened - a.happened);
  return (
    <section className="list" aria-labelledby="listed">
      <h2 id="listed" aria-live="polite">
        {counted(marks.length, "entry", "entries")} {narrowed ? "in the chosen time" : "in all"}
      </h2>
      {marks.length === 0 && <p className="small">Nothing lies in the chosen time. Choose a wider one.</p>}
      {marks.length > 0 && (
        <div className="table-wrap">
          <table>
            <thead>
              <tr>
                <th scope="col">Happened</th>
                <th scope="col">Written down</th>
                <th scope="col">{LANES[by]}</th>
                <th scope="col">Memory</th>
              </tr>
            </thead>
            <tbody>
              {sorted.slice(0, most).map(({ key, record, gone, happened }) => (
                <tr key={key} className={gone ? "gone" : undefined}>
                  <td>
                    <When at={new Date(happened).toISOString()} />
                    <span className="second">
                      written <When at={record.recorded_at} />
                    </span>
                  </td>
                  <td>
                    <When at={record.recorded_at} />
                  </td>
                  <td>{laneName(by, record)}</td>
                  <td>
                    <Link to={`/inspect/${encodeURIComponent(record.id)}`}>{gone ? <s>{inOneLine(record.text)}</s> : inOneLine(record.text)}</Link>
                    {gone && (
                      <span className="small">
                        {" "}
                        version {record.version ?? 1}, superseded <When at={record.superseded_at} />
                      </span>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {marks.length > most && (
        <Button look="quiet" onPress={() => setMost(most + 200)}>
          Show more of {(marks.length - most).toLocaleString()}
        </Button>
      )}
    </section>
  );
}
