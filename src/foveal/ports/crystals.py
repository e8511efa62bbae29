"""Where crystals are kept."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from foveal.model.crystal import Lineage, Reaped, StateCrystal
from foveal.model.query import Viewpoint


class Crystals(Protocol):
    """The part of a store that keeps crystals.

    A node sees the crystals of its own and of the nodes below it; any other id is `NotFound`. Texts are kept once
    in an organism, however many crystals hold them.
    """

    def put_crystal(self, viewpoint: Viewpoint, crystal: StateCrystal, *, instead: bool = False) -> None:
        """Store a crystal, all of it or nothing; `Conflict` if its id is taken.

        With `instead`, it takes the place of the one with its id, and nothing is left of that one.
        """
        ...

    def crystal(self, viewpoint: Viewpoint, crystal_id: str) -> StateCrystal:
        """A whole crystal; of one that was reaped there is only the summary."""
        ...

    def lineages(self, viewpoint: Viewpoint) -> list[Lineage]:
        """Every crystal without its content, oldest first, tombstones included."""
        ...

    def ancestry(self, viewpoint: Viewpoint, crystal_id: str) -> list[Lineage]:
        """A crystal and those it comes from, nearest first, tombstones included."""
        ...

    def mark_crystal(
        self,
        viewpoint: Viewpoint,
        crystal_id: str,
        *,
        pinned: bool | None = None,
        touched_at: datetime | None = None,
    ) -> Lineage:
        """Pin a crystal or unpin it, or count a use of it; one that was reaped is `NotFound`."""
        ...

    def compost_crystal(self, viewpoint: Viewpoint, crystal_id: str, now: datetime, *, hard: bool) -> Reaped:
        """Leave of a crystal its tombstone and summary, or with `hard` the tombstone; `Pinned` if it is pinned."""
        ...

    def reap_crystals(self, viewpoint: Viewpoint, now: datetime) -> Reaped:
        """Compost every crystal whose time is over and that is not pinned."""
        ...
