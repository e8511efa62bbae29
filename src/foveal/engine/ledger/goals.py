"""The ledger verbs for goals, their tasks, and tool calls."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, TypeVar, Unpack

import msgspec

from foveal.engine.ledger.records import put_record, record_id_of
from foveal.engine.ledger.rows import Rows, author_of, place_of, require_author, scope_in, scope_of_row
from foveal.engine.runtime.facade import Facade, Moment, checks_arguments, takes
from foveal.errors import Conflict, NotFound
from foveal.model.ids import new_id
from foveal.model.ledger import Goal, Status, Task, ToolCall
from foveal.model.query import At, Viewpoint
from foveal.model.record import Scope
from foveal.rules.drafts import viewpoint_of
from foveal.rules.ledger import goal_text, task_text
from foveal.rules.validation import (
    checked_count,
    checked_id,
    checked_json,
    checked_metadata,
    checked_moment,
    checked_name,
    checked_text,
)

Replace = msgspec.structs.replace


# What a task and a tool call need.
_STEP, _CALL = ("goal_id", "description"), ("task_id", "tool_name")


def _milliseconds(count: float) -> timedelta:
    return timedelta(milliseconds=count)


T = TypeVar("T", Goal, Task)


@checks_arguments
class Goals(Facade):
    """Goals, tasks and tool calls. Each goal and each finished task is also a record, so that searches find it.

    All nodes of an actor see them, and any node may change their status; the row says which node stored it and
    which one changed it last. With `scope="local"`, a goal and everything under it belong to its node alone.
    """

    @takes(Goal, id="goal_id", owner=None, archived_at=None, record_id=None, node=None, changed_by=None)
    def store_goal(
        self,
        description: str | Goal,
        *,
        status: Status | str = Status.PENDING,
        priority: int = 2,
        metadata: Mapping[str, Any] | None = None,
        goal_id: str | None = None,
        scope: Scope | str | None = None,
        created_at: Moment | None = None,
        completed_at: Moment | None = None,
        result: str | None = None,
        **at: Unpack[At],
    ) -> Goal:
        """Store a goal, given as text or as a `Goal`; priority 1 is the most urgent.

        If the id exists already, the stored goal is returned. With `scope="local"`, only this node sees it.
        """
        viewpoint, now = viewpoint_of(self._bound, at), self._runtime.clock.now()
        rows, place = Rows(self._runtime, viewpoint), place_of(viewpoint, scope_of_row(scope))
        goal = Goal(
            id=new_id(now) if goal_id is None else checked_id(goal_id),
            description=checked_text(description, "description"),
            priority=checked_count(priority, "priority", 0),
            created_at=checked_moment(created_at, "created_at") or now,
            completed_at=checked_moment(completed_at, "completed_at"),
            result=None if result is None else checked_text(result, "result"),
            metadata=checked_metadata(metadata),
            node=viewpoint.node,
        )
        goal = self._stamped(goal, Status.named(status), now)
        known = [] if goal_id is None else rows.get(Goal, [goal.id])
        if known:
            return _unchanged(known[0], goal.description)
        # The record first: a crash between the two leaves a record, which the next attempt finds.
        goal = Replace(goal, record_id=self._filed(place, goal, fresh=goal_id is None))
        rows.put(goal, place)
        return goal

    def update_goal(
        self,
        goal_id: str,
        status: Status | str | None = None,
        *,
        result: str | None = None,
        priority: int | None = None,
        metadata: Mapping[str, Any] | None = None,
        **at: Unpack[At],
    ) -> Goal:
        """Change a goal. Finishing it sets `completed_at`; reopening it clears that.

        Any node that sees the goal may change its status and its result; the row keeps who did. Its priority and
        its metadata change by the node that stored it and those above: another gets `Forbidden`.
        """
        viewpoint, now = viewpoint_of(self._bound, at), self._runtime.clock.now()
        rows = Rows(self._runtime, viewpoint)
        wanted = None if status is None else Status.named(status)
        fields: dict[str, Any] = {}
        if result is not None:
            fields["result"] = checked_text(result, "result")
        if priority is not None:
            fields["priority"] = checked_count(priority, "priority", 0)
        if metadata is not None:
            fields["metadata"] = checked_metadata(metadata)

        def change(goal: Goal) -> Goal:
            if priority is not None or metadata is not None:
                require_author(goal, viewpoint)
            changed = Replace(goal, **fields)
            return changed if wanted is None else _by(self._stamped(changed, wanted, now), viewpoint)

        # The record is written before the row, so that searches find a goal once it is marked as finished.
        known = self.get_goal(goal_id, **at)
        record_id = self._filed(rows.place(Goal, goal_id), change(known))
        return rows.change(Goal, goal_id, lambda goal: Replace(change(goal), record_id=record_id))

    def get_goal(self, goal_id: str, **at: Unpack[At]) -> Goal:
        """A goal by its id."""
        goals = self._rows(at).get(Goal, [goal_id])
        if not goals:
            raise NotFound(f"there is no goal {goal_id!r} here", row_id=goal_id)
        return goals[0]

    def get_goals(self, *, status: Status | str | None = None, limit: int = 100, **at: Unpack[At]) -> list[Goal]:
        """All goals, or those of one status, newest first."""
        wanted = None if status is None else {"status": Status.named(status).value}
        most = checked_count(limit, "limit")
        return self._rows(at).listed(Goal, wanted, newest=True, limit=most)

    def get_active_goals(self, limit: int = 100, **at: Unpack[At]) -> list[Goal]:
        """The goals that are not finished, most urgent first, then oldest first."""
        return self._rows(at).active_goals(checked_count(limit, "limit"))

    def get_interrupted_goals(self, **at: Unpack[At]) -> list[Goal]:
        """The goals in progress whose process is gone, oldest first: resume or close them."""
        running = {"status": Status.IN_PROGRESS.value}
        goals = self._rows(at).listed(Goal, running)
        return [goal for goal in goals if goal.owner is None or not self._runtime.machine.alive(goal.owner)]

    def resume_goal(self, goal_id: str, **at: Unpack[At]) -> Goal:
        """Resume a goal in this process; `Conflict` if another process works on it or it is finished.

        Its tasks in progress become pending again.
        """
        viewpoint, machine = viewpoint_of(self._bound, at), self._runtime.machine
        rows = Rows(self._runtime, viewpoint)

        def resumed(goal: Goal) -> Goal:
            if goal.status.finished:
                raise Conflict(f"the goal {goal_id!r} is {goal.status}", row_id=goal_id)
            if goal.owner not in (None, machine.owner) and machine.alive(goal.owner or ""):
                raise Conflict(f"another process is at the goal {goal_id!r}", row_id=goal_id, owner=goal.owner)
            return _by(Replace(goal, status=Status.IN_PROGRESS, owner=machine.owner), viewpoint)

        def waiting(task: Task) -> Task:
            return _by(Replace(task, status=Status.PENDING, started_at=None), viewpoint)

        goal = rows.change(Goal, goal_id, resumed)
        for task in rows.listed(Task, {"goal_id": goal_id}):
            if task.status is Status.IN_PROGRESS:
                rows.change(Task, task.id, waiting)
        return goal

    @takes(Task, *_STEP, id="task_id", duration_ms=None, record_id=None, node=None, changed_by=None)
    def store_task(
        self,
        goal_id: str | Task,
        description: str = "",
        *,
        agent: str = "",
        status: Status | str = Status.PENDING,
        given: Any = None,
        task_id: str | None = None,
        created_at: Moment | None = None,
        started_at: Moment | None = None,
        completed_at: Moment | None = None,
        output: Any = None,
        error: str | None = None,
        **at: Unpack[At],
    ) -> Task:
        """Store a task of a goal, or a whole `Task`, with the scope of the goal.

        If the id exists already, the stored task is returned.
        """
        viewpoint, now = viewpoint_of(self._bound, at), self._runtime.clock.now()
        rows = Rows(self._runtime, viewpoint)
        task = Task(
            id=new_id(now) if task_id is None else checked_id(task_id),
            goal_id=str(goal_id),
            description=checked_text(description, "description"),
            agent=agent and checked_name(agent, "agent"),
            given=checked_json(given, "given"),
            output=checked_json(output, "output"),
            error=None if error is None else checked_text(error, "error"),
            created_at=checked_moment(created_at, "created_at") or now,
            started_at=checked_moment(started_at, "started_at"),
            completed_at=checked_moment(completed_at, "completed_at"),
            node=viewpoint.node,
        )
        task = _timed(task, Status.named(status), now)
        if rows.put(task, rows.place(Goal, task.goal_id)) is None:
            return _unchanged(self.get_task(task.id, **at), task.description)
        self._start_goal(viewpoint, task)
        # The record of a finished task is written by its change.
        return self.update_task(task.id, **at) if task.status.finished else task

    def update_task(
        self,
        task_id: str,
        status: Status | str | None = None,
        *,
        output: Any = None,
        error: str | None = None,
        **at: Unpack[At],
    ) -> Task:
        """Change a task. Starting and finishing it set the times.

        Any node that sees the task may change it; the row keeps who did.
        """
        viewpoint, now = viewpoint_of(self._bound, at), self._runtime.clock.now()
        rows = Rows(self._runtime, viewpoint)
        wanted = None if status is None else Status.named(status)
        fields: dict[str, Any] = {"output": checked_json(output, "output")} if output is not None else {}
        if error is not None:
            fields["error"] = checked_text(error, "error")

        def change(task: Task) -> Task:
            changed = Replace(task, **fields)
            return changed if wanted is None else _by(_timed(changed, wanted, now), viewpoint)

        known = change(self.get_task(task_id, **at))
        record_id = known.record_id
        if known.status.finished:
            place = rows.place(Task, task_id)
            record_id = record_id_of(place, "task", known.id)
            details: dict[str, Any] = {"task_id": known.id, "goal_id": known.goal_id, "status": known.status.value}
            put_record(
                self._runtime, author_of(known, viewpoint), record_id, task_text(known),
                {"kind": "task", "source": "assistant", "metadata": details, "scope": scope_in(place)},
            )  # fmt: skip
        task = rows.change(Task, task_id, lambda row: Replace(change(row), record_id=record_id))
        self._start_goal(viewpoint, task)
        return task

    def get_task(self, task_id: str, **at: Unpack[At]) -> Task:
        """A task by its id."""
        tasks = self._rows(at).get(Task, [task_id])
        if not tasks:
            raise NotFound(f"there is no task {task_id!r} here", row_id=task_id)
        return tasks[0]

    def get_tasks_for_goal(self, goal_id: str, **at: Unpack[At]) -> list[Task]:
        """The tasks of a goal, in the order they were stored."""
        goal = self.get_goal(goal_id, **at)
        return self._rows(at).listed(Task, {"goal_id": goal.id})

    @takes(ToolCall, *_CALL, id="call_id", duration_ms=("duration", _milliseconds), node=None)
    def store_tool_call(
        self,
        task_id: str | ToolCall,
        tool_name: str = "",
        *,
        agent: str = "",
        given: Any = None,
        output: Any = None,
        success: bool = True,
        duration: timedelta | None = None,
        reason: str = "",
        call_id: str | None = None,
        timestamp: Moment | None = None,
        **at: Unpack[At],
    ) -> ToolCall:
        """Store the input and output of a tool call, or a whole `ToolCall`, for audit.

        A call sent twice under one id is stored once.
        """
        viewpoint, now = viewpoint_of(self._bound, at), self._runtime.clock.now()
        call = ToolCall(
            id=new_id(now) if call_id is None else checked_id(call_id),
            task_id=str(task_id),
            tool_name=checked_name(tool_name, "tool_name"),
            agent=agent and checked_name(agent, "agent"),
            given=checked_json(given, "given"),
            output=checked_json(output, "output"),
            success=bool(success),
            duration_ms=None if duration is None else duration / timedelta(milliseconds=1),
            reason=reason and checked_text(reason, "reason"),
            timestamp=checked_moment(timestamp, "timestamp") or now,
        )
        rows = Rows(self._runtime, viewpoint)
        return rows.put(call, rows.place(Task, call.task_id)) or rows.get(ToolCall, [call.id])[0]

    def get_tool_calls(
        self, *, task_id: str | None = None, tool_name: str | None = None, limit: int = 100, **at: Unpack[At]
    ) -> list[ToolCall]:
        """All tool calls, or those of a task or a tool, newest first."""
        wanted = {"task_id": task_id, "tool_name": tool_name}
        return self._rows(at).listed(
            ToolCall,
            {name: value for name, value in wanted.items() if value is not None},
            newest=True,
            limit=checked_count(limit, "limit"),
        )

    def _rows(self, at: At) -> Rows:
        return Rows(self._runtime, viewpoint_of(self._bound, at))

    def _filed(self, place: Viewpoint, goal: Goal, *, fresh: bool = False) -> str:
        record_id = record_id_of(place, "goal", goal.id)
        details: dict[str, Any] = {**goal.metadata, "goal_id": goal.id, "status": goal.status.value}
        put_record(
            self._runtime, author_of(goal, place), record_id, goal_text(goal),
            {"kind": "goal", "source": "assistant", "metadata": details, "scope": scope_in(place)}, fresh=fresh,
        )  # fmt: skip
        return record_id

    def _stamped(self, goal: Goal, status: Status, now: datetime) -> Goal:
        ended = goal.completed_at or now if status.finished else None
        owner = self._runtime.machine.owner if status is Status.IN_PROGRESS else None
        return Replace(goal, status=status, completed_at=ended, owner=owner)

    def _start_goal(self, viewpoint: Viewpoint, task: Task) -> None:
        """Mark a pending goal as in progress when one of its tasks is."""
        if task.status is not Status.IN_PROGRESS:
            return
        rows = Rows(self._runtime, viewpoint)
        [goal] = rows.get(Goal, [task.goal_id])
        if goal.status is Status.PENDING:
            now = self._runtime.clock.now()
            rows.change(Goal, goal.id, lambda row: _by(self._stamped(row, Status.IN_PROGRESS, now), viewpoint))


def _by(row: T, viewpoint: Viewpoint) -> T:
    return Replace(row, changed_by=viewpoint.node)


def _timed(task: Task, status: Status, now: datetime) -> Task:
    started = task.started_at or (now if status is not Status.PENDING else None)
    ended = task.completed_at or now if status.finished else None
    span = (ended - started) / timedelta(milliseconds=1) if ended and started else None
    return Replace(task, status=status, started_at=started, completed_at=ended, duration_ms=span)


def _unchanged(known: T, description: str) -> T:
    """The row stored under an id; `Conflict` if it has another description, because an id keeps its meaning."""
    if known.description != description:
        raise Conflict(f"the id {known.id!r} is taken", row_id=known.id)
    return known
