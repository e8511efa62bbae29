"""From working to long-term memory: nothing is lost, and a second run finds nothing to do."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from foveal.engine.core import Core
from foveal.engine.ledger.filing import filed, filed_id
from foveal.engine.ledger.operational import flush, ring_of
from foveal.model.ids import new_id
from foveal.model.ledger import Decision, EventHour, Goal, MetricHour, Task
from foveal.model.query import Viewpoint
from foveal.model.record import Tier
from foveal.model.results import Change, Migrated, Move, What
from foveal.ports.store import Act
from foveal.rules.ledger import ROLL_UP_LIFE, WORKING_LIFE, aged_text

SLICE = 100


def migrate(core: Core, viewpoint: Viewpoint, cutoff: datetime, limit: int = SLICE) -> Migrated:
    """Move goals finished and decisions made before `cutoff` to long-term memory, at most `limit` of each.

    A goal's record becomes one with its tasks and their results, and both go to the coldest tier. The rows stay,
    marked as archived: goals with their tasks stay readable, and tool calls are kept for audit.
    """
    now = core.clock.now()
    goals = core.store.ageing(viewpoint, Goal, cutoff, limit)
    for goal in goals:
        _age_goal(core, viewpoint, goal, now)
    decisions = core.store.ageing(viewpoint, Decision, cutoff, limit)
    for decision in decisions:
        if decision.record_id is not None:
            _cool(core, viewpoint, decision.record_id)
        core.store.change_row(viewpoint, Decision, decision.id, lambda one: _archived(one, now))
    return Migrated(goals=tuple(one.id for one in goals), decisions=tuple(one.id for one in decisions))


def age(core: Core, viewpoint: Viewpoint, limit: int = SLICE) -> Migrated:
    """One slice of everything that ages: what left the ring, old goals and decisions, old roll-ups."""
    now = core.clock.now()
    flush(core, viewpoint, ring_of(core, viewpoint))
    moved = migrate(core, viewpoint, now - WORKING_LIFE, limit)
    hours = _drop_old(core, viewpoint, MetricHour, now - ROLL_UP_LIFE, limit)
    events = _drop_old(core, viewpoint, EventHour, now - ROLL_UP_LIFE, limit)
    return msgspec.structs.replace(moved, metric_hours=hours, event_hours=events)


def _age_goal(core: Core, viewpoint: Viewpoint, goal: Goal, now: datetime) -> None:
    tasks = core.store.list_rows(viewpoint, Task, {"goal_id": goal.id})
    record_id = goal.record_id or filed_id(viewpoint, "goal", goal.id)
    metadata: dict[str, Any] = {
        **goal.metadata,
        "goal_id": goal.id,
        "status": goal.status.value,
        "tasks": [
            {"id": one.id, "description": one.description[:200], "status": one.status} for one in tasks[:100]
        ],
    }
    # The record first: a crash before the row is marked lets the next run find the record as it should be.
    filed(
        core, viewpoint, record_id, aged_text(goal, tasks),
        {"kind": "goal", "source": "assistant", "metadata": metadata},
    )  # fmt: skip
    _cool(core, viewpoint, record_id)
    core.store.change_row(
        viewpoint, Goal, goal.id, lambda one: msgspec.structs.replace(_archived(one, now), record_id=record_id)
    )


def _archived(row: Any, now: datetime) -> Any:
    return msgspec.structs.replace(row, archived_at=now)


def _cool(core: Core, viewpoint: Viewpoint, record_id: str) -> None:
    """Let a record go to the coldest tier, with a row in the journal."""
    sight = core.sight(viewpoint)
    for record in core.store.get(sight, [record_id]):
        if record.vitals.tier is not Tier.SEMANTIC:
            colder = msgspec.structs.replace(record.vitals, tier=Tier.SEMANTIC)
            move = Move(
                id=new_id(sight.now),
                at=sight.now,
                who="metabolism",
                what=What.SEDIMENTED,
                why=f"done with for {WORKING_LIFE.days} days",
                changes=(Change(record_id=record.id, before=record.vitals, after=colder),),
            )
            core.store.act(sight, [Act(move=move)], core.encoder)


def _drop_old(
    core: Core, viewpoint: Viewpoint, kind: type[MetricHour] | type[EventHour], before: datetime, limit: int
) -> int:
    old = core.store.list_rows(viewpoint, kind, until=before, limit=limit)
    return core.store.remove_rows(viewpoint, kind, [one.id for one in old])
