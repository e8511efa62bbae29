"""Where it is kept what reads leave behind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from foveal.model.query import Sight, Viewpoint
from foveal.model.results import Recollection, Use

# How many reads of an organism the log keeps.
MOST_READS = 1000


class Recollections(Protocol):
    """The recall log of each organism, and the uses of its records."""

    def remember(
        self, sight: Sight, reads: Sequence[Recollection], uses: Sequence[Use], *, wait: bool = True
    ) -> None:
        """Log reads and count uses, all or none. What the sight no longer sees is passed over.

        The log keeps the newest `MOST_READS` of an organism. Without `wait` it is `StoreUnavailable` when another
        writer is at work.
        """
        ...

    def recollections(self, sight: Sight, record_id: str | None, limit: int) -> list[Recollection]:
        """The reads of this node and those below it, newest first, with the items that the sight sees.

        With a `record_id`, only those that showed that record: `NotFound` if it is not visible.
        """
        ...

    def heard(self, viewpoint: Viewpoint, after: int, limit: int) -> tuple[int, list[str]]:
        """The ids that reads of this very conversation showed since the read of the number `after`, the newest
        reads first, and the number of the last of them."""
        ...
