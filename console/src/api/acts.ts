// What may be done to memories, each with a way back.
import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { notify, notifyFailure } from "../parts/notices";
import { counted } from "../parts/words";
import { answer, api, type Memory } from "./client";
import { markBack, markGone } from "./gone";
import { afresh, changed, gone } from "./lists";
import { useWhose } from "./whose";

/** A memory as somebody typed it. */
export type Added = { text: string; kind: string; tags: string; when: string; pin: boolean; learn: boolean };

const detailsOf = ({ kind, tags, when, pin }: Added) => ({
  kind,
  tags: tags.split(",").map((tag) => tag.trim()).filter(Boolean),
  occurred_at: when ? new Date(when).toISOString() : null,
  pin,
});

export function useActs() {
  const at = useWhose();
  const queries = useQueryClient();
  return useMemo(() => {
    const show = (record: Memory): Memory => {
      changed(queries, at, record);
      return record;
    };
    const post = (path: "pin" | "unpin" | "mute" | "unmute", id: string) => {
      const asked = { params: { path: { record_id: id } }, body: at };
      const sent = {
        pin: () => api.POST("/v1/records/{record_id}/pin", asked),
        unpin: () => api.POST("/v1/records/{record_id}/unpin", asked),
        mute: () => api.POST("/v1/records/{record_id}/mute", asked),
        unmute: () => api.POST("/v1/records/{record_id}/unmute", asked),
      }[path]();
      return answer(sent).then(show);
    };
    const undo = (move: string) =>
      answer(api.POST("/v1/journal/{move_id}/undo", { params: { path: { move_id: move } }, body: at })).then((move) => {
        markBack();
        afresh(queries);
        return move;
      });
    const told = (done: Promise<unknown>, text: string, back: () => Promise<unknown>) =>
      done.then(() => notify(text, back), notifyFailure);
    return {
      undo,
      pin: (one: Memory) =>
        one.vitals?.pinned
          ? told(post("unpin", one.id), "It ages like the others again.", () => post("pin", one.id))
          : told(post("pin", one.id), "Pinned: it is neither forgotten nor does it fade.", () => post("unpin", one.id)),
      mute: (one: Memory) =>
        one.vitals?.muted
          ? told(post("unmute", one.id), "It may be recalled again.", () => post("mute", one.id))
          : told(post("mute", one.id), "It will never be recalled.", () => post("unmute", one.id)),
      /** Throws: the dialog that asked shows why. */
      supersede: async (one: Memory, text: string) => {
        const write = (words: string, version: number) =>
          answer(
            api.PUT("/v1/records/{record_id}", {
              params: { path: { record_id: one.id } },
              body: { ...at, text: words, expected_version: version },
            }),
          ).then(show);
        const made = await write(text, one.version ?? 1);
        // Versions are never taken away: the old words come back as a newer one.
        notify("A new version was written; the old one stays in its history.", () => write(one.text, made.version ?? 1));
      },
      /** Write a memory. Throws: the dialog that asked shows why. */
      add: async (said: Added) => {
        const details = { ...at, ...detailsOf(said) };
        const facts = said.learn
          ? await answer(api.POST("/v1/remember", { body: { ...details, messages: said.text } }))
          : await answer(api.POST("/v1/records", { body: { ...details, text: said.text } }));
        afresh(queries);
        const learned = "facts" in facts && facts.facts?.length ? `, and ${counted(facts.facts.length, "fact")} learned` : "";
        const back = async () => {
          for (const id of said.pin ? facts.ids : []) await post("unpin", id);
          await answer(api.POST("/v1/records:forget", { body: { ...at, target: facts.ids } }));
          afresh(queries);
        };
        notify(`Added${learned}.`, back);
        return facts.ids;
      },
      /** Erase for good, and give the receipt. Throws: the dialog that asked shows why. */
      erase: async (ids: string[], cascade: boolean) => {
        const receipt = await answer(api.POST("/v1/records:forget", { body: { ...at, target: ids, cascade, hard: true } }));
        markGone(receipt.ids, "erased");
        gone(queries, at, receipt.ids, true);
        return receipt;
      },
      /** Throws: the dialog that asked shows why. */
      forget: async (target: string[] | Record<string, unknown>, cascade: boolean) => {
        const told = await answer(api.POST("/v1/records:forget", { body: { ...at, target, cascade } }));
        markGone(told.ids, "forgotten");
        gone(queries, at, told.ids);
        const kept = told.pinned?.length ? ` ${counted(told.pinned.length, "pinned one")} stayed.` : "";
        // Those that were named, which a filter does not do, and those that went with them.
        const named = Array.isArray(target) ? target.filter((id) => told.ids.includes(id)).length : told.ids.length;
        const more = told.ids.length - named;
        const move = told.move;
        notify(`Forgot ${counted(named, "memory", "memories")}${more ? `, and ${more.toLocaleString()} drawn from or below ${named === 1 ? "it" : "them"}` : ""}.${kept}`, move ? () => undo(move) : undefined);
        return told;
      },
    };
  }, [at, queries]);
}
