"""Where vectors can be kept beside a store, and the nearest be asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from foveal.model.trace import Floats

Organism = tuple[str, str]
"""The world and the actor whose vectors they are."""


class VectorIndex(Protocol):
    """Vectors under ids, apart for every organism. It finds candidates; the store says who may see them."""

    def upsert(self, organism: Organism, ids: Sequence[str], vectors: Floats) -> None:
        """Keep one row under each id, in place of what was there. `Invalid` if they do not fit together."""
        ...

    def delete(self, organism: Organism, ids: Sequence[str]) -> None:
        """Let go of these; an id that is not there is passed over."""
        ...

    def query(self, organism: Organism, vector: Floats, k: int) -> list[tuple[str, float]]:
        """The `k` nearest ids with their cosines, the nearest first."""
        ...

    def close(self) -> None:
        """Let go of everything that is open."""
        ...
