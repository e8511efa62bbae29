"""What entries, which are records under a name, need of a store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from foveal.model.query import Sight
from foveal.model.record import Record

if TYPE_CHECKING:
    from foveal.ports.entry import Encoder, Entry


class Naming(Protocol):
    """Records by the keys they were written under, and several changed at once."""

    def keyed(self, sight: Sight, node: str, keys: Sequence[str]) -> Mapping[str, Record]:
        """The visible records that a node stored under these idempotency keys, by key."""
        ...

    def file(self, sight: Sight, fresh: Sequence[Entry], later: Sequence[Entry], encoder: Encoder) -> list[Record]:
        """Store new records and next versions of others together, all or none.

        The errors are those of `append` and `supersede`; a key that was used before is `Conflict`.
        """
        ...
