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

/** No browser draws a box that is higher than this, in px. */
const HIGHEST = 15_000_000;

/** How many rows of a height are laid out at once. A longer list is laid out in bands, one at a time. */
export const bandOf = (height: number): number => Math.floor(HIGHEST / height);

/** Where the band begins that has a place in its middle, as far as the list goes. */
export const bandAround = (place: number, all: number, band: number): number => Math.max(0, Math.min(place - Math.floor(band / 2), all - band));

/** Where the band should begin when these places are in sight: half a band on when an end is near that is not the list's. */
export function bandFor(from: number, first: number, last: number, all: number, band: number): number {
  const half = Math.floor(band / 2);
  if (last >= from + band - PAGE && from + band < all) return Math.min(from + half, all - band);
  if (first < from + PAGE && from > 0) return Math.max(0, from - half);
  return from;
}
