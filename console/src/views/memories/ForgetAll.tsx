// Forget all that the filters let through, after a look at what that means; the notice that follows takes it back.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useActs } from "../../api/acts";
import { answer, api } from "../../api/client";
import { useWhose } from "../../api/whose";
import { Confirm } from "../../parts/Confirm";
import { Loading } from "../../parts/Loading";
import { ProblemNote } from "../../parts/ProblemNote";
import { counted, Span } from "../../parts/words";
import { targetOf, type Selection } from "./selection";

type Props = { selection: Selection; filters: Record<string, unknown>; open: boolean; onClose: () => void; onDone: () => void };

export function ForgetAll({ selection, filters, open, onClose, onDone }: Props) {
  const at = useWhose();
  const { forget } = useActs();
  const [cascade, setCascade] = useState(false);
  const target = targetOf(selection, filters);
  const count = (more: Record<string, unknown>) =>
    answer(api.GET("/v1/outline", { params: { query: { ...at, every: 1_000_000, filters: JSON.stringify({ and: [more] }) } } })).then((found) => found.records);
  const { data, error } = useQuery({
    queryKey: ["records", at, "forgetting", target],
    queryFn: async () => {
      const [stats, pinned, used] = await Promise.all([
        answer(api.GET("/v1/stats", { params: { query: { ...at, filters: JSON.stringify(target) } } })),
        count(targetOf(selection, filters, true)),
        count({ and: [target, { uses: { gt: 0 } }] }),
      ]);
      return { stats, pinned, used };
    },
    enabled: open,
  });
  const going = data?.stats.records ?? 0;
  return (
    <Confirm
      title={data ? `Forget ${counted(going, "memory", "memories")}?` : "Forget all of these?"}
      open={open}
      onClose={onClose}
      act={`Forget ${counted(going, "memory", "memories")}`}
      icon="bin"
      disabled={!going}
      run={async () => {
        await forget(target, cascade);
        onDone();
      }}
    >
      {error && <ProblemNote error={error} />}
      {!data && !error && <Loading lines={4} label="Counting what would go" />}
      {data && (
        <ul className="consequences">
          <li>
            <b>{counted(going, "memory", "memories")}</b> will no longer be found by any read or search, also those that are not in sight now.
          </li>
          <li>
            {Object.entries(data.stats.kinds)
              .sort((a, b) => b[1] - a[1])
              .map(([kind, number]) => `${number.toLocaleString()} ${kind}`)
              .join(", ")}
            ; <Span from={data.stats.first_at} to={data.stats.last_at} />.
          </li>
          {data.used > 0 && (
            <li>
              <b>{counted(data.used, "of them was", "of them were")}</b> recalled before: answers that rested on them may change.
            </li>
          )}
          {data.pinned > 0 && (
            <li>
              <b>{counted(data.pinned, "pinned memory", "pinned memories")}</b> will stay. Unpin first what should go.
            </li>
          )}
          <li>You can take this back, now or later, from the journal.</li>
        </ul>
      )}
      <label className="check">
        <input type="checkbox" checked={cascade} onChange={(event) => setCascade(event.target.checked)} />
        Also forget what lies below them
      </label>
    </Confirm>
  );
}
