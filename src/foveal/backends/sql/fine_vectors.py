"""The vectors for the second look: made after records are written, and read for the best candidates only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foveal.backends.sql.rows import record_of
from foveal.backends.sql.session import Dialect, Organism, Transaction
from foveal.backends.sql.visibility import Part
from foveal.model.query import Access, Viewpoint
from foveal.model.record import Record
from foveal.model.search import CandidateTable, FineRows, IndexQuery, Rows

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
    db: Transaction, dialect: Dialect, organism: Organism | None, probe: IndexQuery, table: CandidateTable
) -> Callable[[Rows], FineRows]:
    """A function that reads the fine vectors of some rows of a table, in the transaction that made the table."""

    def look(rows: Rows) -> FineRows:
        if probe.fine is None or organism is None or not len(rows):
            return FineRows.none()
        keys = table.keys[rows]
        asked = {**organism, "fine": probe.fine, "keys": dialect.numbers(keys)}
        return _unpacked(db.run("fine_of", asked), keys, rows)

    return look


# In front of the rows: how many numbers a vector has.
_HEAD = np.dtype("<u2")


def packed(vectors: NDArray[np.float32]) -> bytes:
    """Unit vectors as signed bytes, each with its scale in front."""
    rows = np.empty(len(vectors), _row(vectors.shape[1]))
    rows["scale"] = np.maximum(np.abs(vectors).max(axis=1), 1e-12) / 127
    rows["code"] = np.rint(vectors / rows["scale"][:, None])
    return np.array(vectors.shape[1], _HEAD).tobytes() + rows.tobytes()


def _unpacked(stored: Sequence[tuple[int, bytes]], keys: Rows, rows: Rows) -> FineRows:
    if not stored:
        return FineRows.none()
    head = _HEAD.itemsize
    kind = _row(int(np.frombuffer(stored[0][1], _HEAD, 1)[0]))
    parts = np.frombuffer(b"".join(data[head:] for _, data in stored), kind)
    counts = [(len(data) - head) // kind.itemsize for _, data in stored]
    order = np.argsort(keys, kind="stable")
    places = order[np.searchsorted(keys, np.array([key for key, _ in stored], np.int64), sorter=order)]
    vectors = parts["code"].astype(np.float32)
    vectors *= parts["scale"][:, None]
    return FineRows(rows=np.repeat(rows[places], counts), vectors=vectors)


def _row(dimension: int) -> np.dtype[Any]:
    return np.dtype([("scale", "<f4"), ("code", "i1", (dimension,))])
