"""`memory.ledger`: all its verbs together, agent states, and the move of old rows to long-term memory."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Unpack

import msgspec

from foveal.engine.ledger.decisions import Decisions, Patterns
from foveal.engine.ledger.goals import Goals
from foveal.engine.ledger.operational import flush, ring_of
from foveal.engine.ledger.records import found, of_kinds, put_record, record_id_of, result_of
from foveal.engine.ledger.rows import Rows, author_of, place_of, scope_in, scope_of_row
from foveal.engine.runtime.facade import Moment, checks_arguments, takes
from foveal.engine.runtime.runtime import Runtime
from foveal.errors import NotFound
from foveal.model.ids import new_id
from foveal.model.ledger import AgentState, Decision, EventHour, Goal, MetricHour, Task
from foveal.model.query import At, Viewpoint
from foveal.model.record import Scope, Tier
from foveal.model.results import Change, Migrated, Move, SearchResult, What
from foveal.ports.store import PlannedMove
from foveal.rules.drafts import viewpoint_of
from foveal.rules.ledger import ROLL_UP_LIFE, WORKING_LIFE, aged_text
from foveal.rules.validation import checked_count, checked_json, checked_moment, checked_name, checked_text

SLICE = 100


def migrate(runtime: Runtime, viewpoint: Viewpoint, cutoff: datetime, limit: int = SLICE) -> Migrated:
    """Move goals finished and decisions made before `cutoff` to long-term memory, at most `limit` of each.

    The record of a goal takes in its tasks and their results, and all records move to the coldest tier. The rows
    stay, marked as archived: goals stay readable with their tasks, and tool calls are kept for audit.
    """
    now = runtime.clock.now()
    goals = runtime.store.ledger.ageing(viewpoint, Goal, cutoff, limit)
    for goal in goals:
        _age_goal(runtime, viewpoint, goal, now)
    decisions = runtime.store.ledger.ageing(viewpoint, Decision, cutoff, limit)
    for decision in decisions:
        if decision.record_id is not None:
            _cool(runtime, author_of(decision, viewpoint), decision.record_id)
        by = author_of(decision, viewpoint)
        runtime.writes.change_row(viewpoint, Decision, decision.id, lambda row: _archived(row, now), by=by)
    return Migrated(goals=tuple(goal.id for goal in goals), decisions=tuple(decision.id for decision in decisions))


def age(runtime: Runtime, viewpoint: Viewpoint, limit: int = SLICE) -> Migrated:
    """Process one slice of everything that ages: the ring, old goals and decisions, old roll-ups."""
    now = runtime.clock.now()
    flush(runtime, viewpoint, ring_of(runtime, viewpoint))
    moved = migrate(runtime, viewpoint, now - WORKING_LIFE, limit)
    hours = _drop_old(runtime, viewpoint, MetricHour, now - ROLL_UP_LIFE, limit)
    events = _drop_old(runtime, viewpoint, EventHour, now - ROLL_UP_LIFE, limit)
    return msgspec.structs.replace(moved, metric_hours=hours, event_hours=events)


def _age_goal(runtime: Runtime, viewpoint: Viewpoint, goal: Goal, now: datetime) -> None:
    tasks = runtime.store.ledger.list_rows(viewpoint, Task, {"goal_id": goal.id})
    record_id = goal.record_id or record_id_of(viewpoint, "goal", goal.id)
    metadata: dict[str, Any] = {
        **goal.metadata,
        "goal_id": goal.id,
        "status": goal.status.value,
        "tasks": [
            {"id": task.id, "description": task.description[:200], "status": task.status} for task in tasks[:100]
        ],
    }
    # The record first: after a crash before the row is marked, the next run finds the record up to date.
    author = author_of(goal, viewpoint)
    put_record(
        runtime, author, record_id, aged_text(goal, tasks),
        {"kind": "goal", "source": "assistant", "metadata": metadata, "scope": scope_in(viewpoint)},
    )  # fmt: skip
    _cool(runtime, author, record_id)
    runtime.writes.change_row(
        viewpoint,
        Goal,
        goal.id,
        lambda row: msgspec.structs.replace(_archived(row, now), record_id=record_id),
        by=author,
    )


def _archived(row: Any, now: datetime) -> Any:
    return msgspec.structs.replace(row, archived_at=now)


def _cool(runtime: Runtime, viewpoint: Viewpoint, record_id: str) -> None:
    """Move a record to the coldest tier, with an entry in the journal."""
    access = runtime.access(viewpoint)
    for record in runtime.store.records.get(access, [record_id]):
        if record.vitals.tier is not Tier.SEMANTIC:
            colder = msgspec.structs.replace(record.vitals, tier=Tier.SEMANTIC)
            move = Move(
                id=new_id(access.now),
                at=access.now,
                who="metabolism",
                what=What.SEDIMENTED,
                why=f"done with for {WORKING_LIFE.days} days",
                changes=(Change(record_id=record.id, before=record.vitals, after=colder),),
            )
            runtime.writes.apply(access, [PlannedMove(move=move)], runtime.encoder)


def _drop_old(
    runtime: Runtime, viewpoint: Viewpoint, kind: type[MetricHour] | type[EventHour], before: datetime, limit: int
) -> int:
    old = runtime.store.ledger.list_rows(viewpoint, kind, until=before, limit=limit)
    return runtime.writes.remove_rows(viewpoint, kind, [row.id for row in old])


RELEVANT = ("goal", "task", "decision", "pattern")


@checks_arguments
class Ledger(Goals, Decisions, Patterns):
    """The goals, tasks, tool calls, decisions, patterns and agent states of an actor, which its nodes share.

    What a node stores with `scope="local"` it keeps to itself.
    """

    @takes(AgentState, "agent_name", "state", updated_at=None, node=None)
    def store_agent_state(
        self,
        agent_name: str | AgentState,
        state: Any = None,
        *,
        scope: Scope | str | None = None,
        **at: Unpack[At],
    ) -> AgentState:
        """Store the state of an agent, or a whole `AgentState`, replacing the previous one."""
        viewpoint = viewpoint_of(self._bound, at)
        row = AgentState(
            agent_name=checked_name(agent_name, "agent_name"),
            state=checked_json(state, "state"),
            updated_at=self._runtime.clock.now(),
        )
        return Rows(self._runtime, viewpoint).set(row, place_of(viewpoint, scope_of_row(scope)))

    def get_agent_state(self, agent_name: str, **at: Unpack[At]) -> AgentState:
        """The last stored state of an agent."""
        rows = Rows(self._runtime, viewpoint_of(self._bound, at)).latest(AgentState, [agent_name])
        if not rows:
            raise NotFound(f"there is no state of {agent_name!r} here", row_id=agent_name)
        return rows[0]

    def get_agent_states(self, limit: int = 100, **at: Unpack[At]) -> list[AgentState]:
        """The states of all agents, newest first."""
        most = checked_count(limit, "limit")
        return Rows(self._runtime, viewpoint_of(self._bound, at)).latest(AgentState)[:most]

    def find_relevant(
        self, task_description: str, limit: int = 5, *, kinds: Sequence[str] = RELEVANT, **at: Unpack[At]
    ) -> list[SearchResult]:
        """The goals, finished tasks, decisions and patterns that may help with a task, most relevant first."""
        hits = found(
            self._runtime,
            viewpoint_of(self._bound, at),
            checked_text(task_description, "task_description"),
            checked_count(limit, "limit"),
            where=[of_kinds(kinds)],
        )
        return [result_of(hit) for hit in hits]

    def migrate_old_entries(self, cutoff: Moment | None = None, **at: Unpack[At]) -> Migrated:
        """Move goals finished and decisions made before `cutoff` (30 days ago by default) to long-term memory.

        Nothing is removed: goals stay readable with their tasks, and tool calls are kept for audit.
        """
        viewpoint = viewpoint_of(self._bound, at)
        before: datetime = checked_moment(cutoff, "cutoff") or self._runtime.clock.now() - WORKING_LIFE
        goals: list[str] = []
        decisions: list[str] = []
        for place in Rows(self._runtime, viewpoint).places:
            while (moved := migrate(self._runtime, place, before)).count:
                goals += moved.goals
                decisions += moved.decisions
        return Migrated(goals=tuple(goals), decisions=tuple(decisions))

    def vacuum(self) -> int:
        """Release unused space in the file. Returns how many bytes were freed. It is `vacuum` of the memory."""
        return self._runtime.store.vacuum()
