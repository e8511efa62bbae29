// A text with the words of a question marked in it.

const LEAST = 3;
/** Words that every question has: marking them would say nothing. */
const COMMON = new Set("about and are did does for from had has have her him his how into its not our she that the their them then there they this was were what when where which who whom whose why will with you your".split(" "));
const WORDS = /[\p{L}\p{N}]+/gu;

/** How much shorter than the beginning of a word another form of it may be: `shipping` and `ship`, not `allergic` and `all`. */
const CUT = 2;
const SHORTEST = 4;
/** A match that begins later than this is not seen in one line, unless the text begins nearer to it. */
const IN_SIGHT = 34;
const BEFORE = 14;

/** The beginning by which forms of the same word are found: `ships` and `shipping` share `ship`. */
const stemOf = (word: string) => (word.length > 5 ? word.slice(0, -2) : word);

export type Piece = { text: string; marked: boolean };

export function pieces(text: string, query: string): Piece[] {
  const asked = (query.toLowerCase().match(WORDS) ?? []).filter((word) => word.length >= LEAST && !COMMON.has(word)).map(stemOf);
  if (!asked.length) return [{ text, marked: false }];
  const found: Piece[] = [];
  let last = 0;
  for (const match of text.matchAll(WORDS)) {
    const word = match[0].toLowerCase();
    if (!asked.some((stem) => word.startsWith(stem) || (word.length >= Math.max(SHORTEST, stem.length - CUT) && stem.startsWith(stemOf(word))))) continue;
    if (match.index > last) found.push({ text: text.slice(last, match.index), marked: false });
    found.push({ text: match[0], marked: true });
    last = match.index + match[0].length;
  }
  if (last < text.length) found.push({ text: text.slice(last), marked: false });
  return found;
}

/** The text for one line: from shortly before the first match, if that would be out of sight. */
export function nearMatch(text: string, query: string): string {
  const [first, second] = query ? pieces(text, query) : [];
  if (!first || first.marked || !second?.marked || first.text.length <= IN_SIGHT) return text;
  const start = text.indexOf(" ", first.text.length - BEFORE - 1);
  return start < 0 || start >= first.text.length ? text : `…${text.slice(start)}`;
}

export function Highlighted({ text, query }: { text: string; query: string }) {
  if (!query) return text;
  return pieces(text, query).map((piece, place) => (piece.marked ? <mark key={place}>{piece.text}</mark> : piece.text));
}
