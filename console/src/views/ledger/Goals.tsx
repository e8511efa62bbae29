// Goals with their tasks; a goal is closed, and taken up again.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useMay } from "../../api/caller";
import { answer, api, type Schemas } from "../../api/client";
import { useWhose } from "../../api/whose";
import { Button } from "../../parts/Button";
import { Confirm } from "../../parts/Confirm";
import { Empty } from "../../parts/Empty";
import { Loading } from "../../parts/Loading";
import { notify, notifyFailure } from "../../parts/notices";
import { ProblemNote } from "../../parts/ProblemNote";
import { counted, When } from "../../parts/words";
import { Link, useSaid } from "../../route/router";
import { Typed } from "./Typed";

type Goal = Schemas["Goal"];
type Standing = NonNullable<Goal["status"]>;
const STATUSES = ["pending", "in_progress", "completed", "failed", "cancelled"] as const;
const OVER = new Set<Standing>(["completed", "failed", "cancelled"]);
const MOST = 200;

export function Status({ status }: { status: Standing }) {
  const look = status === "completed" ? "good" : status === "failed" ? "bad" : status === "in_progress" ? "busy" : "";
  return <span className={`state ${look}`}>{status.replace("_", " ")}</span>;
}

export function Goals() {
  const at = useWhose();
  const [status] = useSaid("status");
  const { data, error, refetch } = useQuery({
    queryKey: ["records", at, "ledger", "goals", status],
    queryFn: () => answer(api.GET("/v1/goals", { params: { query: { ...at, status: status || null, limit: MOST } } })),
  });
  return (
    <>
      <div className="row ends">
        <Typed name="status" label="Status" options={STATUSES} />
      </div>
      {error ? (
        <ProblemNote error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Loading lines={10} label="Loading goals" />
      ) : data.length === 0 ? (
        <Empty icon="flag" title={status ? "No goal stands like this" : "No goal was set yet"}>
          <p>An agent sets a goal and its tasks, so that they outlive the process:</p>
          <pre>{`memory.ledger.store_goal("Ship the release")`}</pre>
        </Empty>
      ) : (
        data.map((goal) => <One key={goal.id} goal={goal} />)
      )}
    </>
  );
}

function One({ goal }: { goal: Goal }) {
  const at = useWhose();
  const status = goal.status ?? "pending";
  const { data: tasks } = useQuery({
    queryKey: ["records", at, "ledger", "tasks", goal.id],
    queryFn: () => answer(api.GET("/v1/goals/{goal_id}/tasks", { params: { path: { goal_id: goal.id }, query: at } })),
  });
  const done = tasks?.filter((one) => one.status === "completed").length ?? 0;
  return (
    <article className="panel" aria-label={goal.description}>
      <header>
        <Status status={status} />
        <h2>{goal.description}</h2>
        <span className="spring" />
        <Acts goal={goal} status={status} />
      </header>
      <p className="small">
        <code>{goal.id}</code> · priority {goal.priority} · set <When at={goal.created_at} />
        {goal.completed_at && (
          <>
            {" "}
            · ended <When at={goal.completed_at} />
          </>
        )}
        {tasks && ` · ${done} of ${counted(tasks.length, "task")} done`}
        {goal.record_id && (
          <>
            {" · "}
            <Link to={`/inspect/${goal.record_id}`}>its memory</Link>
          </>
        )}
        {" · "}
        <Link to="/ledger" said={{ show: "decisions", goal: goal.id }}>
          its decisions
        </Link>
      </p>
      {goal.result && <p>{goal.result}</p>}
      {tasks && tasks.length > 0 && (
        <ul className="tasks">
          {tasks.map((task) => (
            <li key={task.id}>
              <Status status={task.status ?? "pending"} />
              <span>{task.description}</span>
              <span className="small">{task.agent}</span>
              {task.error && <span className="state bad">{task.error}</span>}
            </li>
          ))}
        </ul>
      )}
    </article>
  );
}

function Acts({ goal, status }: { goal: Goal; status: Standing }) {
  const at = useWhose();
  const may = useMay("write");
  const queries = useQueryClient();
  const [closing, close] = useState<"completed" | "cancelled" | null>(null);
  const refresh = () => void queries.invalidateQueries({ queryKey: ["records"] });
  const put = (to: Standing) => answer(api.PATCH("/v1/goals/{goal_id}", { params: { path: { goal_id: goal.id } }, body: { ...at, status: to } })).then(refresh);
  const resume = () =>
    answer(api.POST("/v1/goals/{goal_id}/resume", { params: { path: { goal_id: goal.id } }, body: at })).then(() => {
      refresh();
      notify("Taken up: it is in progress.", () => put(status));
    }, notifyFailure);
  if (!may) return null;
  if (OVER.has(status))
    return (
      <Button icon="undo" onPress={() => void put("pending").then(() => notify("Open again: it is pending.", () => put(status)), notifyFailure)}>
        Open again
      </Button>
    );
  return (
    <>
      {status !== "in_progress" && (
        <Button icon="play" onPress={() => void resume()}>
          Take up
        </Button>
      )}
      <Button icon="check" onPress={() => close("completed")}>
        Done…
      </Button>
      <Button look="quiet" icon="cross" onPress={() => close("cancelled")}>
        Drop…
      </Button>
      <Confirm
        title={closing === "completed" ? "Close this goal as done?" : "Drop this goal?"}
        open={closing !== null}
        onClose={() => close(null)}
        act={closing === "completed" ? "Close it" : "Drop it"}
        icon={closing === "completed" ? "check" : "cross"}
        look={closing === "completed" ? "main" : "danger"}
        run={async () => {
          if (!closing) return;
          await put(closing);
          notify(closing === "completed" ? "Closed as done." : "Dropped.", () => put(status));
        }}
      >
        <p>
          “{goal.description}” is then {closing}. Its tasks stay as they are, and you can open it again.
        </p>
      </Confirm>
    </>
  );
}
