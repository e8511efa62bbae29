// What lies at an address, or what a glyph stands for.
import type { Memory } from "../../api/client";
import { Empty } from "../../parts/Empty";
import { Loading } from "../../parts/Loading";
import { ProblemNote } from "../../parts/ProblemNote";
import { counted, TierTag } from "../../parts/words";
import { Link } from "../../route/router";
import { useInspected } from "./asking";
import { Breadcrumb } from "./Breadcrumb";
import { Card } from "./Card";

export function Place({ what }: { what: string }) {
  const asked = useInspected(what);
  if (asked.error) return <ProblemNote error={asked.error} retry={() => void asked.refetch()} />;
  if (!asked.data) return <Loading lines={10} />;
  const { record, records = [], families = [], phrases = [] } = asked.data;
  const found = [...(record ? [record] : []), ...records.filter((one) => one.id !== record?.id)] as Memory[];
  return (
    <>
      {what.includes("#") ? <Breadcrumb address={what} /> : <h2 className="big-glyph">{what}</h2>}
      {families.length > 0 && (
        <Card title={counted(families.length, "family", "families")}>
          <ul className="glyph-list">
            {families.slice(0, 60).map((one) => (
              <li key={one.glyph}>
                <Link to="/inspect" said={{ at: one.glyph }}>
                  <b lang="zxx">{one.glyph}</b>
                </Link>
                <span>{one.label}</span>
              </li>
            ))}
          </ul>
          {phrases.length > 0 && <p className="small">Its phrases: {phrases.map((one) => one.text).join(" · ")}</p>}
        </Card>
      )}
      {found.length ? (
        <Card title={counted(found.length, "memory", "memories")}>
          <ul className="links">
            {found.map((one) => (
              <li key={one.id}>
                <TierTag tier={one.vitals?.tier} archived={one.vitals?.archived_at} /> <Link to={`/inspect/${encodeURIComponent(one.id)}`}>{one.text}</Link>
              </li>
            ))}
          </ul>
        </Card>
      ) : (
        <Empty icon="eye" title="No memory lies exactly here">
          <p>Go a step up in the address above, or look at the families of this cell.</p>
        </Empty>
      )}
    </>
  );
}
