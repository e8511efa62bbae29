// What changed between two versions of a text, word by word.
export type Piece = { kind: "same" | "gone" | "new"; text: string };

const MOST = 1_500;
const words = (text: string) => text.match(/\s+|[^\s]+/g) ?? [];

/** The pieces that make the second text out of the first. Very long texts are told as one change. */
export function diff(before: string, after: string): Piece[] {
  const [first, second] = [words(before), words(after)];
  if (first.length > MOST || second.length > MOST)
    return before === after ? [{ kind: "same", text: after }] : [{ kind: "gone", text: before }, { kind: "new", text: after }];
  const width = second.length + 1;
  // The length of the longest common run of words from each pair of places on.
  const common = new Uint16Array((first.length + 1) * width);
  for (let i = first.length - 1; i >= 0; i--)
    for (let j = second.length - 1; j >= 0; j--)
      common[i * width + j] =
        first[i] === second[j]
          ? (common[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(common[(i + 1) * width + j] ?? 0, common[i * width + j + 1] ?? 0);
  const pieces: Piece[] = [];
  const add = (kind: Piece["kind"], text: string) => {
    const last = pieces.at(-1);
    if (last?.kind === kind) last.text += text;
    else pieces.push({ kind, text });
  };
  let [i, j] = [0, 0];
  while (i < first.length || j < second.length) {
    if (i < first.length && j < second.length && first[i] === second[j]) {
      add("same", first[i] as string);
      i++;
      j++;
    } else if (j >= second.length || (i < first.length && (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0))) add("gone", first[i++] as string);
    else add("new", second[j++] as string);
  }
  return pieces;
}
