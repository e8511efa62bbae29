"""When working state becomes long-term memory, and what is said of it there."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from foveal.model.ledger import Decision, Goal, Task
from foveal.rules.splitting import gist

# How long goals and decisions stay in working memory, and hourly roll-ups in the ledger.
WORKING_LIFE = timedelta(days=30)
ROLL_UP_LIFE = timedelta(days=365)


def may_age(row: Goal | Decision, now: datetime, life: timedelta = WORKING_LIFE) -> bool:
    """Whether a row leaves working memory: it is finished, long enough ago, and has not left yet.

    >>> from datetime import UTC
    >>> then = datetime(2026, 1, 1, tzinfo=UTC)
    >>> goal = Goal(id="g", description="x", created_at=then, completed_at=then)
    >>> may_age(goal, then + timedelta(days=31)), may_age(goal, then + timedelta(days=29))
    (True, False)
    """
    since = row.completed_at if isinstance(row, Goal) else row.timestamp
    return since is not None and row.archived_at is None and now - since > life


def goal_text(goal: Goal) -> str:
    """What a goal is found by: what it was, and what came of it."""
    if not goal.status.finished:
        return goal.description
    return f"{goal.description}\n{_ended(goal)}"


def _ended(goal: Goal) -> str:
    return f"Result ({goal.status}): {goal.result}" if goal.result else f"Ended: {goal.status}"


def task_text(task: Task) -> str:
    """What a finished task is found by: what was to be done, and what came out."""
    out = task.error if task.error else task.output if isinstance(task.output, str) else ""
    return f"{task.description}\n{gist(out, 2_000)}" if out else task.description


def aged_text(goal: Goal, tasks: Sequence[Task]) -> str:
    """A goal and its tasks as one text, for long-term memory.

    >>> from datetime import UTC
    >>> then = datetime(2026, 1, 1, tzinfo=UTC)
    >>> goal = Goal(id="g", description="Ship it", created_at=then, result="shipped", status="completed")
    >>> print(aged_text(goal, [Task(id="t", goal_id="g", description="Build", output="ok", created_at=then)]))
    Ship it
    - Build: ok
    Result (completed): shipped
    """
    lines = [goal.description]
    for task in tasks:
        out = task.error or (task.output if isinstance(task.output, str) else "")
        lines.append(f"- {task.description}" + (f": {gist(out, 240)}" if out else ""))
    return "\n".join([*lines, _ended(goal)])


def decision_text(decision: Decision) -> str:
    """What a decision is found by."""
    parts = [decision.context, f"Decided: {decision.chosen}"]
    if decision.options:
        parts.append(f"Options: {'; '.join(decision.options)}")
    if decision.reasoning:
        parts.append(f"Because: {decision.reasoning}")
    if decision.outcome:
        parts.append(f"Outcome: {decision.outcome}")
    return "\n".join(parts)
