// The words for a score.
/** What each part of a score stands for. */
export const PARTS: Record<string, string> = {
  words: "shares words with the question",
  answers: "comes after something like the question",
  asks: "is itself a question",
  meaning: "means something near",
  role: "who said it",
  speaker: "said by whom the question names",
  time: "from the days asked about",
  when: "tells when",
  pieces: "shares pieces of words and their sense",
  life: "importance, use and age",
};
