// How full each tier is, and how long it keeps what it holds.
import { useQuery } from "@tanstack/react-query";
import { answer, api, type Memory } from "../../api/client";
import { useWhose, type At } from "../../api/whose";
import { Loading } from "../../parts/Loading";
import { ProblemNote } from "../../parts/ProblemNote";
import { counted, TierTag, When } from "../../parts/words";
import { Link } from "../../route/router";

const TIERS = ["working", "session", "episodic", "semantic"] as const;
const ABOUT = {
  working: "What is said right now",
  session: "What the session is about",
  episodic: "What happened in the last days",
  semantic: "What stays",
};
const SESSION_WIDE = new Set(["working", "session"]);

async function gauged(at: At) {
  const held = await answer(api.GET("/v1/stats/tiers", { params: { query: at } }));
  const oldest = await Promise.all(
    TIERS.map((tier) =>
      answer(api.GET("/v1/records", { params: { query: { ...at, filters: JSON.stringify({ tier, archived: false }), newest_first: false, limit: 1 } } })),
    ),
  );
  return { held: held as Record<string, number | string | null>, oldest: oldest.map((page) => page.records[0] ?? null) };
}

export const hoursTold = (hours: number) => (hours >= 48 ? `${Math.round(hours / 24)} days` : hours === 1 ? "1 hour" : `${hours} hours`);

export function Gauges() {
  const at = useWhose();
  const { data, error, refetch } = useQuery({ queryKey: ["records", at, "gauges"], queryFn: () => gauged(at) });
  if (error) return <ProblemNote error={error} retry={() => void refetch()} />;
  if (!data) return <Loading lines={6} label="Counting the tiers" />;
  const figure = (name: string) => {
    const value = data.held[name];
    return typeof value === "number" ? value : null;
  };
  return (
    <div className="tiles">
      {TIERS.map((tier, place) => (
        <Gauge
          key={tier}
          tier={tier}
          held={figure(`l${place + 1}_size`) ?? 0}
          most={figure(`max_l${place + 1}_size`)}
          hours={figure(`l${place + 1}_retention_hours`)}
          oldest={data.oldest[place] ?? null}
        />
      ))}
      <section className="panel gauge" aria-label="Archive">
        <div className="row">
          <span className="tier">archived</span>
        </div>
        <span className="big">{(figure("archived") ?? 0).toLocaleString()}</span>
        <p className="small">No longer shown unasked. Searches and questions still find them, and using one brings it back.</p>
        <p className="small">
          {counted(figure("consolidated") ?? 0, "merge", "merges")} of memories that say the same; {counted(figure("l4_pruned_count") ?? 0, "memory", "memories")} faded out of L4.
        </p>
      </section>
    </div>
  );
}

type Shown = { tier: (typeof TIERS)[number]; held: number; most: number | null; hours: number | null; oldest: Memory | null };

function Gauge({ tier, held, most, hours, oldest }: Shown) {
  const age = oldest ? Date.now() - new Date(oldest.recorded_at).getTime() : 0;
  const due = hours !== null && age > hours * 3_600_000;
  const fits = most === null ? "no limit" : SESSION_WIDE.has(tier) ? `${most.toLocaleString()} fit in each session` : `of ${most.toLocaleString()}`;
  return (
    <section className="panel gauge" aria-label={`Tier ${tier}`}>
      <div className="row">
        <TierTag tier={tier} />
        {due && <span className="state busy" title="The oldest is past its time: the next pass looks at it">due to move</span>}
      </div>
      <p>
        <span className="big">{held.toLocaleString()}</span> <span className="small">{fits}</span>
      </p>
      {most !== null && <Level tier={tier} share={held / most} label={`${tier}: ${held} held, ${fits}`} now={held} most={most} />}
      <p className="small">
        {ABOUT[tier]}, {hours === null ? "kept for good." : `kept for ${hoursTold(hours)} unless it proves useful.`}
      </p>
      <p className="small">
        {oldest ? (
          <>
            The oldest is from <Link to={`/inspect/${oldest.id}`}><When at={oldest.recorded_at} relative /></Link>
          </>
        ) : (
          "It holds nothing now."
        )}
      </p>
    </section>
  );
}

function Level({ tier, share, label, now, most }: { tier: string; share: number; label: string; now: number; most: number }) {
  return (
    <svg className="level" viewBox="0 0 100 8" preserveAspectRatio="none" role="meter" aria-label={label} aria-valuemin={0} aria-valuemax={Math.max(most, now)} aria-valuenow={now}>
      <rect width="100" height="8" className="groove" />
      <rect width={100 * Math.min(1, share)} height="8" className={`fill-${tier}`} />
    </svg>
  );
}
