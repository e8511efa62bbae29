"""Vectors in this process, compared one by one."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np

from foveal.errors import Invalid
from foveal.model.trace import Floats
from foveal.ports.vectors import Organism
from foveal.rules.vectors import unit_rows


class InMemoryVectorStore:
    """The embedded index: exact, gone when the process ends."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rows: dict[Organism, dict[str, Floats]] = {}

    def upsert(self, organism: Organism, ids: Sequence[str], vectors: Floats) -> None:
        """Keep one vector under each id, in place of what was there."""
        rows = unit_rows(vectors, ids)
        with self._lock:
            known = self._rows.setdefault(organism, {})
            if len(rows) and known and len(next(iter(known.values()))) != rows.shape[1]:
                raise Invalid("these vectors have another length than those that are there")
            known.update(zip(ids, rows, strict=True))

    def delete(self, organism: Organism, ids: Sequence[str]) -> None:
        """Let go of these."""
        with self._lock:
            known = self._rows.get(organism, {})
            for one in ids:
                known.pop(one, None)

    def query(self, organism: Organism, vector: Floats, k: int) -> list[tuple[str, float]]:
        """The `k` nearest ids with their cosines, the nearest first."""
        with self._lock:
            known = dict(self._rows.get(organism, {}))
        if not known:
            return []
        ids, wanted = list(known), unit_rows(np.asarray(vector)[None], [""])[0]
        cosines = np.stack(list(known.values())) @ wanted
        best = np.argsort(-cosines, kind="stable")[:k].tolist()
        return [(ids[one], float(cosines[one])) for one in best]

    def close(self) -> None:
        """Let go of everything."""
        with self._lock:
            self._rows.clear()
