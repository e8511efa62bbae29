// The bar above the table: what to look for, and in which of the memories.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { answer, api, type Memory, type Schemas } from "../../api/client";
import { useWhose } from "../../api/whose";
import { Button } from "../../parts/Button";
import { Icon } from "../../parts/Icon";
import { useShortcut } from "../../parts/shortcuts";
import { counted, fullMoment } from "../../parts/words";
import { useSaid } from "../../route/router";
import { Chips, type Suggestion } from "./Chips";
import type { Chosen, Name } from "./filters";
import { useWarming } from "./rows";

const PAUSE = 250;
const SESSIONS = 100;
const YES_NO = [
  ["yes", "yes"],
  ["no", "no"],
] as const;
const TIERS = [
  ["working", "L1 working"],
  ["session", "L2 session"],
  ["episodic", "L3 episodic"],
  ["semantic", "L4 semantic"],
] as const;

/** The search is said in the address once typing pauses. */
function Search() {
  const [said, set] = useSaid("q");
  const [typed, setTyped] = useState(said);
  const field = useRef<HTMLInputElement>(null);
  const warm = useWarming();
  const own = useRef(said);
  useEffect(() => {
    // What was typed here comes back without the space at its end, and after what was typed since.
    if (said !== own.current) setTyped(said);
    own.current = said;
  }, [said]);
  useEffect(() => {
    if (typed.trim() === said) return;
    const timer = setTimeout(() => set((own.current = typed.trim())), PAUSE);
    return () => clearTimeout(timer);
  }, [typed, said, set]);
  useShortcut("/", "Search the memories", () => field.current?.focus());
  return (
    <label className="search">
      <span className="visually-hidden">Search the memories by words and by meaning</span>
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        placeholder="Search by words and by meaning"
        onFocus={warm}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") {
            setTyped("");
            set("");
          }
          if (event.key === "ArrowDown") document.querySelector<HTMLElement>("[role=row][tabindex='0']")?.focus();
        }}
      />
      <kbd aria-hidden="true">/</kbd>
    </label>
  );
}

function Choice({ name, label, options }: { name: Name; label: string; options: readonly (readonly [string, string])[] }) {
  const [value, set] = useSaid(name);
  return (
    <label className={value ? "choice set" : "choice"}>
      <span>{label}</span>
      <select value={value} onChange={(event) => set(event.target.value)}>
        <option value="">any</option>
        {options.map(([one, told]) => (
          <option key={one} value={one}>
            {told}
          </option>
        ))}
      </select>
    </label>
  );
}

function Typed({ name, label, type, known = [] }: { name: Name; label: string; type: "text" | "date"; known?: readonly (readonly [string, string])[] }) {
  const [value, set] = useSaid(name);
  return (
    <label className={value ? "choice set" : "choice"}>
      <span>{label}</span>
      <input list={known.length ? `known-${name}` : undefined} type={type} defaultValue={value} key={value} size={10} onBlur={(event) => set(event.target.value.trim())} onChange={(event) => type === "date" && set(event.target.value)} onKeyDown={(event) => event.key === "Enter" && set(event.currentTarget.value.trim())} />
      {known.length > 0 && (
        <datalist id={`known-${name}`}>
          {known.map(([one, told]) => (
            <option key={one} value={one}>
              {told}
            </option>
          ))}
        </datalist>
      )}
    </label>
  );
}

/** Go to a day in the list, without narrowing it. */
function Jump({ to }: { to: (day: string) => void }) {
  const [day, set] = useState("");
  return (
    <form
      className="jump"
      onSubmit={(event) => {
        event.preventDefault();
        if (day) to(day);
      }}
    >
      <label>
        <span>Go to</span>
        <input
          type="date"
          value={day}
          onChange={(event) => set(event.target.value)}
          onKeyDown={(event) => event.key === "Enter" && event.currentTarget.form?.requestSubmit()}
        />
      </label>
      <Button type="submit" look="quiet" isDisabled={!day} aria-label="Go to that day">
        Go
      </Button>
    </form>
  );
}

