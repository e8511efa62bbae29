"""Where the working state of agents is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol, TypeVar

from foveal.model.ledger import (
    AgentState,
    Decision,
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

Row = Goal | Task | ToolCall | Decision | Pattern | AgentState | Event | Metric | MetricHour | EventHour
R = TypeVar("R", bound=Row)

KINDS: tuple[type[Row], ...] = (
    *(Goal, Task, ToolCall, Decision, Pattern, AgentState, Event, Metric, MetricHour, EventHour),
)
# The columns that rows may be looked up by, each with an index.
LOOKED_UP: dict[type[Row], tuple[str, ...]] = {
    Goal: ("status",),
    Task: ("goal_id", "status"),
    ToolCall: ("task_id", "tool_name"),
    Decision: ("goal_id",),
    Pattern: ("trigger", "created_from"),
    AgentState: (),
    Event: ("category", "source"),
    Metric: (),
    MetricHour: ("name",),
    EventHour: (),
}


class Ledger(Protocol):
    """The rows of one node of one organism; nobody else sees or changes them.

    A row whose record was forgotten is out of sight with it, and goes when the record is erased, with all that
    hangs on it.
    """

    def put_row(self, viewpoint: Viewpoint, row: Row) -> bool:
        """Store a row, unless its key is taken: then nothing happens. Says whether it is new.

        `NotFound` if the goal of a task, the task of a tool call or the record of a row is not there.
        """
        ...

    def set_row(self, viewpoint: Viewpoint, row: Row) -> None:
        """Store a row in place of the one with its key, if there is one."""
        ...

    def change_row(self, viewpoint: Viewpoint, kind: type[R], key: str, change: Callable[[R], R]) -> R:
        """Change a row against concurrent changes. `NotFound` if there is none."""
        ...

    def add_up(self, viewpoint: Viewpoint, hours: Sequence[MetricHour | EventHour]) -> None:
        """Add roll-ups to what their hours hold already, all or none."""
        ...

    def get_rows(self, viewpoint: Viewpoint, kind: type[R], keys: Sequence[str]) -> list[R]:
        """The rows with these keys, in the order asked."""
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
        """The rows whose looked-up columns have these values, by time: not before `since`, before `until`."""
        ...

    def active_goals(self, viewpoint: Viewpoint, limit: int) -> list[Goal]:
        """The goals that are not finished: the most urgent first, then the oldest."""
        ...

    def best_patterns(self, viewpoint: Viewpoint, limit: int | None, *, worst: bool = False) -> list[Pattern]:
        """Patterns by success rate, then by uses."""
        ...

    def ageing(self, viewpoint: Viewpoint, kind: type[R], before: datetime, limit: int) -> list[R]:
        """Goals finished, or decisions made, before a moment and not archived yet, oldest first."""
        ...

    def count_rows(self, viewpoint: Viewpoint, kind: type[Row], matching: Mapping[str, str] | None = None) -> int:
        """How many rows there are."""
        ...

    def remove_rows(self, viewpoint: Viewpoint, kind: type[Row], keys: Sequence[str]) -> int:
        """Remove rows, and what hangs on them. Gives how many there were."""
        ...

    def ledgers(self) -> list[Viewpoint]:
        """Every viewpoint that has rows, without sessions."""
        ...
