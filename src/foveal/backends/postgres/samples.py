"""How near the vectors of an organism lie to a question, all in all, by some of them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import NamedTuple

import numpy as np

from foveal.backends.postgres.dialect import Numbers, PostgresTransaction
from foveal.backends.sql.session import Organism
from foveal.model.search import Floats, Rows

# So many tell how far cosines lie from their mean to about two hundredths. Of a smaller organism it is all.
_SOME = 2048
_ROOM = 8


class _Sample(NamedTuple):
    mark: tuple[int, ...]
    records: int
    rows: Floats
    starts: Rows


class Samples:
    """Vectors of the organisms that were searched lately. One that has grown by a tenth is looked at again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[str, int], _Sample] = OrderedDict()

    def spread(
        self, db: PostgresTransaction, organism: Organism, used: tuple[int, int], records: int, vector: Floats
    ) -> tuple[float, float]:
        """The mean of the cosines of all vectors with one, and how far they lie from it."""
        name = (organism["world"], organism["organism"])
        mark = (*used, records if records <= _SOME else int(np.log(records) / np.log(1.1)) - _SOME)
        with self._lock:
            known = self._known.get(name)
        if known is None or known.mark != mark:
            known = _sample(db, organism, used[0], mark, records, len(vector))
        with self._lock:
            self._known[name] = known
            self._known.move_to_end(name)
            while len(self._known) > _ROOM:
                self._known.popitem(last=False)
        found = np.maximum.reduceat(known.rows @ vector, known.starts) if len(known.starts) else np.zeros(0)
        # A version without a vector counts as one that has nothing to do with the question.
        mean, square = float(found.sum()) / max(1, known.records), float(found @ found) / max(1, known.records)
        return mean, max(0.0, square - mean * mean) ** 0.5

    def drop(self, organism: Organism) -> None:
        """Let the vectors of an organism go."""
        with self._lock:
            self._known.pop((organism["world"], organism["organism"]), None)


def _sample(
    db: PostgresTransaction, organism: Organism, encoder: int, mark: tuple[int, ...], records: int, dimension: int
) -> _Sample:
    """Vectors from all over an organism."""
    if records <= _SOME:
        found = db.run("first_keys", {**organism, "limit": _SOME})
    else:
        [(first, last)] = db.run("first_and_last", organism)
        points = Numbers(np.linspace(first, last, _SOME, dtype=np.int64))
        found = db.run("keys_at", {**organism, "points": points})
    keys = np.array([key for (key,) in found], np.int64)
    stored: list[tuple[int, bytes]] = db.run("vectors_of", {**organism, "encoder": encoder, "keys": Numbers(keys)})
    rows = np.frombuffer(b"".join(data for _, data in stored), ">f2").reshape(-1, dimension).astype(np.float32)
    ends = np.cumsum([len(data) // (2 * dimension) for _, data in stored], dtype=np.int64)
    return _Sample(mark, len(keys), rows, np.append(0, ends[:-1]) if len(ends) else ends)
