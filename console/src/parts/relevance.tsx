// How likely a memory is to help with a question: as a number, as a bar, and what it is made of.

/** What each part of a relevance stands for. */
export const PARTS: Record<string, string> = {
  question: "whether this memory can answer, and what else it found",
  words: "shares words with the question",
  meaning: "means something near",
  pieces: "shares pieces of words and their sense",
  answers: "comes after something like the question",
  asks: "is itself a question",
  substance: "says much, or little",
  role: "said by a person, an assistant or a tool",
  speaker: "said by or about whom the question names",
  kind: "holds what is asked for: a name, a number or a time",
  rules: "tells a taste or a rule to go by",
  change: "tells what changed, or is newer",
  time: "from the days asked about",
  life: "importance, use and age",
  second_look: "a finer comparison of the two meanings",
  reranker: "the second opinion of a reranker",
};

/** Below this chance a memory is shown because it comes nearest or there is room, not because it is likely to help. */
export const LIKELY = 0.05;

/** A chance in percent. Almost never and almost always are not rounded to never and always. */
export function percent(chance: number): string {
  if (chance > 0 && chance < 0.01) return "under 1 %";
  if (chance > 0.99 && chance < 1) return "over 99 %";
  return `${Math.round(100 * chance)} %`;
}

export function Relevance({ value }: { value: number }) {
  return (
    <span className="relevance" title={`Relevance ${value.toFixed(2)}: how likely it is to help`}>
      {percent(value)}
      <svg width="48" height="4" aria-hidden="true">
        <rect width="48" height="4" rx="2" className="groove" />
        <rect width={48 * Math.max(0, Math.min(1, value))} height="4" rx="2" className="filled" />
      </svg>
    </span>
  );
}

/** The mark of what a later memory seems to say anew. */
export function Older({ by }: { by: string | null | undefined }) {
  if (!by) return null;
  return (
    <span className="tag older" title="A later memory seems to say it anew">
      older
    </span>
  );
}
