"""`foveal ledger`, events, knowledge."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from foveal.doors.cli.invocation import Invocation, Limit, Query

if TYPE_CHECKING:
    from foveal.doors.cli.output import Printer
    from foveal.model.ledger import Goal


def add(
    call: Invocation,
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A file or a folder: Markdown, text, HTML, PDF.")],
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="What to call the folder, so that it may move.")
    ] = None,
    tags: Annotated[
        list[str] | None, typer.Option("--tag", "-t", metavar="TAG", help="A label to filter by. Repeatable.")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Also what was forgotten or erased of it.")] = False,
) -> None:
    """Bring a file or a folder in, cut along its structure.

    Run again, it follows the files: only what changed is written. What was forgotten stays forgotten.
    """
    from foveal.doors.cli.output import counted

    with call.memory(fresh=True) as memory:
        done = memory.longterm.ingest(
            path, name=name, tags=tags or (), again=again, progress=call.progress("Reading")
        )

    def tell(page: Printer) -> None:
        page.line(
            f"read {counted(done.files, 'file')}: {counted(done.added, 'new chunk')}, {done.changed:,} changed, "
            f"{done.unchanged:,} as before, {done.forgotten:,} gone"
        )

    call.answer(done, tell)
    if done.withheld:
        call.note(
            f"{counted(done.withheld, 'chunk')} forgotten or erased before and left out: --again brings them in"
        )
    for one in done.skipped:
        call.note(f"skipped {one.path}: {one.reason}")


def ls(call: Invocation, limit: Limit = 20) -> None:
    """List the pieces of knowledge, newest first."""
    with call.memory() as memory:
        found = memory.longterm.list_knowledge(limit)

    def tell(page: Printer) -> None:
        for one in found:
            page.card([one.id, str(one.metadata.get("title", ""))], one.text)

    call.answer(found, tell, [one.id for one in found])
    if not found:
        call.note("nothing here")


def search(
    call: Invocation,
    query: Query,
    count: Annotated[int, typer.Option("-k", metavar="N", help="How many.")] = 5,
) -> None:
    """Find the pieces of knowledge that answer a question."""
    with call.memory() as memory:
        found = memory.longterm.search_knowledge(query, count)

    def tell(page: Printer) -> None:
        for one in found:
            page.card([one.id, f"{one.relevance:.2f}", str(one.metadata.get("title", ""))], one.content)

    call.answer(found, tell, [one.id for one in found])


GoalId = Annotated[str, typer.Argument(metavar="GOAL", help="The id of a goal.")]
Status = Annotated[
    str | None,
    typer.Option(
        "--status", metavar="NAME", help="Only these: pending, in_progress, completed, failed or cancelled."
    ),
]
Task = Annotated[str, typer.Argument(metavar="TASK", help="What is to be done.")]


def add_goal(
    call: Invocation,
    description: Annotated[str, typer.Argument(metavar="TEXT", help="What is to be reached.")],
    priority: Annotated[int, typer.Option("--priority", metavar="N", help="1 is the most urgent.")] = 2,
) -> None:
    """Store a goal."""
    with call.memory(fresh=True) as memory:
        goal = memory.ledger.store_goal(description, priority=priority)
    call.answer(goal, lambda page: page.line(f"stored  {goal.id}"), [goal.id])


def list_goals(
    call: Invocation,
    status: Status = None,
    interrupted: Annotated[
        bool, typer.Option("--interrupted", help="Only those whose process is no longer there.")
    ] = False,
    limit: Limit = 20,
) -> None:
    """List the goals that are not finished, the most urgent first; or those of one status."""
    with call.memory() as memory:
        if interrupted:
            found = memory.ledger.get_interrupted_goals()[:limit]
        elif status is None:
            found = memory.ledger.get_active_goals(limit)
        else:
            found = memory.ledger.get_goals(status=status, limit=limit)
    call.answer(found, lambda page: _tell_goals(page, found), [one.id for one in found])
    if not found:
        call.note("nothing here")


def _tell_goals(page: Printer, goals: list[Goal]) -> None:
    from foveal.doors.cli import output

    for one in goals:
        heads = [one.id, output.moment(one.created_at), str(one.status), f"priority {one.priority}"]
        page.card(heads, one.description + (f" ({one.result})" if one.result else ""))


def show_goal(call: Invocation, goal_id: GoalId) -> None:
    """Show a goal with its tasks, its decisions and the tools that were called."""
    from foveal.doors.cli import output

    with call.memory() as memory:
        goal = memory.ledger.get_goal(goal_id)
        tasks = memory.ledger.get_tasks_for_goal(goal_id)
        calls = {one.id: memory.ledger.get_tool_calls(task_id=one.id)[::-1] for one in tasks}
        decisions = memory.ledger.get_decisions(goal_id=goal_id)[::-1]

    def tell(page: Printer) -> None:
        _tell_goals(page, [goal])
        for task in tasks:
            page.item("task", f"{task.status}: {task.description}" + (f": {task.error}" if task.error else ""))
            for one in calls[task.id]:
                page.item("called", f"{one.tool_name}{'' if one.success else ' (failed)'}", indent=2)
        for one in decisions:
            page.item("decided", f"{output.moment(one.timestamp)}  {one.context}: {one.chosen}")

    found = {"goal": goal, "tasks": tasks, "tool_calls": calls, "decisions": decisions}
    call.answer(found, tell, [goal.id])


def close_goal(
    call: Invocation,
    goal_id: GoalId,
    status: Annotated[
        str, typer.Option("--status", metavar="NAME", help="How it ended: completed, failed or cancelled.")
    ] = "completed",
    result: Annotated[str | None, typer.Option("--result", metavar="TEXT", help="What came of it.")] = None,
) -> None:
    """Say that a goal is finished."""
    with call.memory() as memory:
        goal = memory.ledger.update_goal(goal_id, status, result=result)
    call.answer(goal, lambda page: page.line(f"{goal.status}  {goal.id}"), [goal.id])


def list_decisions(
    call: Invocation,
    like: Annotated[
        str | None, typer.Option("--like", metavar="TEXT", help="Those made in a context like this, nearest first.")
    ] = None,
    limit: Limit = 20,
) -> None:
    """List what was decided, newest first, with who and why."""
    from foveal.doors.cli import output

    with call.memory() as memory:
        ledger = memory.ledger
        found = ledger.get_decisions(limit=limit) if like is None else ledger.find_similar_decisions(like, limit)

    def tell(page: Printer) -> None:
        for one in found:
            why = f" (because {one.reasoning})" if one.reasoning else ""
            heads = [one.id, output.moment(one.timestamp), one.agent, str(one.intelligence_level)]
            page.card(heads, f"{one.context}: {one.chosen}{why}")

    call.answer(found, tell, [one.id for one in found])
    if not found:
        call.note("nothing here")


def list_patterns(call: Invocation, limit: Limit = 20) -> None:
    """List what was learned, the most successful first."""
    with call.memory() as memory:
        found = memory.ledger.get_patterns(limit)

    def tell(page: Printer) -> None:
        rows = [(one.id, f"{one.success_rate:.0%}", str(one.uses), one.trigger, one.action) for one in found]
        page.table(("id", "success", "uses", "trigger", "action"), rows, right=["success", "uses"])

    call.answer(found, tell, [one.id for one in found])


def list_tool_calls(
    call: Invocation,
    tool: Annotated[str | None, typer.Option("--tool", metavar="NAME", help="Only calls of this tool.")] = None,
    limit: Limit = 20,
) -> None:
    """List which tools were called, newest first."""
    from foveal.doors.cli import output

    with call.memory() as memory:
        found = memory.ledger.get_tool_calls(tool_name=tool, limit=limit)

    def tell(page: Printer) -> None:
        rows = [
            (
                output.moment(one.timestamp),
                one.tool_name,
                _went(one.success),
                one.agent,
                str(one.given),
            )
            for one in found
        ]
        page.table(("when", "tool", "went", "agent", "given"), rows)

    call.answer(found, tell, [one.id for one in found])


def _went(success: bool) -> str:
    return "ok" if success else "failed"


def events(
    call: Invocation,
    category: Annotated[str | None, typer.Option("--category", metavar="NAME", help="Only of this kind.")] = None,
    source: Annotated[str | None, typer.Option("--source", metavar="NAME", help="Only from here.")] = None,
    limit: Limit = 20,
) -> None:
    """List the critical events that were kept, newest first."""
    from foveal.doors.cli import output

    with call.memory() as memory:
        found = memory.operational.get_events(category=category, source=source, limit=limit)

    def tell(page: Printer) -> None:
        for one in found:
            page.card([one.id, output.moment(one.timestamp), one.category, one.source], str(one.data or ""))

    call.answer(found, tell, [one.id for one in found])
    if not found:
        call.note("nothing here")


def assemble(
    call: Invocation,
    task: Task,
    max_tokens: Annotated[int, typer.Option("--max-tokens", metavar="N", help="At most so many tokens.")] = 4000,
    tiers: Annotated[
        list[str] | None,
        typer.Option(
            "--tier", metavar="NAME", help="Only from operational, working, longterm or knowledge. Repeatable."
        ),
    ] = None,
) -> None:
    """Print what a task needs from each tier, inside a token budget."""
    from foveal.rules.budget import TIERS

    with call.memory() as memory:
        context = memory.assemble_context(task, max_tokens, tiers or TIERS)
    ids = [one.id for one in context.chunks if one.id is not None]
    call.answer(context, lambda page: page.line(context.text), ids)
    call.note(f"tokens {context.total_tokens} of {context.max_tokens}; chunks {len(context.chunks)}")


def list_metrics(call: Invocation) -> None:
    """List the metrics that agents measured, with the latest value of each."""
    from foveal.doors.cli import output

    with call.memory() as memory:
        found = memory.operational.get_metrics()

    def tell(page: Printer) -> None:
        rows = [(one.name, f"{one.value:g}", output.moment(one.updated_at)) for one in found]
        page.table(("metric", "value", "measured"), rows, right=["value"])

    call.answer(found, tell, [one.name for one in found])
