"""Where vectors can be kept beside a store, and the nearest be asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from foveal.model.search import Floats

Organism = tuple[str, str]
"""The world and the actor whose vectors they are."""


class VectorIndex(Protocol):
    """Vectors under ids, apart for every organism and kind. It finds candidates; the store says who may see them.

    `Unavailable` when it is away.
    """

    def upsert(self, organism: Organism, kind: str, ids: Sequence[str], vectors: Floats) -> None:
        """Keep one row under each id, in place of all that was under it; an id that comes twice keeps both rows.

        `Invalid` if they do not fit together.
        """
        ...

    def delete(self, organism: Organism, ids: Sequence[str]) -> None:
        """Let go of these, of whatever kind; an id that is not there is passed over."""
        ...

    def query(
        self, organism: Organism, kinds: Sequence[str] | None, vector: Floats, k: int
    ) -> list[tuple[str, float]]:
        """The `k` nearest ids of these kinds, or of all, each once with its best cosine, the nearest first.

        Fewer than `k` only if there are no more.
        """
        ...

    def mark(self, organism: Organism) -> str | None:
        """What `set_mark` was told last, if anything."""
        ...

    def set_mark(self, organism: Organism, mark: str) -> None:
        """Note how far the organism has been followed. It lasts as long as the vectors do."""
        ...

    def clear(self, organism: Organism) -> None:
        """Let go of all vectors of an organism, and of its mark."""
        ...

    def close(self) -> None:
        """Let go of everything that is open."""
        ...
