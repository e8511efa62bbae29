// What the view of facts asks the server, and the word of a person about one of them.
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useActs } from "../../api/acts";
import { answer, api } from "../../api/client";
import { afresh } from "../../api/lists";
import { useWhose } from "../../api/whose";
import { notify } from "../../parts/notices";

const MOST = 1_000;

const PAST = ["unsure", "ended", "wrong", "merged"];

/** What is believed now, or what is not or no longer. */
export function useFacts(past: boolean) {
  const at = useWhose();
  const some = (status: string) => answer(api.GET("/v1/facts", { params: { query: { ...at, status, limit: MOST } } }));
  return useQuery({
    queryKey: ["records", at, "facts", past],
    queryFn: async () => (await Promise.all((past ? PAST : ["current"]).map(some))).flat(),
    placeholderData: keepPreviousData,
  });
}

export type Verdict = { verdict: "wrong" | "outdated" | "merge"; value?: string; into?: string };
const DONE: Record<Verdict["verdict"], string> = {
  wrong: "It is no longer believed.",
  outdated: "It is kept as what held before.",
  merge: "The two are one fact now.",
};

/** Say what is wrong with a fact. Throws: the dialog that asked shows why. */
export function useCorrect() {
  const at = useWhose();
  const queries = useQueryClient();
  const { undo } = useActs();
  return async (id: string, said: Verdict) => {
    const done = await answer(api.POST("/v1/facts/{record_id}/correct", { params: { path: { record_id: id } }, body: { ...at, ...said } }));
    afresh(queries);
    const move = done.move;
    const again = done.reopened.length ? ` What it had replaced holds again: ${done.reopened[0]?.text}` : "";
    notify(done.instead ? `Believed from now on: ${done.instead.text}` : DONE[said.verdict] + again, move ? () => undo(move) : undefined);
  };
}
