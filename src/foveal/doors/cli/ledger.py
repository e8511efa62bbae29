"""The commands of goals, the ledger, events, metrics and knowledge."""

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
        str | None, typer.Option("--name", metavar="NAME", help="A name for the folder, so that it can be moved.")
    ] = None,
    tags: Annotated[
        list[str] | None, typer.Option("--tag", "-t", metavar="TAG", help="A label to filter by. Repeatable.")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Also chunks that were forgotten or erased.")] = False,
) -> None:
    """Import a file or a folder, split along its structure.

    Run again, it updates what changed in the files. Forgotten chunks stay forgotten.
    """
    from foveal.doors.cli.output import counted

    with call.memory(fresh=True) as memory:
        ingested = memory.longterm.ingest(
            path, name=name, tags=tags or (), again=again, progress=call.progress("Reading")
        )

    def tell(page: Printer) -> None:
        page.line(
            f"read {counted(ingested.files, 'file')}: {counted(ingested.added, 'new chunk')}, "
            f"{ingested.changed:,} changed, {ingested.unchanged:,} as before, {ingested.forgotten:,} gone"
        )

    call.answer(ingested, tell)
    if ingested.withheld:
        call.note(
            f"{counted(ingested.withheld, 'chunk')} forgotten or erased before and left out: --again brings them in"
        )
    for skipped in ingested.skipped:
        call.note(f"skipped {skipped.path}: {skipped.reason}")


def ls(call: Invocation, limit: Limit = 20) -> None:
    """List the pieces of knowledge, newest first."""
    with call.memory() as memory:
        pieces = memory.longterm.list_knowledge(limit)

    def tell(page: Printer) -> None:
        for piece in pieces:
            page.card([piece.id, str(piece.metadata.get("title", ""))], piece.text)

    call.answer(pieces, tell, [piece.id for piece in pieces], empty="nothing here")


def search(
    call: Invocation,
    query: Query,
    count: Annotated[int, typer.Option("-k", metavar="N", help="How many.")] = 5,
) -> None:
    """Find the pieces of knowledge that answer a question."""
    with call.memory() as memory:
        hits = memory.longterm.search_knowledge(query, count)

    def tell(page: Printer) -> None:
        for hit in hits:
            page.card([hit.id, f"{hit.relevance:.2f}", str(hit.metadata.get("title", ""))], hit.content)

    call.answer(hits, tell, [hit.id for hit in hits])


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
    description: Annotated[str, typer.Argument(metavar="TEXT", help="What should be achieved.")],
    priority: Annotated[int, typer.Option("--priority", metavar="N", help="1 is the most urgent.")] = 2,
) -> None:
    """Store a goal."""
    with call.memory(fresh=True) as memory:
        goal = memory.ledger.store_goal(description, priority=priority)
    call.answer(goal, lambda page: page.line(f"stored  {goal.id}"), [goal.id])


def list_goals(
    call: Invocation,
    status: Status = None,
    interrupted: Annotated[bool, typer.Option("--interrupted", help="Only those whose process is gone.")] = False,
    limit: Limit = 20,
) -> None:
    """List unfinished goals, most urgent first; or those of one status."""
    with call.memory() as memory:
        if interrupted:
            goals = memory.ledger.get_interrupted_goals()[:limit]
        elif status is None:
            goals = memory.ledger.get_active_goals(limit)
        else:
            goals = memory.ledger.get_goals(status=status, limit=limit)
    ids = [goal.id for goal in goals]
    call.answer(goals, lambda page: _tell_goals(page, goals), ids, empty="nothing here")


def _tell_goals(page: Printer, goals: list[Goal]) -> None:
    from foveal.doors.cli import output

    for goal in goals:
        heads = [goal.id, output.moment(goal.created_at), str(goal.status), f"priority {goal.priority}"]
        page.card(heads, goal.description + (f" ({goal.result})" if goal.result else ""))


def show_goal(call: Invocation, goal_id: GoalId) -> None:
    """Show a goal with its tasks, its decisions and the tools that were called."""
    from foveal.doors.cli import output

    with call.memory() as memory:
        goal = memory.ledger.get_goal(goal_id)
        tasks = memory.ledger.get_tasks_for_goal(goal_id)
        calls = {task.id: memory.ledger.get_tool_calls(task_id=task.id)[::-1] for task in tasks}
        decisions = memory.ledger.get_decisions(goal_id=goal_id)[::-1]

    def tell(page: Printer) -> None:
        _tell_goals(page, [goal])
        for task in tasks:
            page.item("task", f"{task.status}: {task.description}" + (f": {task.error}" if task.error else ""))
            for tool_call in calls[task.id]:
                page.item("called", f"{tool_call.tool_name}{'' if tool_call.success else ' (failed)'}", indent=2)
        for decision in decisions:
            when = output.moment(decision.timestamp)
            page.item("decided", f"{when}  {decision.context}: {decision.chosen}")

    document = {"goal": goal, "tasks": tasks, "tool_calls": calls, "decisions": decisions}
    call.answer(document, tell, [goal.id])


