// The figures of the server, read from the text that Prometheus reads.
import { counted } from "../../parts/words";

export type Sample = { name: string; labels: Record<string, string>; value: number };
export type Buckets = [le: number, count: number][];
export type Verb = { verb: string; requests: number; failed: number; buckets: Buckets };

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

export function samples(text: string): Sample[] {
  const found: Sample[] = [];
  for (const line of text.split("\n")) {
    const said = line.startsWith("#") ? null : LINE.exec(line);
    if (!said?.[1]) continue;
    const labels = Object.fromEntries([...(said[2] ?? "").matchAll(LABEL)].map((one) => [one[1], one[2]]));
    found.push({ name: said[1], labels, value: Number(said[3]?.replace("+Inf", "Infinity")) });
  }
  return found;
}

/** Requests and how long they took, by verb, over all doors. */
export function verbs(all: Sample[]): Map<string, Verb> {
  const found = new Map<string, Verb & { seen: Map<number, number> }>();
  const of = (verb: string) => {
    const known = found.get(verb) ?? { verb, requests: 0, failed: 0, buckets: [], seen: new Map() };
    found.set(verb, known);
    return known;
  };
  for (const { name, labels, value } of all) {
    const verb = labels.verb;
    if (!verb) continue;
    if (name === "foveal_requests_total") {
      of(verb).requests += value;
      if (labels.code !== "ok") of(verb).failed += value;
    } else if (name === "foveal_request_seconds_bucket") {
      const le = labels.le === "+Inf" ? Infinity : Number(labels.le);
      const { seen } = of(verb);
      seen.set(le, (seen.get(le) ?? 0) + value);
    }
  }
  return new Map([...found].map(([verb, { seen, ...rest }]) => [verb, { ...rest, buckets: [...seen].sort((a, b) => a[0] - b[0]) }]));
}

/** The time below which a share of the requests stayed, in seconds; null when there were none. */
export function quantile(buckets: Buckets, share: number): number | null {
  const total = buckets.at(-1)?.[1] ?? 0;
  if (total <= 0) return null;
  const wanted = total * share;
  let [before, under] = [0, 0];
  for (const [le, count] of buckets) {
    if (count >= wanted) {
      if (le === Infinity) return before;
      return count === under ? le : before + ((le - before) * (wanted - under)) / (count - under);
    }
    [before, under] = [le, count];
  }
  return before;
}

/** What came between two looks. */
export function between(now: Buckets, then: Buckets | undefined): Buckets {
  const old = new Map(then ?? []);
  return now.map(([le, count]) => [le, Math.max(0, count - (old.get(le) ?? 0))]);
}

export const figure = (all: Sample[], name: string, labels: Record<string, string> = {}): number | null => {
  const fitting = all.filter((one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value));
  return fitting.length ? fitting.reduce((sum, one) => sum + one.value, 0) : null;
};

/** How much of what a cache was asked for it knew, in words. */
export function cached(all: Sample[], kind: string, what: string): string {
  const asked = figure(all, "foveal_cache_total", { kind }) ?? 0;
  const known = figure(all, "foveal_cache_total", { kind, known: "yes" }) ?? 0;
  return asked ? `knew ${known.toLocaleString()} of ${counted(asked, what)}, ${Math.round((100 * known) / asked)} %` : "not asked yet";
}
