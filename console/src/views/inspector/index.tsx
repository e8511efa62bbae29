// Inspector: everything about one memory.
import { useQuery } from "@tanstack/react-query";
import { answer, api } from "../../api/client";
import { useWhose } from "../../api/whose";
import { Empty } from "../../parts/Empty";
import { Loading } from "../../parts/Loading";
import { ProblemNote } from "../../parts/ProblemNote";
import type { ViewProps } from "../../route/views";

export default function Inspector({ rest }: ViewProps) {
  const at = useWhose();
  const { data, error, refetch } = useQuery({
    queryKey: ["records", at, "one", rest],
    queryFn: () => answer(api.GET("/v1/records/{record_id}", { params: { path: { record_id: rest }, query: at } })),
    enabled: rest !== "",
  });
  if (!rest)
    return (
      <Empty icon="eye" title="No memory is chosen">
        <p>Open one from the table of memories.</p>
      </Empty>
    );
  if (error) return <ProblemNote error={error} retry={() => void refetch()} />;
  if (!data) return <Loading lines={14} />;
  return (
    <article>
      <h1>{data.text}</h1>
    </article>
  );
}
