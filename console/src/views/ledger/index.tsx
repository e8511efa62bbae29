// Ledger: goals with their tasks, decisions, patterns, tool calls and events.
import { useQueries, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { answer, api, type Schemas } from "../../api/client";
import { useWhose } from "../../api/whose";
import { Empty } from "../../parts/Empty";
import { Loading } from "../../parts/Loading";
import { ProblemNote } from "../../parts/ProblemNote";
import { TableWrap } from "../../parts/TableWrap";
import { Share, When } from "../../parts/words";
import { Link, useSaid } from "../../route/router";
import "../../style/sheet.css";
import { Goals } from "./Goals";
import "./ledger.css";
import { Metrics } from "./Metrics";
import { Typed } from "./Typed";

const MOST = 200;
/** Of so many goals the tasks are asked for, to name them. */
const GOALS = 50;
const KINDS = [
  ["goals", "Goals"],
  ["decisions", "Decisions"],
  ["patterns", "Patterns"],
  ["calls", "Tool calls"],
  ["events", "Events"],
  ["metrics", "Metrics"],
] as const;
type Kind = (typeof KINDS)[number][0];

export default function Ledger() {
  const [said] = useSaid("show");
  const shown: Kind = KINDS.find(([kind]) => kind === said)?.[0] ?? "goals";
  return (
    <section className="sheet ledger" aria-labelledby="title">
      <header>
        <h1 id="title">Ledger</h1>
        <p className="small">What was meant to be done, what was decided, and what was learned from it.</p>
      </header>
      <nav className="row kinds" aria-label="Parts of the ledger">
        {KINDS.map(([kind, told]) => (
          <Link key={kind} to="/ledger" said={{ show: kind === "goals" ? null : kind }} className="button" aria-current={kind === shown ? "page" : undefined}>
            {told}
          </Link>
        ))}
      </nav>
      {shown === "goals" && <Goals />}
      {shown === "decisions" && <Decisions />}
      {shown === "patterns" && <Patterns />}
      {shown === "calls" && <Calls />}
      {shown === "events" && <Events />}
      {shown === "metrics" && <Metrics />}
    </section>
  );
}

/** What is asked for, or that it comes, that it failed, or that there is none. */
function Asked<T>({ name, ask, none, children }: { name: unknown[]; ask: () => Promise<T[]>; none: ReactNode; children: (all: T[]) => ReactNode }) {
  const at = useWhose();
  const { data, error, refetch } = useQuery({ queryKey: ["records", at, "ledger", ...name], queryFn: ask });
  if (error) return <ProblemNote error={error} retry={() => void refetch()} />;
  if (!data) return <Loading lines={8} />;
  return <>{data.length ? children(data) : none}</>;
}

/** The goals there are, newest first, to choose one by what it says. */
function useGoals(): Schemas["Goal"][] {
  const at = useWhose();
  const { data } = useQuery({
    queryKey: ["records", at, "ledger", "goals", "all"],
    queryFn: () => answer(api.GET("/v1/goals", { params: { query: { ...at, limit: MOST } } })),
  });
  return data ?? [];
}

/** The distinct names in a list, in the order of the alphabet. */
const names = (all: (string | null | undefined)[]) => [...new Set(all.filter((one): one is string => Boolean(one)))].sort();

function Decisions() {
  const at = useWhose();
  const goals = useGoals();
  const [goal] = useSaid("goal");
  return (
    <>
      <div className="row ends">
        <Typed name="goal" label="For the goal" options={goals.map((one) => [one.id, one.description] as const)} />
      </div>
      <Asked
        name={["decisions", goal]}
        ask={() => answer(api.GET("/v1/decisions", { params: { query: { ...at, goal_id: goal || null, limit: MOST } } }))}
        none={
          <Empty icon="flag" title={goal ? "No decision for this goal" : "No decision was noted yet"}>
            <p>An agent notes what it chose, from what, and why, so that it can be asked later:</p>
            <pre>{`memory.ledger.store_decision("Train or flight", "Train", reasoning="…")`}</pre>
          </Empty>
        }
      >
        {(all: Schemas["Decision"][]) =>
          all.map((one) => (
            <article className="panel" key={one.id} aria-label={one.context}>
              <header>
                <h2>{one.context}</h2>
                <span className="spring" />
                <span className="small">
                  {one.agent} · {one.intelligence_level} · <When at={one.timestamp} />
                </span>
              </header>
              <ul className="row options">
                {[...new Set([one.chosen, ...(one.options ?? [])])].map((option) => (
                  <li key={option} className={option === one.chosen ? "state good" : "state"}>
                    {option === one.chosen && "✓ "}
                    {option}
                  </li>
                ))}
              </ul>
              {one.reasoning && <p>{one.reasoning}</p>}
              <p className="small">
                {one.outcome ? `What came of it: ${one.outcome}` : "What came of it is not known yet."}
                {one.goal_id && ` For the goal “${goals.find(({ id }) => id === one.goal_id)?.description ?? one.goal_id}”.`} {one.record_id && <Link to={`/inspect/${one.record_id}`}>Its memory</Link>}
              </p>
            </article>
          ))
        }
      </Asked>
    </>
  );
}

function Table({ label, heads, children }: { label: string; heads: string[]; children: ReactNode }) {
  return (
    <TableWrap label={label} className="panel">
      <table>
        <thead>
          <tr>
            {heads.map((one) => (
              <th scope="col" key={one}>
                {one}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </TableWrap>
  );
}

function Patterns() {
  const at = useWhose();
  return (
    <Asked
      name={["patterns"]}
      ask={() => answer(api.GET("/v1/patterns", { params: { query: { ...at, limit: MOST } } }))}
      none={
        <Empty icon="flag" title="Nothing was learned yet">
          <p>A pattern is what to do when something happens, and how often that helped. A finished goal teaches one:</p>
          <pre>{`memory.ledger.learn_from_goal("goal-1")`}</pre>
        </Empty>
      }
    >
      {(all: Schemas["Pattern"][]) => (
        <Table label="Patterns" heads={["When", "Do", "Helped", "Used", "Last used"]}>
          {all.map((one) => (
            <tr key={one.id}>
              <td className="say">{one.record_id ? <Link to={`/inspect/${one.record_id}`}>{one.trigger}</Link> : one.trigger}</td>
              <td className="say">{one.action}</td>
              <td className="nowrap">
                <Share value={one.success_rate ?? 0} label="helped" /> {Math.round((one.success_rate ?? 0) * 100)} %
              </td>
              <td>{one.uses}</td>
              <td className="nowrap">
                <When at={one.last_used} relative />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Asked>
  );
}

const brief = (value: unknown) => (value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value));

const lasted = (ms: number) => (ms < 1_000 ? `${Math.round(ms)} ms` : ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`);

/** These tasks with what they say, where a goal there is has them. */
function useTasks(ids: string[]): (readonly [string, string])[] {
  const at = useWhose();
  const goals = useGoals();
  const told = useQueries({
    queries: goals.slice(0, ids.length ? GOALS : 0).map(({ id }) => ({
      queryKey: ["records", at, "ledger", "tasks", id],
      queryFn: () => answer(api.GET("/v1/goals/{goal_id}/tasks", { params: { path: { goal_id: id }, query: at } })),
    })),
  });
  const known = new Map(told.flatMap(({ data }) => data ?? []).map((one) => [one.id, one.description]));
  return ids.map((id) => [id, known.get(id) ?? id] as const);
}

function Calls() {
  const at = useWhose();
  const [tool] = useSaid("tool");
  const [task] = useSaid("task");
  const asked = (tool_name: string | null, task_id: string | null) => answer(api.GET("/v1/tool_calls", { params: { query: { ...at, tool_name, task_id, limit: MOST } } }));
  const { data: all } = useQuery({ queryKey: ["records", at, "ledger", "calls", "", ""], queryFn: () => asked(null, null) });
  const tasks = useTasks(names((all ?? []).map((one) => one.task_id)));
  return (
    <>
      <div className="row ends">
        <Typed name="tool" label="Tool" options={names((all ?? []).map((one) => one.tool_name))} />
        <Typed name="task" label="Task" options={tasks} />
      </div>
      <Asked
        name={["calls", tool, task]}
        ask={() => asked(tool || null, task || null)}
        none={
          <Empty icon="gear" title={tool || task ? "No such tool call" : "No tool was called yet"}>
            <pre>{`memory.ledger.store_tool_call("goal-1-task-1", "search", …)`}</pre>
          </Empty>
        }
      >
        {(all: Schemas["ToolCall"][]) => (
          <Table label="Tool calls" heads={["When", "Tool", "Agent", "Outcome", "Took", "Given and got"]}>
            {all.map((one) => (
              <tr key={one.id}>
                <td className="nowrap">
                  <When at={one.timestamp} relative />
                </td>
                <td>
                  <b>{one.tool_name}</b>
                </td>
                <td>{one.agent}</td>
                <td>
                  <span className={one.success ? "state good" : "state bad"}>{one.success ? "done" : "failed"}</span>
                </td>
                <td className="nowrap">{one.duration_ms == null ? "" : lasted(one.duration_ms)}</td>
                <td className="brief">
                  {one.reason && <p>{one.reason}</p>}
                  <code>{brief(one.given)}</code> → <code>{brief(one.output)}</code>
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Asked>
    </>
  );
}

function Events() {
  const at = useWhose();
  const [category] = useSaid("category");
  const [source] = useSaid("source");
  const asked = (kind: string | null, by: string | null) => answer(api.GET("/v1/events", { params: { query: { ...at, category: kind, source: by, limit: MOST } } }));
  const { data: all } = useQuery({ queryKey: ["records", at, "ledger", "events", "", ""], queryFn: () => asked(null, null) });
  return (
    <>
      <div className="row ends">
        <Typed name="category" label="Category" options={names((all ?? []).map((one) => one.category))} />
        <Typed name="source" label="Source" options={names((all ?? []).map((one) => one.source))} />
      </div>
      <Asked
        name={["events", category, source]}
        ask={() => asked(category || null, source || null)}
        none={
          <Empty icon="pulse" title={category || source ? "No such event" : "No event was kept"}>
            <p>Agents note what happens around them; what is critical is kept.</p>
            <pre>{`memory.operational.push_event("disk", "monitor", {"free": 0.02}, critical=True)`}</pre>
          </Empty>
        }
      >
        {(all: Schemas["Event"][]) => (
          <Table label="Events" heads={["When", "Category", "Source", "What"]}>
            {all.map((one) => (
              <tr key={one.id}>
                <td className="nowrap">
                  <When at={one.timestamp} relative />
                </td>
                <td>
                  {one.category} {one.critical && <span className="state bad">critical</span>}
                </td>
                <td>{one.source}</td>
                <td className="brief">
                  <code>{brief(one.data)}</code>
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Asked>
    </>
  );
}

