// A memory that is wrong: keep it from being recalled, correct it, or forget it. Each can be taken back.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useActs } from "../../api/acts";
import { answer, api, type Memory } from "../../api/client";
import { useWhose } from "../../api/whose";
import { Button } from "../../parts/Button";
import { Dialog } from "../../parts/Dialog";
import { EditMemory } from "../../parts/EditMemory";
import { ForgetMemories } from "../../parts/ForgetMemories";
import { When } from "../../parts/words";

export function Wrong({ record, onClose }: { record: Memory | null; onClose: () => void }) {
  const at = useWhose();
  const acts = useActs();
  const [editing, edit] = useState<Memory | null>(null);
  const [going, forget] = useState<Memory[]>([]);
  // It may have changed since it was recalled.
  const { data } = useQuery({
    queryKey: ["records", at, "one", record?.id],
    queryFn: () => answer(api.GET("/v1/records/{record_id}", { params: { path: { record_id: record?.id ?? "" }, query: { ...at, touch: false } } })),
    enabled: record !== null,
  });
  const one = data?.id === record?.id && data ? data : record;
  const then = (act: (one: Memory) => void) => () => {
    if (one) act(one);
    onClose();
  };
  return (
    <>
      <Dialog title="What is wrong with this memory?" open={record !== null} onClose={onClose}>
        {one && (
          <>
            <blockquote className="wrong">
              {one.text}
              <p className="small">
                {one.speaker ?? one.source}, <When at={one.occurred_at} />
              </p>
            </blockquote>
            <ul className="remedies">
              <li>
                <Button icon="edit" onPress={then(edit)}>
                  Correct it
                </Button>
                <span className="small">It is no longer so, or was never quite so.</span>
              </li>
              <li>
                <Button icon="mute" onPress={then((it) => void acts.mute(it))}>
                  {one.vitals?.muted ? "Let it be recalled again" : "Never recall it"}
                </Button>
                <span className="small">It is true, but does not belong in answers.</span>
              </li>
              <li>
                <Button look="danger" icon="bin" onPress={then((it) => forget([it]))}>
                  Forget it…
                </Button>
                <span className="small">It should not be remembered at all.</span>
              </li>
            </ul>
          </>
        )}
      </Dialog>
      <EditMemory record={editing} onClose={() => edit(null)} />
      <ForgetMemories records={going} open={going.length > 0} onClose={() => forget([])} />
    </>
  );
}