/** The regions and the newest sessions there are, to choose from. */
function useOffered() {
  const at = useWhose();
  const { data: regions } = useQuery({
    queryKey: ["records", at, "regions"],
    queryFn: () => answer(api.GET("/v1/regions", { params: { query: at } })),
    staleTime: 60_000,
  });
  const { data: sessions } = useQuery({
    queryKey: ["records", at, "sessions"],
    queryFn: () => answer(api.GET("/v1/sessions", { params: { query: { ...at, limit: SESSIONS } } })),
    staleTime: 60_000,
  });
  return {
    all: regions ?? [],
    regions: (regions ?? []).map((one) => [one.region, counted(one.records, "memory", "memories")] as const),
    sessions: (sessions ?? []).map((one) => [one.id, `${counted(one.records, "memory", "memories")}${one.first_at ? `, ${fullMoment(one.first_at)}` : ""}`] as const),
  };
}

/** Filters that would find something, from what there is: kinds and regions with most memories, and tags in sight. */
function suggested(stats: Schemas["Stats"] | undefined, regions: readonly Schemas["Region"][], seen: readonly Memory[]): Suggestion[] {
  const most = (counts: Iterable<[string, number]>, name: Suggestion["name"], many: number): Suggestion[] =>
    [...counts].sort((a, b) => b[1] - a[1]).slice(0, many).map(([value, count]) => ({ name, value, count }));
  const tags = new Map<string, number>();
  for (const tag of seen.flatMap((one) => one.tags ?? [])) tags.set(tag, (tags.get(tag) ?? 0) + 1);
  const yes = (name: Suggestion["name"], count: number | undefined): Suggestion[] => (count ? [{ name, value: "yes", count }] : []);
  return [
    ...most(Object.entries(stats?.kinds ?? {}), "kind", 3),
    ...(regions.length > 1 ? most(regions.map((one) => [one.region, one.records] as [string, number]), "region", 3) : []),
    ...most(tags, "tag", 2).map(({ name, value }) => ({ name, value })),
    ...yes("pinned", stats?.pinned),
    ...yes("archived", stats?.archived),
  ];
}

type Props = { chosen: Chosen; stats: Schemas["Stats"] | undefined; seen: readonly Memory[]; jump: ((day: string) => void) | undefined };

export function Filters({ chosen, stats, seen, jump }: Props) {
  const count = Object.keys(chosen).length;
  const [open, setOpen] = useState(false);
  const { all, regions, sessions } = useOffered();
  const values = (of: (one: Memory) => readonly (string | null | undefined)[]) => [...new Set(seen.flatMap(of))].filter(Boolean).sort().map((one) => [one as string, ""] as const);
  return (
    <div className="filters" role="search">
      <Search />
      <Button onPress={() => setOpen(!open)} aria-expanded={open} icon="plus">
        Filter{count > 0 && ` (${count})`}
      </Button>
      {jump && <Jump to={jump} />}
      <Chips chosen={chosen} offered={suggested(stats, all, seen)} />
      {open && (
        <div className="choices">
          <Choice name="kind" label="Kind" options={Object.keys(stats?.kinds ?? {}).sort().map((one) => [one, one] as const)} />
          <Choice name="tier" label="Tier" options={TIERS} />
          <Typed name="tag" label="Tag" type="text" known={values((one) => one.tags ?? [])} />
          <Typed name="speaker" label="Speaker" type="text" known={values((one) => [one.speaker])} />
          <Typed name="region" label="Region" type="text" known={regions} />
          <Typed name="session" label="Session" type="text" known={sessions} />
          <Typed name="since" label="From" type="date" />
          <Typed name="until" label="To" type="date" />
          <Choice name="pinned" label="Pinned" options={YES_NO} />
          <Choice name="archived" label="Archived" options={YES_NO} />
          <Choice name="muted" label="Never recalled" options={YES_NO} />
        </div>
      )}
    </div>
  );
}
