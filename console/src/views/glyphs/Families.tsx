// The families as a table: all, those of a cell, or those inside the line that was drawn.
import { useState } from "react";
import { Button } from "../../parts/Button";
import { TableWrap } from "../../parts/TableWrap";
import { counted, Share } from "../../parts/words";
import type { Family } from "./plane";

const FIRST = 40;
const SORTS = { uses: "Uses", size: "Phrases", coherence: "How alike", entropy: "Languages mixed" } as const;
type Sort = keyof typeof SORTS;

export function Families({ families, open, show, narrowed }: { families: Family[]; open: number | null; show: (one: Family) => void; narrowed: boolean }) {
  const [most, setMost] = useState(FIRST);
  const [sort, setSort] = useState<Sort>("uses");
  const sorted = [...families].sort((a, b) => b[sort] - a[sort]);
  return (
    <section className="families" aria-labelledby="families">
      <h2 id="families" aria-live="polite">
        {counted(families.length, "family", "families")} {narrowed ? "chosen" : "in all"}
      </h2>
      <TableWrap label="Families">
        <table>
          <thead>
            <tr>
              <th scope="col">Family</th>
              {Object.entries(SORTS).map(([name, told]) => (
                <th key={name} scope="col" aria-sort={sort === name ? "descending" : undefined}>
                  <Button look="quiet" onPress={() => setSort(name as Sort)}>
                    {told}
                    {sort === name ? " ↓" : ""}
                  </Button>
                </th>
              ))}
              <th scope="col">Languages</th>
            </tr>
          </thead>
          <tbody>
            {sorted.slice(0, most).map((one) => (
              <tr key={one.number} className={one.number === open ? "open" : undefined}>
                <th scope="row">
                  <Button look="quiet" onPress={() => show(one)}>
                    {one.label} <span className="sign" lang="zxx">{one.glyph}</span>
                  </Button>
                </th>
                <td>{one.uses.toLocaleString()}</td>
                <td>{one.size.toLocaleString()}</td>
                <td>
                  <Share value={one.coherence} label="How alike its phrases are" /> {Math.round(100 * one.coherence)} %
                </td>
                <td>{one.entropy === 0 ? "one" : `${one.entropy.toFixed(2)} bits`}</td>
                <td>{Object.keys(one.languages).join(", ")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableWrap>
      {sorted.length > most && (
        <Button look="quiet" onPress={() => setMost(most + 200)}>
          Show more of {(sorted.length - most).toLocaleString()}
        </Button>
      )}
    </section>
  );
}
