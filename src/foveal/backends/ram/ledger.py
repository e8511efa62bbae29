"""The working state of agents in the reference store."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, cast

import msgspec

from foveal.backends.ram.organism import Organism
from foveal.errors import Invalid, NotFound
from foveal.model.events import EventHour, MetricHour
from foveal.model.ledger import Decision, Goal, Pattern, Status, Task, ToolCall
from foveal.model.sight import Viewpoint
from foveal.ports.ledger import KINDS, LOOKED_UP, R, Row

Node = tuple[str, str, str]


class Shelf:
    """The rows of one kind in one ledger, and their keys by the columns they are looked up by."""

    def __init__(self, kind: type[Row]) -> None:
        self._looked_up = LOOKED_UP[kind]
        self.rows: dict[str, Row] = {}
        self._keys: dict[tuple[str, Any], dict[str, None]] = {}

    def put(self, row: Row) -> None:
        """Store a row in place of the one with its key."""
        key: str = getattr(row, row.key)
        self.take(key)
        self.rows[key] = row
        for name in self._looked_up:
            self._keys.setdefault((name, getattr(row, name)), {})[key] = None

    def take(self, key: str) -> bool:
        """Remove a row, if it is there."""
        row = self.rows.pop(key, None)
        for name in self._looked_up if row is not None else ():
            self._keys[(name, getattr(row, name))].pop(key)
        return row is not None

    def matching(self, wanted: Mapping[str, str]) -> list[Row]:
        """The rows whose columns have these values."""
        if not wanted:
            return list(self.rows.values())
        sets = sorted((self._keys.get(one, {}) for one in wanted.items()), key=len)
        return [self.rows[key] for key in sets[0] if all(key in other for other in sets[1:])]


class Book:
    """One ledger: a shelf for each kind of row."""

    def __init__(self) -> None:
        self.shelves = {kind: Shelf(kind) for kind in KINDS}

    def drop(self, kind: type[Row], key: str) -> bool:
        """Remove a row and everything that hangs on it."""
        if not self.shelves[kind].take(key):
            return False
        hanging: dict[type[Row], tuple[tuple[type[Row], str], ...]] = {
            Goal: ((Task, "goal_id"), (Decision, "goal_id")),
            Task: ((ToolCall, "task_id"),),
        }
        for other, column in hanging.get(kind, ()):
            for row in self.shelves[other].matching({column: key}):
                self.drop(other, getattr(row, row.key))
        return True

    def erased(self, record_ids: Iterable[str]) -> None:
        """Remove what was found by records that are gone."""
        gone = set(record_ids)
        for kind in (Goal, Task, Decision, Pattern):
            rows = self.shelves[kind].rows.values()
            for key in [getattr(row, kind.key) for row in rows if getattr(row, "record_id", None) in gone]:
                self.drop(kind, key)


class Ledger:
    """Goals, tasks, tool calls, decisions, patterns, states, events and metrics, a ledger a node."""

    _lock: threading.RLock
    _organisms: dict[tuple[str, str], Organism]
    _books: dict[Node, Book]

    @abstractmethod
    def _require_open(self) -> None: ...

    def put_row(self, viewpoint: Viewpoint, row: Row) -> bool:
        """Store a row, unless its key is taken. Says whether it is new."""
        with self._lock:
            self._require_ties(viewpoint, row)
            shelf = self._made(viewpoint).shelves[type(row)]
            new = getattr(row, row.key) not in shelf.rows
            if new:
                shelf.put(row)
            return new

    def set_row(self, viewpoint: Viewpoint, row: Row) -> None:
        """Store a row in place of the one with its key."""
        with self._lock:
            self._require_ties(viewpoint, row)
            self._made(viewpoint).shelves[type(row)].put(row)

    def change_row(self, viewpoint: Viewpoint, kind: type[R], key: str, change: Callable[[R], R]) -> R:
        """Change a row against concurrent changes."""
        with self._lock:
            found = self.get_rows(viewpoint, kind, [key])
            if not found:
                raise _missing(kind, key)
            changed = change(found[0])
            self.set_row(viewpoint, changed)
            return changed

    def add_up(self, viewpoint: Viewpoint, hours: Sequence[MetricHour | EventHour]) -> None:
        """Add roll-ups to what their hours hold already."""
        with self._lock:
            for one in hours:
                shelf = self._made(viewpoint).shelves[type(one)]
                shelf.put(_sum(cast("MetricHour | EventHour | None", shelf.rows.get(one.id)), one))

    def get_rows(self, viewpoint: Viewpoint, kind: type[R], keys: Sequence[str]) -> list[R]:
        """The rows with these keys, in the order asked."""
        with self._lock:
            rows = self._book(viewpoint).shelves[kind].rows
            found = [rows[key] for key in dict.fromkeys(keys) if key in rows]
            return cast(list[R], self._unforgotten(viewpoint, found))

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
        """The rows whose looked-up columns have these values, by time."""
        place: Callable[[Row], Any] = lambda row: (getattr(row, kind.moment), getattr(row, kind.key))
        found = [
            row
            for row in self._matching(viewpoint, kind, matching)
            if (since is None or place(row)[0] >= since) and (until is None or place(row)[0] < until)
        ]
        return cast(list[R], sorted(found, key=place, reverse=newest)[:limit])

    def active_goals(self, viewpoint: Viewpoint, limit: int) -> list[Goal]:
        """The goals that are not finished: the most urgent first, then the oldest."""
        open_ = [one for one in Status if not one.finished]
        found = [row for status in open_ for row in self._matching(viewpoint, Goal, {"status": status})]
        return sorted(cast(list[Goal], found), key=lambda one: (one.priority, one.created_at, one.id))[:limit]

    def best_patterns(self, viewpoint: Viewpoint, limit: int | None, *, worst: bool = False) -> list[Pattern]:
        """Patterns by success rate, then by uses."""
        sign = 1 if worst else -1
        patterns = cast(list[Pattern], self._matching(viewpoint, Pattern, None))
        return sorted(patterns, key=lambda one: (sign * one.success_rate, sign * one.uses, one.id))[:limit]

    def ageing(self, viewpoint: Viewpoint, kind: type[R], before: datetime, limit: int) -> list[R]:
        """Goals finished, or decisions made, before a moment and not archived yet, oldest first."""
        column = "completed_at" if issubclass(kind, Goal) else "timestamp"
        place: Callable[[Row], Any] = lambda row: (getattr(row, column), getattr(row, kind.key))
        rows = self._matching(viewpoint, kind, None)
        waiting = [row for row in rows if cast(Goal, row).archived_at is None and place(row)[0] is not None]
        return cast(list[R], sorted((row for row in waiting if place(row)[0] < before), key=place)[:limit])

    def count_rows(self, viewpoint: Viewpoint, kind: type[Row], matching: Mapping[str, str] | None = None) -> int:
        """How many rows there are."""
        return len(self._matching(viewpoint, kind, matching))

    def remove_rows(self, viewpoint: Viewpoint, kind: type[Row], keys: Sequence[str]) -> int:
        """Remove rows, and what hangs on them. Gives how many there were."""
        with self._lock:
            return sum(self._book(viewpoint).drop(kind, key) for key in keys)

    def ledgers(self) -> list[Viewpoint]:
        """Every viewpoint that has rows."""
        with self._lock:
            return [Viewpoint(world=world, actor_id=actor, node=node) for world, actor, node in sorted(self._books)]

    def _book(self, viewpoint: Viewpoint) -> Book:
        self._require_open()
        return self._books.get((*viewpoint.organism, viewpoint.node)) or Book()

    def _made(self, viewpoint: Viewpoint) -> Book:
        self._require_open()
        return self._books.setdefault((*viewpoint.organism, viewpoint.node), Book())

    def _matching(self, viewpoint: Viewpoint, kind: type[Row], wanted: Mapping[str, str] | None) -> list[Row]:
        for name in wanted or {}:
            if name not in LOOKED_UP[kind]:
                raise Invalid(f"a {kind.__name__} is not looked up by {name!r}")
        with self._lock:
            return self._unforgotten(viewpoint, self._book(viewpoint).shelves[kind].matching(wanted or {}))

    def _unforgotten(self, viewpoint: Viewpoint, rows: Sequence[Row]) -> list[Row]:
        """The rows whose records are not forgotten."""
        organism = self._organisms.get(viewpoint.organism)
        vitals = organism.vitals if organism else {}
        ids = [getattr(row, "record_id", None) for row in rows]
        return [
            row
            for row, one in zip(rows, ids, strict=True)
            if one is None or (one in vitals and vitals[one].forgotten_at is None)
        ]

    def _require_ties(self, viewpoint: Viewpoint, row: Row) -> None:
        self._require_open()
        if isinstance(row, Task | Decision) and row.goal_id is not None:
            self._require_row(viewpoint, Goal, row.goal_id)
        if isinstance(row, ToolCall):
            self._require_row(viewpoint, Task, row.task_id)
        record_id = getattr(row, "record_id", None)
        organism = self._organisms.get(viewpoint.organism)
        if record_id is not None and (organism is None or record_id not in organism.vitals):
            raise NotFound(f"there is no record {record_id!r} here", record_id=record_id)

    def _require_row(self, viewpoint: Viewpoint, kind: type[Goal] | type[Task], key: str) -> None:
        if not self.get_rows(viewpoint, kind, [key]):
            raise _missing(kind, key)


def _missing(kind: type[Row], key: str) -> NotFound:
    return NotFound(f"there is no {kind.__name__.lower()} {key!r} here", row_id=key)


def _sum(known: MetricHour | EventHour | None, more: MetricHour | EventHour) -> MetricHour | EventHour:
    if known is None:
        return more
    added: dict[str, float] = {"count": known.count + more.count}
    if isinstance(known, MetricHour) and isinstance(more, MetricHour):
        added |= {"total": known.total + more.total}
        added |= {"least": min(known.least, more.least), "most": max(known.most, more.most)}
    return msgspec.structs.replace(known, **added)
