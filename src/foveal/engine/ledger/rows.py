"""The ledger rows that a node sees: those that all nodes of its organism share, and its private ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

import msgspec

from foveal.engine.runtime.runtime import Runtime
from foveal.errors import Forbidden, Invalid, NotFound
from foveal.model.ledger import Goal, Pattern
from foveal.model.query import Viewpoint
from foveal.model.record import Scope
from foveal.ports.ledger import COMMON, Row
from foveal.rules.drafts import stored_scope
from foveal.rules.visibility import oversees

R = TypeVar("R", bound=Row)


def scope_of_row(scope: Scope | str | None) -> Scope:
    """The scope of a new row: GLOBAL unless another is named. A row is either everyone's or its author's alone.

    >>> scope_of_row(None), scope_of_row("local")
    (<Scope.GLOBAL: 'global'>, <Scope.LOCAL: 'local'>)
    """
    named = Scope.GLOBAL if scope is None else stored_scope(scope)
    if named is Scope.SHARED:
        raise Invalid("an entry of the ledger is global, or local to its node: pass one of these as scope")
    return named


def place_of(viewpoint: Viewpoint, scope: Scope) -> Viewpoint:
    """The viewpoint whose ledger holds the rows of a scope."""
    return viewpoint if scope is Scope.LOCAL else msgspec.structs.replace(viewpoint, node=COMMON)


def scope_in(place: Viewpoint) -> Scope:
    """The scope of the rows in a ledger."""
    return Scope.GLOBAL if place.node == COMMON else Scope.LOCAL


def author_of(row: Any, viewpoint: Viewpoint) -> Viewpoint:
    """The viewpoint of the node that stored a row."""
    return msgspec.structs.replace(viewpoint, node=row.node or viewpoint.node)


def require_author(row: Any, viewpoint: Viewpoint) -> None:
    """Raise `Forbidden` unless the node stored the row, or stands above the node that did."""
    if not oversees(viewpoint.node, row.node):
        raise Forbidden(
            f"{getattr(row, row.key)} belongs to {row.node}: only it and the nodes above may change that",
            row_id=getattr(row, row.key),
            node=row.node,
        )


class Rows:
    """The rows that one viewpoint sees, shared and private together."""

    def __init__(self, runtime: Runtime, viewpoint: Viewpoint) -> None:
        self._runtime, self._viewpoint = runtime, viewpoint
        # The private ones first: where a key is in both, they are what the node itself stored.
        self.places = (viewpoint, place_of(viewpoint, Scope.GLOBAL))

    def get(self, kind: type[R], keys: Sequence[str]) -> list[R]:
        """The rows with these keys, in the order of the keys."""
        held = self._held(kind, keys)
        return [held[key][1] for key in dict.fromkeys(keys) if key in held]

    def place(self, kind: type[R], key: str) -> Viewpoint:
        """The viewpoint whose ledger holds a row; `NotFound` if none that this node sees does."""
        held = self._held(kind, [key])
        if key not in held:
            raise NotFound(f"there is no {_name(kind)} {key!r} here", row_id=key)
        return held[key][0]

    def listed(
        self,
        kind: type[R],
        matching: Mapping[str, str] | None = None,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        newest: bool = False,
        limit: int | None = None,
    ) -> list[R]:
        """The rows with these values, by time."""
        rows = [
            _authored(row, place)
            for place in self.places
            for row in self._runtime.store.ledger.list_rows(
                place, kind, matching, since=since, until=until, newest=newest, limit=limit
            )
        ]
        rows.sort(key=lambda row: (getattr(row, kind.moment), getattr(row, kind.key)), reverse=newest)
        return rows[:limit]

    def latest(self, kind: type[R], keys: Sequence[str] | None = None, *, since: datetime | None = None) -> list[R]:
        """The newest row of each key, or of these keys: those that both ledgers have count once. Newest first."""
        rows = (
            self.listed(kind, since=since)
            if keys is None
            else [row for place in self.places for row in self._runtime.store.ledger.get_rows(place, kind, keys)]
        )
        rows.sort(key=lambda row: getattr(row, kind.moment))
        return [*{getattr(row, kind.key): row for row in rows}.values()][::-1]

    def active_goals(self, limit: int) -> list[Goal]:
        """The unfinished goals, most urgent first, then oldest first."""
        goals = [
            _authored(goal, place)
            for place in self.places
            for goal in self._runtime.store.ledger.active_goals(place, limit)
        ]
        return sorted(goals, key=lambda goal: (goal.priority, goal.created_at, goal.id))[:limit]

    def best_patterns(self, limit: int | None, *, worst: bool = False) -> list[Pattern]:
        """Patterns by success rate, then by uses."""
        patterns = [
            _authored(pattern, place)
            for place in self.places
            for pattern in self._runtime.store.ledger.best_patterns(place, limit, worst=worst)
        ]
        sign = 1 if worst else -1
        return sorted(patterns, key=lambda row: (sign * row.success_rate, sign * row.uses, row.id))[:limit]

    def count(self, kind: type[Row], matching: Mapping[str, str] | None = None) -> int:
        """How many rows have these values."""
        return sum(self._runtime.store.ledger.count_rows(place, kind, matching) for place in self.places)

    def put(self, row: R, place: Viewpoint) -> R | None:
        """Store a row of this node in a ledger; None if its key is taken there."""
        own = msgspec.structs.replace(row, node=self._viewpoint.node)
        return own if self._runtime.writes.put_row(place, own, by=self._viewpoint) else None

    def set(self, row: R, place: Viewpoint) -> R:
        """Store a row of this node in a ledger, replacing the one with its key."""
        own = msgspec.structs.replace(row, node=self._viewpoint.node)
        self._runtime.writes.set_row(place, own, by=self._viewpoint)
        return own

    def change(self, kind: type[R], key: str, change: Callable[[R], R]) -> R:
        """Change a row atomically; `NotFound` if this node does not see it."""
        place = self.place(kind, key)
        return self._runtime.writes.change_row(
            place, kind, key, lambda row: change(_authored(row, place)), by=self._viewpoint
        )

    def remove(self, kind: type[Row], keys: Sequence[str]) -> int:
        """Remove rows, and the rows that depend on them. Returns how many there were."""
        return sum(self._runtime.writes.remove_rows(place, kind, keys, by=self._viewpoint) for place in self.places)

    def _held(self, kind: type[R], keys: Sequence[str]) -> dict[str, tuple[Viewpoint, R]]:
        held: dict[str, tuple[Viewpoint, R]] = {}
        for place in self.places:
            for row in self._runtime.store.ledger.get_rows(place, kind, keys):
                held.setdefault(getattr(row, kind.key), (place, _authored(row, place)))
        return held


def _authored(row: R, place: Viewpoint) -> R:
    """The row with its author, which rows of earlier releases do not name."""
    if getattr(row, "node", place.node):
        return row
    return msgspec.structs.replace(row, node=place.node)


def _name(kind: type[Row]) -> str:
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in kind.__name__).strip()
