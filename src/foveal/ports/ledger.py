"""The part of a store that keeps the working state of agents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol, TypeVar

from foveal.model.ledger import (
    AgentState,
    Decision,
    Engram,
    Event,
    EventHour,
    Goal,
    Metric,
    MetricHour,
    Pattern,
    Task,
    ToolCall,
)
from foveal.model.query import Viewpoint

Row = Goal | Task | ToolCall | Decision | Pattern | AgentState | Engram | Event | Metric | MetricHour | EventHour
R = TypeVar("R", bound=Row)

KINDS: tuple[type[Row], ...] = (
    *(Goal, Task, ToolCall, Decision, Pattern, AgentState, Engram, Event, Metric, MetricHour, EventHour),
)
# The node whose ledger all nodes of an organism share; no agent has this name.
COMMON = "*"
# The columns that rows can be looked up by; each has an index.
LOOKED_UP: dict[type[Row], tuple[str, ...]] = {
    Goal: ("status",),
    Task: ("goal_id", "status"),
    ToolCall: ("task_id", "tool_name"),
    Decision: ("goal_id",),
    Pattern: ("trigger", "created_from"),
    AgentState: (),
    Engram: (),
    Event: ("category", "source"),
    Metric: (),
    MetricHour: ("name",),
    EventHour: (),
}


class Ledger(Protocol):
    """The ledger rows of one node of one organism. The node `COMMON` names the ledger that all its nodes share.

    When the record of a row is forgotten, the row is hidden too. When the record is erased, the row is deleted with
    everything that depends on it.
    """

    def put_row(self, viewpoint: Viewpoint, row: Row) -> bool:
        """Store a row and return True, or do nothing and return False if its key is taken.

        `NotFound` if the goal of a task, the task of a tool call or the record of a row does not exist.
        """
        ...

    def set_row(self, viewpoint: Viewpoint, row: Row) -> None:
        """Store a row, replacing the one with the same key, if any."""
        ...

    def change_row(self, viewpoint: Viewpoint, kind: type[R], key: str, change: Callable[[R], R]) -> R:
        """Change a row atomically. `NotFound` if it does not exist."""
        ...

    def add_up(self, viewpoint: Viewpoint, hours: Sequence[MetricHour | EventHour]) -> None:
        """Add roll-ups to the stored ones of the same hours, all or none."""
        ...

    def get_rows(self, viewpoint: Viewpoint, kind: type[R], keys: Sequence[str]) -> list[R]:
        """The rows with these keys, in the order of the keys."""
        ...

    def list_rows(
        self,
        viewpoint: Viewpoint,
        kind: type[R],
        matching: Mapping[str, str] | None = None,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        newest: bool = False,
        limit: int | None = None,
    ) -> list[R]:
        """The rows with these values in their indexed columns, by time, from `since` up to but without `until`."""
        ...

    def active_goals(self, viewpoint: Viewpoint, limit: int) -> list[Goal]:
        """The unfinished goals, most urgent first, then oldest first."""
        ...

    def best_patterns(self, viewpoint: Viewpoint, limit: int | None, *, worst: bool = False) -> list[Pattern]:
        """Patterns by success rate, then by uses."""
        ...

    def ageing(self, viewpoint: Viewpoint, kind: type[R], before: datetime, limit: int) -> list[R]:
        """Goals finished, or decisions made, before a moment and not yet archived, oldest first."""
        ...

    def count_rows(self, viewpoint: Viewpoint, kind: type[Row], matching: Mapping[str, str] | None = None) -> int:
        """How many rows have these values."""
        ...

    def remove_rows(self, viewpoint: Viewpoint, kind: type[Row], keys: Sequence[str]) -> int:
        """Delete rows and everything that depends on them. Returns how many rows there were."""
        ...

    def ledgers(self) -> list[Viewpoint]:
        """Every viewpoint with rows; their sessions are None."""
        ...
