"""The work of the actors of a seeded memory: what they meant to do, did and learned, and what they put aside."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from foveal.engine.memory import View

YEAR = timedelta(days=365)
# Figures are kept by the hour: two days of them make a curve.
HOURS = 48


class StoryClock:
    """The time of the story, which moves with it."""

    def __init__(self, begin: datetime) -> None:
        self.at = begin

    def now(self) -> datetime:
        """A moment after the last."""
        self.at += timedelta(milliseconds=1)
        return self.at


def work(
    told: dict[str, Any], view: View, clock: StoryClock, *, end: datetime, line: Callable[[list[str]], str]
) -> None:
    """Let an actor work from now on to the end: goals, calls of tools, decisions, events, figures, crystals."""
    begin = clock.at

    def on(place: int, of: int) -> None:
        clock.at = begin + (end - begin) * ((place + 1) / (of + 1))

    _goals(told, view, on)
    _calls(told, view, on)
    for number, (context, chosen, options, why, level, goal, outcome) in enumerate(told["decisions"], 1):
        on(number, len(told["decisions"]) + 1)
        view.ledger.store_decision(
            context,
            chosen,
            options=options,
            reasoning=why,
            agent="planner",
            intelligence_level=level,
            goal_id=goal,
            outcome=outcome,
            decision_id=f"decision-{number}",
        )
    for number, (trigger, action, rate, uses) in enumerate(told["patterns"], 1):
        view.ledger.store_pattern(trigger, action, success_rate=rate, uses=uses, pattern_id=f"pattern-{number}")
    for number, (category, source, data, critical) in enumerate(told["events"], 1):
        on(number, len(told["events"]) + 1)
        named = f"event-{number}"
        view.operational.push_event(category, data, source=source, critical=critical, event_id=named)
    for hour in range(HOURS):
        clock.at = end - timedelta(hours=HOURS - hour)
        for place, (key, middle, spread) in enumerate(told["metrics"]):
            view.operational.update_metric(key, middle + spread * ((hour * (7 + place)) % 13 - 6) / 6)
    clock.at = end - timedelta(days=20)
    _heron(told, view, clock, line)
    _login(told["work"], view, clock)


def _goals(told: dict[str, Any], view: View, on: Callable[[int, int], None]) -> None:
    ledger, goals = view.ledger, told["goals"]
    for number, (goal, tasks, status, result) in enumerate(goals, 1):
        on(number, len(goals) + 2)
        made = ledger.store_goal(goal, status=status, priority=number, goal_id=f"goal-{number}")
        for step, (task, stands) in enumerate(tasks, 1):
            name = f"goal-{number}-task-{step}"
            ledger.store_task(made.id, task, agent="planner" if step == 1 else "coder", task_id=name)
            if stands != "pending":
                ledger.update_task(name, stands, error="it still fails, less often" if stands == "failed" else None)
        if result:
            on(number + 1, len(goals) + 2)
            ledger.update_goal(made.id, result=result)


def _calls(told: dict[str, Any], view: View, on: Callable[[int, int], None]) -> None:
    calls = told["calls"]
    for number, (task, tool, given, output, success, took, reason) in enumerate(calls, 1):
        on(number, len(calls) + 1)
        view.ledger.store_tool_call(
            task,
            tool,
            agent="coder",
            given=given,
            output=output,
            success=success,
            duration=timedelta(milliseconds=took),
            reason=reason,
            call_id=f"call-{number}",
        )


def _heron(told: dict[str, Any], view: View, clock: StoryClock, line: Callable[[list[str]], str]) -> None:
    """A piece of work that was put aside, and two ways it went on."""
    said = [{"role": "user", "content": "Plan the move of Heron to September."}]
    said += [
        {"role": role, "content": line(topic["lines"])}
        for topic in told["topics"]
        for role in ("assistant", "user")
    ]
    crystals = view.crystals
    first = crystals.crystallize(said, ["Heron", "September"], YEAR, reason="before the audit", pin=True)
    clock.at += timedelta(days=2)
    crystals.branch(first.crystal_id, "keep June, drop the export", ttl=YEAR)
    crystals.branch(first.crystal_id, "move everything to September", ttl=YEAR)


def _login(told: dict[str, Any], view: View, clock: StoryClock) -> None:
    """A fault that was hunted in three ways: one was let go, one went on and came back."""
    crystals = view.crystals
    said = [{"role": role, "content": text} for role, text in told["said"]]
    root = crystals.crystallize(
        said,
        told["hints"],
        YEAR,
        task_state=told["task"],
        working_memory=told["memory"],
        reason="the login test fails in the night",
    )
    clock.at += timedelta(days=1)
    first, second, third = told["ways"]
    dead = crystals.branch(root.crystal_id, first, ttl=YEAR)
    way = crystals.branch(root.crystal_id, second, ttl=YEAR)
    clock.at += timedelta(days=3)
    found = [*said, {"role": "assistant", "content": "With the token written first, 500 runs passed."}]
    done = crystals.crystallize(found, told["hints"], YEAR, parent=way.crystal_id, reason=third)
    crystals.compost(dead.crystal_id)
    clock.at += timedelta(days=1)
    crystals.merge(done.crystal_id, root.crystal_id, ttl=YEAR)
