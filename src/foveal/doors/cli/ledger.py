"""The commands of goals, the ledger, events, metrics and knowledge."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from foveal.doors.cli import parsing
from foveal.doors.cli.invocation import (
    Invocation,
    Limit,
    Query,
    Tags,
    TokenBudget,
    argument,
    flag,
    option,
)
from foveal.doors.cli.output import Answer, Printer, cards, counted, moment, table
from foveal.errors import Invalid, NotFound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foveal.model.ledger import Decision, Goal
    from foveal.model.results import Ingested


def add(
    call: Invocation,
    path: Annotated[Path, argument("PATH", "A file or a folder: Markdown, text, HTML, PDF, Word, EPUB, CSV.")],
    name: Annotated[str | None, option("--name", "NAME", "A name for the folder, so that it can be moved.")] = None,
    tags: Tags = None,
    again: Annotated[bool, flag("--again", "Also chunks that were forgotten or erased.")] = False,
) -> Answer:
    """Import a file or a folder, split along its structure.

    Run again, it updates what changed in the files. Forgotten chunks stay forgotten.
    """
    with call.memory(fresh=True) as memory:
        done = memory.longterm.ingest(
            path, name=name, tags=tags or (), again=again, progress=call.progress("Reading")
        )
    notes = [f"skipped {skipped.path}: {skipped.reason}" for skipped in done.skipped]
    if done.withheld:
        withheld = counted(done.withheld, "chunk")
        notes.insert(0, f"{withheld} forgotten or erased before and left out: --again brings them in")
    return Answer(
        done,
        f"read {counted(done.files, 'file')}: {counted(done.added, 'new chunk')}, {done.changed:,} changed, "
        f"{done.unchanged:,} as before, {done.forgotten:,} gone",
        notes=notes,
    )


def watch(
    call: Invocation,
    path: Annotated[Path, argument("FOLDER", "A folder of notes: Markdown, text, HTML, PDF, Word, EPUB, CSV.")],
    name: Annotated[str | None, option("--name", "NAME", "A name for the folder, so that it can be moved.")] = None,
    tags: Tags = None,
    every: Annotated[str, option("--every", "SPAN", "How often to look: 2s, 1m, ...")] = "2s",
    once: Annotated[bool, flag("--once", "Look once, and end.")] = False,
) -> Answer | None:
    """Follow a folder of notes until Ctrl-C.

    A changed file becomes a new version, and a removed one is archived: found by search as before, but not shown
    unasked.
    """
    from threading import Event

    pause = parsing.span(every, "--every")
    if pause is None or not pause:
        raise Invalid("--every must be longer than 0")
    if not path.is_dir():
        raise NotFound(f"there is no folder {path}", path=str(path))
    seen: dict[str, tuple[int, int]] | None = None
    with call.memory(fresh=True) as memory:
        while True:
            found = _stamps(path)
            if found != seen:
                seen = found
                done = memory.longterm.ingest(path, name=name, tags=tags or (), keep_removed=True)
                if once:
                    return Answer(done, _followed(done))
                if done.added or done.changed or done.archived or done.forgotten:
                    call.note(_followed(done))
            try:
                Event().wait(pause.total_seconds())
            except KeyboardInterrupt:
                return None


def _stamps(folder: Path) -> dict[str, tuple[int, int]]:
    """The size and the time of change of every file in a folder: what differs when one was edited."""
    stats = ((file, file.stat()) for file in folder.rglob("*") if file.is_file())
    return {str(file): (stat.st_size, stat.st_mtime_ns) for file, stat in stats}


def _followed(done: Ingested) -> str:
    return (
        f"read {counted(done.files, 'file')}: {counted(done.added, 'new chunk')}, {done.changed:,} changed, "
        f"{done.unchanged:,} as before, {done.forgotten:,} gone, {done.archived:,} archived"
    )


def ls(call: Invocation, limit: Limit = 20) -> Answer:
    """List the pieces of knowledge, newest first."""
    with call.memory() as memory:
        return cards(
            memory.longterm.list_knowledge(limit),
            lambda piece: (piece.id, str(piece.metadata.get("title", "")), piece.text),
            empty="nothing here",
        )


def search(call: Invocation, query: Query, count: Limit = 5) -> Answer:
    """Find the pieces of knowledge that answer a question."""
    with call.memory() as memory:
        return cards(
            memory.longterm.search_knowledge(query, count),
            lambda hit: (hit.id, f"{hit.relevance:.2f}", str(hit.metadata.get("title", "")), hit.content),
        )


GoalId = Annotated[str, argument("GOAL", "The id of a goal.")]


def add_goal(
    call: Invocation,
    description: Annotated[str, argument("TEXT", "What should be achieved.")],
    priority: Annotated[int, option("--priority", "N", "1 is the most urgent.")] = 2,
) -> Answer:
    """Store a goal."""
    with call.memory(fresh=True) as memory:
        goal = memory.ledger.store_goal(description, priority=priority)
    return Answer(goal, f"stored  {goal.id}", [goal.id])


def list_goals(
    call: Invocation,
    status: Annotated[
        str | None,
        option("--status", "NAME", "Only these: pending, in_progress, completed, failed or cancelled."),
    ] = None,
    interrupted: Annotated[bool, flag("--interrupted", "Only those whose process is gone.")] = False,
    limit: Limit = 20,
) -> Answer:
    """List unfinished goals, most urgent first; or those of one status."""
    with call.memory() as memory:
        if interrupted:
            goals = memory.ledger.get_interrupted_goals()[:limit]
        elif status is None:
            goals = memory.ledger.get_active_goals(limit)
        else:
            goals = memory.ledger.get_goals(status=status, limit=limit)
    return cards(goals, lambda goal: (*_goal_heads(goal), _goal_text(goal)), empty="nothing here")


def _goal_heads(goal: Goal) -> list[str]:
    return [goal.id, moment(goal.created_at), str(goal.status), f"priority {goal.priority}"]


def _goal_text(goal: Goal) -> str:
    return goal.description + (f" ({goal.result})" if goal.result else "")


def show_goal(call: Invocation, goal_id: GoalId) -> Answer:
    """Show a goal with its tasks, its decisions and the tools that were called."""
    with call.memory() as memory:
        goal = memory.ledger.get_goal(goal_id)
        tasks = memory.ledger.get_tasks_for_goal(goal_id)
        calls = {task.id: memory.ledger.get_tool_calls(task_id=task.id)[::-1] for task in tasks}
        decisions = memory.ledger.get_decisions(goal_id=goal_id)[::-1]

    def tell(page: Printer) -> None:
        page.card(_goal_heads(goal), _goal_text(goal))
        for task in tasks:
            page.item("task", f"{task.status}: {task.description}" + (f": {task.error}" if task.error else ""))
            for tool_call in calls[task.id]:
                page.item("called", f"{tool_call.tool_name}{'' if tool_call.success else ' (failed)'}", indent=2)
        for decision in decisions:
            page.item("decided", f"{moment(decision.timestamp)}  {decision.context}: {decision.chosen}")

    document = {"goal": goal, "tasks": tasks, "tool_calls": calls, "decisions": decisions}
    return Answer(document, tell, [goal.id])


def close_goal(
    call: Invocation,
    goal_id: GoalId,
    status: Annotated[
        str, option("--status", "NAME", "How it ended: completed, failed or cancelled.")
    ] = "completed",
    result: Annotated[str | None, option("--result", "TEXT", "What came of it.")] = None,
) -> Answer:
    """Close a goal."""
    with call.memory() as memory:
        goal = memory.ledger.update_goal(goal_id, status, result=result)
    return Answer(goal, f"{goal.status}  {goal.id}", [goal.id])


def list_decisions(
    call: Invocation,
    like: Annotated[
        str | None, option("--like", "TEXT", "Only those made in a similar context, nearest first.")
    ] = None,
    limit: Limit = 20,
) -> Answer:
    """List decisions, newest first, with agent and reasoning."""

    def card(decision: Decision) -> Sequence[object]:
        why = f" (because {decision.reasoning})" if decision.reasoning else ""
        heads = (decision.id, decision.timestamp, decision.agent, str(decision.intelligence_level))
        return (*heads, f"{decision.context}: {decision.chosen}{why}")

    with call.memory() as memory:
        if like is None:
            decisions = memory.ledger.get_decisions(limit=limit)
        else:
            decisions = memory.ledger.find_similar_decisions(like, limit)
    return cards(decisions, card, empty="nothing here")


def list_patterns(call: Invocation, limit: Limit = 20) -> Answer:
    """List learned patterns, the most successful first."""
    with call.memory() as memory:
        return table(
            memory.ledger.get_patterns(limit),
            ("id", ">success", ">uses", "trigger", "action"),
            lambda each: (each.id, f"{each.success_rate:.0%}", str(each.uses), each.trigger, each.action),
        )


def list_tool_calls(
    call: Invocation,
    tool: Annotated[str | None, option("--tool", "NAME", "Only calls of this tool.")] = None,
    limit: Limit = 20,
) -> Answer:
    """List tool calls, newest first."""
    with call.memory() as memory:
        calls = memory.ledger.get_tool_calls(tool_name=tool, limit=limit)
    return table(
        calls,
        ("when", "tool", "went", "agent", "given"),
        lambda each: (
            *(each.timestamp, each.tool_name, "ok" if each.success else "failed"),
            *(each.agent, str(each.given)),
        ),
        ids=[each.id for each in calls],
    )


def events(
    call: Invocation,
    category: Annotated[str | None, option("--category", "NAME", "Only events of this category.")] = None,
    source: Annotated[str | None, option("--source", "NAME", "Only events from this source.")] = None,
    limit: Limit = 20,
) -> Answer:
    """List the critical events on record, newest first."""
    with call.memory() as memory:
        return cards(
            memory.operational.get_events(category=category, source=source, limit=limit),
            lambda event: (event.id, event.timestamp, event.category, event.source, str(event.data or "")),
            empty="nothing here",
        )


def assemble(
    call: Invocation,
    task: Annotated[str, argument("TASK", "What is to be done.")],
    token_budget: TokenBudget = 4000,
    tiers: Annotated[
        list[str] | None,
        option("--tier", "NAME", "Only from operational, working, longterm or knowledge. Repeatable."),
    ] = None,
) -> Answer:
    """Print what a task needs from each tier, inside a token budget."""
    from foveal.rules.budget import TIERS

    with call.memory() as memory:
        context = memory.assemble_context(task, token_budget, tiers or TIERS)
    ids = [chunk.id for chunk in context.chunks if chunk.id is not None]
    note = f"tokens {context.total_tokens} of {context.max_tokens}; chunks {len(context.chunks)}"
    return Answer(context, context.text, ids, notes=[note])


def list_metrics(call: Invocation) -> Answer:
    """List the metrics of agents, with the latest value of each."""
    with call.memory() as memory:
        return table(
            memory.operational.get_metrics(),
            ("metric", ">value", "measured"),
            lambda metric: (metric.name, f"{metric.value:g}", metric.updated_at),
        )
