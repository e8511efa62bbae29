"""What an index of vectors follows a store by."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from foveal.model.query import Viewpoint
from foveal.model.search import Mark, Shelf
from foveal.ports.entry import Encoder


class Shelving(Protocol):
    """The vectors of an organism in the order they came, and the ids that were erased."""

    def shelved_after(self, viewpoint: Viewpoint, encoder: Encoder, mark: Mark | None, limit: int) -> Shelf:
        """The records whose newest version came after the mark, oldest first, with the mark behind them.

        From the beginning if there is no mark, or one of another encoder, another store, or from before vectors
        came late.
        """
        ...

    def count_shelved(self, viewpoint: Viewpoint, encoder: Encoder, mark: Mark | None) -> int:
        """How many records are yet to come."""
        ...

    def erased_since(self, viewpoint: Viewpoint, since: datetime | None) -> list[tuple[str, datetime]]:
        """The ids that were erased at or after a moment, or ever, and when."""
        ...
