// Places in a long list: which pages they are on, and where a moment stands.
export const PAGE = 100;

/** The pages that hold these places, and those around them. */
export function pagesOf(first: number, last: number, around = 0.3): number[] {
  const from = Math.max(0, Math.floor(first / PAGE - around));
  const to = Math.max(from, Math.floor(last / PAGE + around));
  return Array.from({ length: to - from + 1 }, (_, place) => from + place);
}

/** The page of a list, newest first, on which the first stands that happened before a moment. */
export function placeOf(marks: readonly { at: string }[], before: Date): number {
  let low = 0;
  let high = marks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (new Date(marks[middle]?.at ?? 0) >= before) low = middle + 1;
    else high = middle;
  }
  return low;
}
