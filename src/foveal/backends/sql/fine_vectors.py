"""The vectors for the second look: made after records are written, and read for the best candidates only."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from foveal.backends.sql.caches import FineCache, key_of
from foveal.backends.sql.rows import record_of
from foveal.backends.sql.session import Dialect, Organism, Transaction
from foveal.backends.sql.visibility import Part
from foveal.model.query import Access, Viewpoint
from foveal.model.record import Record
from foveal.model.search import CandidateTable, FineRows, Rows

_NEWEST = 2**63 - 1


class FineVectors(Part):
    """The vectors for the second look. A version has at most one set, of the encoder that was used last."""

    def missing(
        self, viewpoint: Viewpoint, encoder: str, limit: int, *, above: int = 0, below: int | None = None
    ) -> list[tuple[int, Record]]:
        """Versions without a vector of this encoder, newest first, each with its number."""
        with self._session.reading(viewpoint, newest=True) as db:
            organism = db.organism(viewpoint)
            if organism is None:
                return []
            span = {"above": above, "below": _NEWEST if below is None else below}
            asked = {**organism, **span, "fine": encoder, "limit": limit}
            rows = db.run("fine_missing", asked, columns=self._dialect.columns)
            return [(seq, record_of(row)) for seq, *row in rows]

    def put(self, viewpoint: Viewpoint, encoder: str, vectors: Sequence[tuple[int, NDArray[np.float32]]]) -> None:
        """Store the vectors of versions by their numbers; a version that was erased meanwhile is left out."""
        with self._session.writing() as db:
            organism = db.organism(viewpoint)
            if organism is not None:
                own = {**organism, "fine": encoder}
                db.batch(("add_fine", [{**own, "seq": seq, "data": packed(rows)} for seq, rows in vectors]))

    def waiting(self, access: Access, encoder: str) -> int:
        """How many visible records have no vector of this encoder yet."""
        with self._session.reading(access.viewpoint) as db:
            if db.organism(access.viewpoint) is None:
                return 0
            return self._counted(db, access, "fine_waiting", {"fine": encoder})[0][0]


def looking(
    db: Transaction,
    table: CandidateTable,
    *,
    dialect: Dialect,
    organism: Organism,
    encoder: str,
    cache: FineCache,
) -> Callable[[Rows], FineRows]:
    """A function that reads the fine vectors of some rows of a table, in the transaction that made the table."""

    def look(rows: Rows) -> FineRows:
        keys: list[int] = table.keys[rows].tolist()
        found = cache.get(key_of(organism), encoder, keys)
        absent = [key for key, data in zip(keys, found, strict=True) if data is None]
        if absent:
            asked = {**organism, "fine": encoder, "keys": dialect.numbers(np.array(absent, np.int64))}
            read = {key: bytes(data) for key, data in db.run("fine_of", asked)}
            cache.add(key_of(organism), encoder, read)
            found = [read.get(key) if data is None else data for key, data in zip(keys, found, strict=True)]
        return _unpacked(rows, found)

    return look


# In front of the rows: how many numbers a vector has.
_HEAD = np.dtype("<u2")
_SCALE = np.dtype("<f4")


def packed(vectors: NDArray[np.float32]) -> bytes:
    """Unit vectors as signed bytes, each with its scale in front."""
    scales = (np.maximum(np.abs(vectors).max(axis=1, keepdims=True), 1e-12) / 127).astype(_SCALE)
    codes = np.rint(vectors / scales).astype(np.int8)
    rows = np.concatenate([scales.view(np.int8), codes], axis=1)
    return np.array(vectors.shape[1], _HEAD).tobytes() + rows.tobytes()


def _unpacked(rows: Rows, found: Sequence[bytes | None]) -> FineRows:
    """The vectors of rows of a table, without the rows that have none."""
    here = [place for place, data in enumerate(found) if data is not None]
    if not here:
        return FineRows.none()
    head, scale = _HEAD.itemsize, _SCALE.itemsize
    stored = [data[head:] for data in found if data is not None]
    size = int(np.frombuffer(next(data for data in found if data is not None), _HEAD, 1)[0]) + scale
    parts = np.frombuffer(b"".join(stored), np.int8).reshape(-1, size)
    return FineRows(
        rows=np.repeat(rows[here], [len(data) // size for data in stored]),
        codes=parts[:, scale:],
        scales=np.ascontiguousarray(parts[:, :scale]).view(_SCALE)[:, 0],
    )
