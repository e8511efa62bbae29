"""When ledger rows age, the texts they are found by, and when a learned pattern applies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from foveal.model.ledger import Decision, Goal, Task
from foveal.rules.text import gist, terms

# How long goals and decisions stay in working memory, and hourly roll-ups in the ledger.
WORKING_LIFE = timedelta(days=30)
ROLL_UP_LIFE = timedelta(days=365)


def may_age(row: Goal | Decision, now: datetime, life: timedelta = WORKING_LIFE) -> bool:
    """Whether a row leaves working memory: it was finished long enough ago and is not archived yet.

    >>> from datetime import UTC
    >>> then = datetime(2026, 1, 1, tzinfo=UTC)
    >>> goal = Goal(id="g", description="x", created_at=then, completed_at=then)
    >>> may_age(goal, then + timedelta(days=31)), may_age(goal, then + timedelta(days=29))
    (True, False)
    """
    since = row.completed_at if isinstance(row, Goal) else row.timestamp
    return since is not None and row.archived_at is None and now - since > life


def goal_text(goal: Goal) -> str:
    """The searchable text of a goal: its description, and its result once it is finished."""
    if not goal.status.finished:
        return goal.description
    return f"{goal.description}\n{_ended(goal)}"


def _ended(goal: Goal) -> str:
    return f"Result ({goal.status}): {goal.result}" if goal.result else f"Ended: {goal.status}"


def task_text(task: Task) -> str:
    """The searchable text of a finished task: its description, and its error or output."""
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
    """The searchable text of a decision: a statement, even if its context is a question, which answers nothing.

    >>> from datetime import UTC
    >>> then = datetime(2026, 1, 1, tzinfo=UTC)
    >>> print(decision_text(Decision(id="d", context="Which city?", chosen="Oslo", timestamp=then)))
    Which city
    Decided: Oslo
    """
    parts = [decision.context.rstrip("?？؟ ") or decision.context, f"Decided: {decision.chosen}"]
    if decision.options:
        parts.append(f"Options: {'; '.join(decision.options)}")
    if decision.reasoning:
        parts.append(f"Because: {decision.reasoning}")
    if decision.outcome:
        parts.append(f"Outcome: {decision.outcome}")
    return "\n".join(parts)


# How many patterns are kept, and how many leading letters make two triggers the same.
MOST, SAME = 1_000, 50
ARROW = " → "
_NAMES_AND_NUMBERS = re.compile(r"\d[\d.,:/%-]*|(?<=[a-z] )[A-Z]\w+")
_NEGATION = re.compile(
    r"\b(?:no|not|never|without|except|undo|dis(?:able|card|connect|miss)\w*|un(?:install|mount|pin|lock)\w*)\b"
    r"|n['’]t\b",
    re.I,
)


def rate_after(rate: float, uses: int, *, success: bool) -> float:
    """The success rate after one more use.

    >>> rate_after(0.8, 10, success=True), rate_after(0.5, 1, success=False)
    (0.8181818181818182, 0.25)
    """
    return (rate * uses + success) / (uses + 1)


def action_of(tools: Sequence[str]) -> str:
    """The action that stands for a sequence of tools.

    >>> action_of(["search", "write"])
    'search → write'
    """
    return ARROW.join(tools)


def tools_of(action: str) -> list[str]:
    """The tools that an action names.

    >>> tools_of("search → write")
    ['search', 'write']
    """
    return [part.strip() for part in action.split(ARROW.strip()) if part.strip()]


def same_trigger(one: str, other: str) -> bool:
    """Whether two triggers count as the same: they begin with the same 50 letters."""
    return one[:SAME] == other[:SAME]


def words_meet(trigger: str, asked: str) -> bool:
    """Whether all significant words of the trigger are in the request, or the other way round.

    >>> words_meet("restart the web server", "Please restart the web server now"), words_meet("restart", "stop it")
    (True, False)
    """
    ours, theirs = set(terms(trigger)), set(terms(asked))
    return bool(ours and theirs) and (ours <= theirs or theirs <= ours)


def same_words(trigger: str, asked: str) -> bool:
    """Whether the trigger and the request have exactly the same significant words.

    >>> same_words("Deploy the shop", "deploy our shop"), same_words("Deploy the shop", "Deploy the shop and blog")
    (True, False)
    """
    return set(terms(trigger)) == set(terms(asked))


def differs(trigger: str, asked: str) -> bool:
    """Whether the trigger and the request differ in numbers or names, or only one of them has a negation.

    >>> differs("open port 80", "open port 443"), differs("mount the disk", "do not mount the disk")
    (True, True)
    """
    return _specifics(trigger) != _specifics(asked)


def _specifics(text: str) -> tuple[set[str], bool]:
    return {match.rstrip(".,:") for match in _NAMES_AND_NUMBERS.findall(text)}, _NEGATION.search(text) is not None
