"""What a process keeps in memory of organisms, so that a search reads little from the database."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from foveal.backends.index import IndexCache
from foveal.backends.sql.session import Organism

# How many bytes the fine vectors in memory take at most, and what each takes beside its own bytes.
_ROOM, _BESIDE = 32 << 20, 150

OrganismKey = tuple[str | None, int]


def key_of(organism: Organism) -> OrganismKey:
    """The key of an organism in the caches of this process."""
    return organism.get("world"), organism["organism"]


class FineCache:
    """The packed fine vectors that were read last, in about `room` bytes at most.

    The number of a version never becomes that of another, so what is here is never outdated. What was erased is
    dropped with everything else of its organism.
    """

    def __init__(self, room: int = _ROOM) -> None:
        self._room, self._used = room, 0
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[OrganismKey, str], dict[int, bytes]] = OrderedDict()

    def get(self, organism: OrganismKey, encoder: str, keys: Sequence[int]) -> list[bytes | None]:
        """The vectors of versions by their numbers; None for each that is not here."""
        held = self._known.get((organism, encoder), {})
        return [held.get(key) for key in keys]

    def add(self, organism: OrganismKey, encoder: str, found: Mapping[int, bytes]) -> None:
        """Keep vectors; if there is no room, those of the organism that was added to longest ago go first."""
        with self._lock:
            held = self._known.setdefault((organism, encoder), {})
            self._known.move_to_end((organism, encoder))
            self._used += sum(len(data) + _BESIDE for key, data in found.items() if key not in held)
            held |= found
            while self._used > self._room:
                name, oldest = next(iter(self._known.items()))
                for key in list(oldest)[: len(oldest) // 2 + 1]:
                    self._used -= len(oldest.pop(key)) + _BESIDE
                if not oldest:
                    del self._known[name]

    def drop(self, organism: OrganismKey) -> None:
        """Remove the vectors of an organism."""
        with self._lock:
            for name in [name for name in self._known if name[0] == organism]:
                self._used -= sum(len(data) + _BESIDE for data in self._known.pop(name).values())


class Caches:
    """What this process keeps in memory of organisms, by the key of the organism."""

    def __init__(self) -> None:
        self.indexes = IndexCache()
        self.fine = FineCache()
        # The last lookup of each connection, for `Search`.
        self.looked_up: dict[Hashable, Any] = {}

    def drop(self, organism: Organism) -> None:
        """Forget an organism of which something was erased."""
        self.indexes.drop(key_of(organism))
        self.fine.drop(key_of(organism))
        self.looked_up.clear()
