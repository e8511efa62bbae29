// The lines of a configuration that set what the tiers may hold.
export const NAMES = ["L1 working", "L2 session", "L3 episodic", "L4 semantic"];
export type Bounds = { capacity: number | null; retention_hours: number | null };

/** What is wrong with these bounds, in words, if anything. */
export function problemIn(wanted: readonly Bounds[]): string | null {
  for (const [place, { capacity, retention_hours: hours }] of wanted.entries()) {
    if (capacity !== null && !(Number.isInteger(capacity) && capacity > 0)) return `${NAMES[place]} must hold a whole number of at least 1, or have no bound.`;
    if (hours !== null && !(hours > 0)) return `${NAMES[place]} must keep for more than 0 hours, or for good.`;
  }
  return null;
}

/** The lines that make the bounds of now into those that are wanted; nothing when they are the same. */
export function linesOf(now: readonly Bounds[], wanted: readonly Bounds[]): string {
  const lines = wanted.flatMap((bounds, place) => {
    const said = (["capacity", "retention_hours"] as const)
      .filter((name) => bounds[name] !== now[place]?.[name])
      .map((name) => `${name}: ${bounds[name] ?? "null"}`);
    return said.length ? [`  l${place + 1}: {${said.join(", ")}}`] : [];
  });
  return lines.length ? ["memory:", ...lines].join("\n") : "";
}
