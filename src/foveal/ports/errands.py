"""Where what is to be done once is kept."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from foveal.model.server import Errand


class Errands(Protocol):
    """What a store keeps of requests that came under a key: which are under way, and what those that are done gave.

    Errands belong to the whole store. What a call has acknowledged, every process that opens the store sees at its
    next call. Whenever something of an organism is erased, the answers about that organism become empty.
    """

    def begin_errand(self, errand: Errand, since: datetime) -> Errand:
        """Keep an errand, unless there is one of this place. Gives the one that is kept.

        Those that were begun before `since` are removed, and count as not there.
        """
        ...

    def prolong_errands(self, held: Mapping[bytes, str], until: datetime) -> None:
        """Say that holders are still at their errands, by place; what is not theirs any more is passed over."""
        ...

    def end_errand(self, place: bytes, holder: str, answer: bytes) -> None:
        """Keep the answer of an errand. One of another holder, or that is gone, stays as it is."""
        ...

    def drop_errand(self, place: bytes, holder: str) -> None:
        """Remove an errand that came to nothing. One of another holder, or that is done, stays as it is."""
        ...
