// One family: what it means, how sure that is, in which languages it is said, and memories that say such things.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { answer, api } from "../../api/client";
import { useWhose } from "../../api/whose";
import { IconButton } from "../../parts/Button";
import { Icon } from "../../parts/Icon";
import { Loading } from "../../parts/Loading";
import { ProblemNote } from "../../parts/ProblemNote";
import { counted, Share } from "../../parts/words";
import { Link } from "../../route/router";
import type { Family } from "./plane";

const SHOWN = 8;

export function Detail({ family, close }: { family: Family; close: () => void }) {
  const at = useWhose();
  const { data, error, refetch } = useQuery({
    queryKey: ["records", at, "saying", family.label],
    queryFn: () => answer(api.POST("/v1/search", { body: { ...at, query: family.label, k: SHOWN, touch: false } })),
  });
  const panel = useRef<HTMLElement>(null);
  // It may be opened from far below, in the table.
  useEffect(() => {
    panel.current?.focus({ preventScroll: true });
    panel.current?.scrollIntoView({ block: "nearest" });
  }, [family.number]);
  const languages = Object.entries(family.languages).sort((a, b) => b[1] - a[1]);
  return (
    <section ref={panel} tabIndex={-1} className="detail" aria-label={`Family ${family.label}`}>
      <header>
        <h2>{family.label}</h2>
        <span className="glyph" lang="zxx" aria-hidden="true">
          {family.glyph}
        </span>
        <IconButton name="Close the family" icon="cross" onClick={close} />
      </header>
      <p className="small">
        Said {counted(family.uses, "time")} in {counted(family.size, "form")}. The sign stands for all of them: it makes long texts short, and finds every memory that says such a thing.
      </p>
      <div className="row">
        <Link className="button" to="/memories" said={{ q: family.label }}>
          <Icon name="search" /> Find its memories
        </Link>
        <Link className="button" to="/lens" said={{ q: family.label }}>
          <Icon name="lens" /> Ask about it
        </Link>
      </div>
      <dl>
        <dt>Glyph</dt>
        <dd>
          <span lang="zxx">{family.glyph}</span> <span className="faint">family {family.number}</span>
        </dd>
        <dt>Phrases</dt>
        <dd>
          {family.size.toLocaleString()}, used {counted(family.uses, "time")}
        </dd>
        <dt>How alike</dt>
        <dd>
          <Share value={family.coherence} label="How alike its phrases are" /> {Math.round(100 * family.coherence)} % <span className="faint">how near its phrases are in meaning</span>
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
      <h3>Memories that say such things</h3>
      {error && <ProblemNote error={error} retry={() => void refetch()} />}
      {!data && !error && <Loading lines={4} />}
      <ul className="examples">
        {data?.map(({ record }) => (
          <li key={record.id}>
            <Link to={`/inspect/${encodeURIComponent(record.id)}`}>{record.text}</Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
