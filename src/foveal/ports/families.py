"""What the families of records need of a store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from foveal.model.query import Sight
from foveal.model.record import Link, Record
from foveal.model.results import Forgotten
from foveal.rules.branching import Sort


class Families(Protocol):
    """Parents, children and what lies below them.

    A child is a record whose newest version names the parent. A way down that leads through a record outside
    the sight is not taken.
    """

    def children(
        self, sight: Sight, record_id: str, *, sort: Sort, descending: bool = False, limit: int | None = None
    ) -> list[Record]:
        """The visible records right below one, sorted; what is equal by that, by time and id."""
        ...

    def descendants(self, sight: Sight, record_id: str, depth: int) -> list[Record]:
        """The visible records at most `depth` steps below one, each once, oldest first."""
        ...

    def ancestors(self, sight: Sight, record_id: str) -> list[str]:
        """The ids above a record, nearest first. It ends where a record names no parent, or one seen before."""
        ...

    def fell(self, sight: Sight, ids: Sequence[str], *, hard: bool, move_id: str | None = None) -> Forgotten:
        """Forget records and all that lies below them, or erase them: all that may go, or none.

        Pinned ones stay and are reported, and what lies below them goes. `NotFound` for an id that is not
        visible, `Forbidden` when one of the family may not be changed.
        """
        ...

    def edges(self, sight: Sight, ids: Sequence[str]) -> list[Link]:
        """The edges between visible records that begin or end at one of these."""
        ...
