"""Vectors in this process, compared one by one."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np

from foveal.errors import Invalid
from foveal.model.search import Floats, Rows
from foveal.ports.system import Organism
from foveal.rules.recall.index import nearest, unit_rows

Kept = dict[str, Floats]
Stacked = tuple[list[str], Rows, Floats]


class InMemoryVectorStore:
    """The embedded index: exact, gone when the process ends."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kinds: dict[Organism, dict[str, Kept]] = {}
        self._stacked: dict[tuple[Organism, str], Stacked] = {}
        self._marks: dict[Organism, str] = {}

    def upsert(self, organism: Organism, kind: str, ids: Sequence[str], vectors: Floats) -> None:
        """Keep one vector under each id, in place of all that was under it."""
        rows = unit_rows(vectors, ids)
        with self._lock:
            known = self._kinds.setdefault(organism, {}).setdefault(kind, {})
            if len(rows) and known and next(iter(known.values())).shape[1] != rows.shape[1]:
                raise Invalid("these vectors have another length than those that are there")
            places: dict[str, list[int]] = {}
            for place, one in enumerate(ids):
                places.setdefault(one, []).append(place)
            known.update({one: rows[some] for one, some in places.items()})
            self._stacked.pop((organism, kind), None)

    def delete(self, organism: Organism, ids: Sequence[str]) -> None:
        """Let go of these."""
        with self._lock:
            for kind, known in self._kinds.get(organism, {}).items():
                for one in ids:
                    if known.pop(one, None) is not None:
                        self._stacked.pop((organism, kind), None)

    def query(
        self, organism: Organism, kinds: Sequence[str] | None, vector: Floats, k: int
    ) -> list[tuple[str, float]]:
        """The `k` nearest ids of these kinds with their cosines, the nearest first."""
        with self._lock:
            there = list(self._kinds.get(organism, {}))
            shelves = [self._rows(organism, kind) for kind in there if kinds is None or kind in kinds]
        wanted = unit_rows(np.asarray(vector)[None], [""])[0]
        found: list[tuple[str, float]] = []
        for ids, starts, rows in shelves:
            if ids:
                cosines = np.maximum.reduceat(rows @ wanted, starts)
                best = np.argsort(-cosines, kind="stable")[:k].tolist()
                found += [(ids[one], float(cosines[one])) for one in best]
        return nearest(found, k)

    def _rows(self, organism: Organism, kind: str) -> Stacked:
        """The ids of a kind, where the rows of each begin, and all rows."""
        known = self._stacked.get((organism, kind))
        if known is None:
            kept = self._kinds[organism][kind]
            ends = np.cumsum([0, *(len(rows) for rows in kept.values())])
            rows = np.concatenate([*kept.values()]) if kept else np.empty((0, 0), np.float32)
            known = self._stacked[organism, kind] = list(kept), ends[:-1], rows
        return known

    def mark(self, organism: Organism) -> str | None:
        """What `set_mark` was told last."""
        return self._marks.get(organism)

    def set_mark(self, organism: Organism, mark: str) -> None:
        """Note how far the organism has been followed."""
        self._marks[organism] = mark

    def clear(self, organism: Organism) -> None:
        """Let go of all vectors of an organism, and of its mark."""
        with self._lock:
            self._marks.pop(organism, None)
            for kind in self._kinds.pop(organism, {}):
                self._stacked.pop((organism, kind), None)

    def close(self) -> None:
        """Nothing is open; what is kept goes with the process."""
