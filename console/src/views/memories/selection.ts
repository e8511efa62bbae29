// What is selected: some memories, or all that the filters let through but some.
export type Selection = { all: boolean; ids: ReadonlySet<string> };

export const NOTHING: Selection = { all: false, ids: new Set() };
export const EVERYTHING: Selection = { all: true, ids: new Set() };

export const has = (selection: Selection, id: string): boolean => selection.all !== selection.ids.has(id);

/** How many of so many are selected. */
export const size = (selection: Selection, count: number): number => (selection.all ? Math.max(0, count - selection.ids.size) : selection.ids.size);

/** The selection with these in it, or without them. */
export function changedBy(selection: Selection, ids: readonly string[], on: boolean): Selection {
  const to = new Set(selection.ids);
  for (const id of ids) on !== selection.all ? to.add(id) : to.delete(id);
  return { all: selection.all, ids: to };
}

/** The filter that finds what is selected when that is all but some; what is pinned cannot be forgotten. */
export function targetOf(selection: Selection, filters: Record<string, unknown>, pinned = false): Record<string, unknown> {
  const parts: Record<string, unknown>[] = [filters, { pinned }];
  if (selection.ids.size) parts.push({ not: { id: { in: [...selection.ids] } } });
  return { and: parts };
}
