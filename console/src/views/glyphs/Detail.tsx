// One family: what it means, how sure that is, in which languages it is said, and the memories it is in.
import { useQuery } from "@tanstack/react-query";
import { answer, api } from "../../api/client";
import { useWhose } from "../../api/whose";
import { IconButton } from "../../parts/Button";
import { Loading } from "../../parts/Loading";
import { ProblemNote } from "../../parts/ProblemNote";
import { counted, Share } from "../../parts/words";
import { Link } from "../../route/router";
import type { Family } from "./plane";

const SHOWN = 8;

export function Detail({ family, close }: { family: Family; close: () => void }) {
  const at = useWhose();
  const { data, error, refetch } = useQuery({
    queryKey: ["records", at, "glyph", family.glyph],
    queryFn: () => answer(api.GET("/v1/inspect", { params: { query: { ...at, what: family.glyph } } })),
  });
  const languages = Object.entries(family.languages).sort((a, b) => b[1] - a[1]);
  return (
    <section className="detail" aria-label={`Family ${family.label}`}>
      <header>
        <span className="glyph" aria-hidden="true">
          {family.glyph}
        </span>
        <h2>{family.label}</h2>
        <IconButton name="Close the family" icon="cross" onClick={close} />
      </header>
      <dl>
        <dt>Glyph</dt>
        <dd>
          {family.glyph} <span className="faint">family {family.number}</span>
        </dd>
        <dt>Phrases</dt>
        <dd>
          {family.size.toLocaleString()}, used {counted(family.uses, "time")}
        </dd>
        <dt>Coherence</dt>
        <dd>
          <Share value={family.coherence} label="Coherence" /> {family.coherence.toFixed(2)} <span className="faint">how near its phrases are in meaning</span>
        </dd>
        <dt>Languages</dt>
        <dd>
          {languages.map(([name, count]) => `${name} ${count}`).join(", ")}{" "}
          <span className="faint">
            entropy {family.entropy.toFixed(2)} bits{family.entropy === 0 ? ": one language" : ": said in several"}
          </span>
        </dd>
        <dt>Cell</dt>
        <dd>
          <Link to="/glyphs" said={{ cell: family.digits.slice(0, 3) }}>
            {family.digits}
          </Link>
        </dd>
      </dl>
      <h3>Said as</h3>
      <ul className="examples">
        {family.examples.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
      <h3>In these memories</h3>
      {error && <ProblemNote error={error} retry={() => void refetch()} />}
      {!data && !error && <Loading lines={4} />}
      <ul className="examples">
        {data?.records?.slice(0, SHOWN).map((one) => (
          <li key={one.id}>
            <Link to={`/inspect/${encodeURIComponent(one.id)}`}>{one.text}</Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