def close_goal(
    call: Invocation,
    goal_id: GoalId,
    status: Annotated[
        str, typer.Option("--status", metavar="NAME", help="How it ended: completed, failed or cancelled.")
    ] = "completed",
    result: Annotated[str | None, typer.Option("--result", metavar="TEXT", help="What came of it.")] = None,
) -> None:
    """Close a goal."""
    with call.memory() as memory:
        goal = memory.ledger.update_goal(goal_id, status, result=result)
    call.answer(goal, lambda page: page.line(f"{goal.status}  {goal.id}"), [goal.id])


def list_decisions(
    call: Invocation,
    like: Annotated[
        str | None,
        typer.Option("--like", metavar="TEXT", help="Only those made in a similar context, nearest first."),
    ] = None,
    limit: Limit = 20,
) -> None:
    """List decisions, newest first, with agent and reasoning."""
    from foveal.doors.cli import output

    with call.memory() as memory:
        ledger = memory.ledger
        if like is None:
            decisions = ledger.get_decisions(limit=limit)
        else:
            decisions = ledger.find_similar_decisions(like, limit)

    def tell(page: Printer) -> None:
        for decision in decisions:
            why = f" (because {decision.reasoning})" if decision.reasoning else ""
            when, level = output.moment(decision.timestamp), str(decision.intelligence_level)
            page.card([decision.id, when, decision.agent, level], f"{decision.context}: {decision.chosen}{why}")

    call.answer(decisions, tell, [decision.id for decision in decisions], empty="nothing here")


def list_patterns(call: Invocation, limit: Limit = 20) -> None:
    """List learned patterns, the most successful first."""
    with call.memory() as memory:
        patterns = memory.ledger.get_patterns(limit)

    def tell(page: Printer) -> None:
        rows = [
            (pattern.id, f"{pattern.success_rate:.0%}", str(pattern.uses), pattern.trigger, pattern.action)
            for pattern in patterns
        ]
        page.table(("id", "success", "uses", "trigger", "action"), rows, right=["success", "uses"])

    call.answer(patterns, tell, [pattern.id for pattern in patterns])


def list_tool_calls(
    call: Invocation,
    tool: Annotated[str | None, typer.Option("--tool", metavar="NAME", help="Only calls of this tool.")] = None,
    limit: Limit = 20,
) -> None:
    """List tool calls, newest first."""
    from foveal.doors.cli import output

    with call.memory() as memory:
        calls = memory.ledger.get_tool_calls(tool_name=tool, limit=limit)

    def tell(page: Printer) -> None:
        rows = [
            (
                output.moment(each.timestamp),
                each.tool_name,
                "ok" if each.success else "failed",
                each.agent,
                str(each.given),
            )
            for each in calls
        ]
        page.table(("when", "tool", "went", "agent", "given"), rows)

    call.answer(calls, tell, [each.id for each in calls])


def events(
    call: Invocation,
    category: Annotated[
        str | None, typer.Option("--category", metavar="NAME", help="Only events of this category.")
    ] = None,
    source: Annotated[
        str | None, typer.Option("--source", metavar="NAME", help="Only events from this source.")
    ] = None,
    limit: Limit = 20,
) -> None:
    """List the critical events on record, newest first."""
    from foveal.doors.cli import output

    with call.memory() as memory:
        listed = memory.operational.get_events(category=category, source=source, limit=limit)

    def tell(page: Printer) -> None:
        for event in listed:
            page.card(
                [event.id, output.moment(event.timestamp), event.category, event.source], str(event.data or "")
            )

    call.answer(listed, tell, [event.id for event in listed], empty="nothing here")


def assemble(
    call: Invocation,
    task: Task,
    max_tokens: Annotated[int, typer.Option("--max-tokens", metavar="N", help="At most this many tokens.")] = 4000,
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
    ids = [chunk.id for chunk in context.chunks if chunk.id is not None]
    call.answer(context, lambda page: page.line(context.text), ids)
    call.note(f"tokens {context.total_tokens} of {context.max_tokens}; chunks {len(context.chunks)}")


def list_metrics(call: Invocation) -> None:
    """List the metrics of agents, with the latest value of each."""
    from foveal.doors.cli import output

    with call.memory() as memory:
        metrics = memory.operational.get_metrics()

    def tell(page: Printer) -> None:
        rows = [(metric.name, f"{metric.value:g}", output.moment(metric.updated_at)) for metric in metrics]
        page.table(("metric", "value", "measured"), rows, right=["value"])

    call.answer(metrics, tell, [metric.name for metric in metrics])
