"""Records in a SQLite file, found by their words and by their vectors."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import apsw
import msgspec
import numpy as np
from numpy.typing import NDArray

from foveal.backends.matrix import Matrix
from foveal.backends.sqlite.part import Part
from foveal.backends.sqlite.queries import run
from foveal.model.sight import Sight
from foveal.ports.store import Encoder

# How many more candidates than asked the compact vectors bring, before the true ones decide.
_MORE = 32


class Recall(Part):
    """The two ways to find a record without knowing its id."""

    _matrix: Matrix | None
    _followed: dict[int, int]
    _following: threading.Lock
    _encoder_followed: int | None

    def matching(self, sight: Sight, terms: Sequence[str], limit: int) -> dict[str, float]:
        """The visible records that share most with these terms: id and score, best first."""
        with self._db.reading() as db:
            seen = self._sight(db, sight)
            if seen is None or not terms:
                return {}
            condition, values = seen
            wanted = " OR ".join(f'"{term}"' for term in terms)
            values |= {
                "terms": f"organism : o{values['organism']} AND body : ({wanted})",
                "limit": limit,
            }
            return {row[0]: row[1] for row in run(db, "records_matching", values, sight=condition)}

    def nearest(
        self, sight: Sight, vector: NDArray[np.float32], limit: int, encoder: Encoder
    ) -> dict[str, float]:
        """The visible records nearest in meaning: id and cosine of their best piece, best first."""
        with self._db.reading() as db:
            seen = self._sight(db, sight)
            number = self._in_use(db, encoder)
            if seen is None or number is None:
                return {}
            condition, values = seen
            matrix = self._follow(db, number, encoder.dimension, values["organism"])
            size = matrix.size(values["organism"])
            asked = min(size, limit + _MORE)
            while True:
                keys = matrix.nearest(values["organism"], vector, asked)
                found = self._scored(db, condition, values, number, keys, vector)
                # What the sight may not see makes room for what lies further away.
                if len(found) >= limit or asked >= size:
                    return dict(sorted(found.items(), key=lambda item: -item[1])[:limit])
                asked = min(size, asked * 8)

    def _scored(
        self,
        db: apsw.Connection,
        condition: str,
        values: dict[str, Any],
        encoder: int,
        keys: NDArray[np.int64],
        vector: NDArray[np.float32],
    ) -> dict[str, float]:
        given = values | {"keys": msgspec.json.encode(keys.tolist()).decode(), "encoder": encoder}
        seen = run(db, "vectors_seen", given, sight=condition)
        if not seen:
            return {}
        pieces = [len(data) // (2 * len(vector)) for _, data in seen]
        rows = np.frombuffer(b"".join(data for _, data in seen), np.float16).reshape(-1, len(vector))
        starts = np.cumsum([0, *pieces[:-1]])
        best = np.maximum.reduceat(rows.astype(np.float32) @ vector, starts)
        return {record_id: float(score) for (record_id, _), score in zip(seen, best, strict=True)}

    def _follow(self, db: apsw.Connection, encoder: int, dimension: int, organism: int) -> Matrix:
        """The matrix, with everything that was committed before this reading began."""
        with self._following:
            if self._matrix is None or self._encoder_followed != encoder:
                self._matrix, self._encoder_followed = Matrix(dimension), encoder
                self._followed.clear()
            known = self._followed.get(organism, 0) if self._matrix.size(organism) else 0
            values = {"encoder": encoder, "organism": organism, "seq": known}
            rows = run(db, "vectors_after", values)
            if rows:
                pieces = [len(data) // (2 * dimension) for _, data in rows]
                vectors = np.frombuffer(b"".join(data for _, data in rows), np.float16)
                keys = np.repeat(np.array([seq for seq, _ in rows], np.int64), pieces)
                self._matrix.add(organism, keys, vectors.reshape(-1, dimension).astype(np.float32))
                self._followed[organism] = rows[-1][0]
            return self._matrix
