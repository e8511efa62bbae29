"""Sentence vectors from a table of word pieces, with no model to run."""

import threading
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import chain

import numpy as np
import simsimd
from numpy.typing import NDArray

from foveal.backends.embedders.wordpiece import WordPiece
from foveal.rules.addresses import Plane

PACKAGE = "foveal.backends.embedders"
DATA = "static.npz"
# Rows that stay in the processor's cache until they are summed: larger gathers are several times slower.
PIECES_AT_ONCE = 512
# A piece may become familiar when it was asked for this often; so many are (8 MB), of so many that are counted.
FAMILIAR_AFTER, FAMILIAR_ROOM, FAMILIAR_COUNTED = 8, 64, 4096


@dataclass(frozen=True)
class _Table:
    """What the data file holds, ready to be looked up."""

    rows: NDArray[np.int8]
    lengths: NDArray[np.float32]
    scale: NDArray[np.float32]
    wordpiece: WordPiece
    plane: Plane
    fallback: int

    def vectors(self, ids: NDArray[np.int32]) -> NDArray[np.float32]:
        return self.rows[ids] * self.scale[ids, None]

    def cosines(
        self, ids: NDArray[np.int64], rows: NDArray[np.int8], lengths: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        dots = simsimd.cdist(self.rows[ids], rows, "dot", threads=1)
        return (np.asarray(dots) / (self.lengths[ids, None] * lengths)).astype(np.float32)


class _Familiar:
    """The pieces asked for most, "what" and "did" and "the", compared with the whole table once and for all."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked: Counter[int] = Counter()
        self._rows: dict[int, NDArray[np.float32]] = {}

    def row(self, table: _Table, piece: int) -> NDArray[np.float32] | None:
        """The cosine of a familiar piece with every other; None for one that is not familiar."""
        with self._lock:
            self._asked[piece] += 1
            if piece not in self._rows and self._admitted(piece):
                self._rows[piece] = table.cosines(np.array([piece]), table.rows, table.lengths)[0]
            if len(self._asked) > FAMILIAR_COUNTED:
                self._asked = Counter({one: times // 2 for one, times in self._asked.items() if times > 1})
            return self._rows.get(piece)

    def _admitted(self, piece: int) -> bool:
        """Whether to make a piece familiar. A row costs as much as several questions: when all places are taken,
        a newcomer must be asked for twice as often as the one that leaves."""
        times = self._asked[piece]
        if times < FAMILIAR_AFTER:
            return False
        if len(self._rows) == FAMILIAR_ROOM:
            least = min(self._rows, key=self._asked.__getitem__)
            if times <= 2 * self._asked[least]:
                return False
            del self._rows[least]
        return True


def _load() -> _Table:
    with (
        resources.files(PACKAGE).joinpath(DATA).open("rb") as file,
        np.load(file, allow_pickle=False) as data,
    ):
        pieces: list[str] = data["vocabulary"].tobytes().decode().split("\n")
        rows: NDArray[np.int8] = data["rows"]
        # The rows after the vocabulary are random directions: a word no piece can make still equals itself.
        spare = len(rows) - len(pieces)
        return _Table(
            rows=rows,
            lengths=np.maximum(np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float32)), 1e-9),
            scale=data["scale"],
            wordpiece=WordPiece(pieces, unknown=lambda word: len(pieces) + zlib.crc32(word.encode()) % spare),
            plane=_plane(data["axes"], data["mean"], data["deviation"]),
            fallback=len(pieces),
        )


def _plane(axes: NDArray[np.float32], mean: NDArray[np.float32], deviation: NDArray[np.float32]) -> Plane:
    (x, y), (wide, high) = (mean @ axes).tolist(), deviation.tolist()
    return Plane(axes, (x, y), (wide, high))


class StaticEmbedder:
    """A vector for a text: the weighted sum of its word pieces' vectors, at unit length.

    The same text gives the same bytes alone, in any batch and in any process. The table is read on first
    use. Safe to share between threads.
    """

    id = "foveal-static-1"
    dimension = 256

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded: _Table | None = None
        self._familiar = _Familiar()

    @property
    def plane(self) -> Plane:
        """The map that places its vectors."""
        return self._table().plane

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> NDArray[np.float32]:
        """One unit vector a text, in order; a text without words gets a fixed one.

        Questions and statements share one space, so `asking` changes nothing.
        """
        table = self._table()
        out = np.empty((len(texts), self.dimension), np.float32)
        batch: list[list[int]] = []
        size = 0
        start = 0
        for n, text in enumerate(texts, 1):
            batch.append(table.wordpiece.ids(text) or [table.fallback])
            size += len(batch[-1])
            if size >= PIECES_AT_ONCE or n == len(texts):
                out[start:n] = _summed(table, batch)
                batch, size, start = [], 0, n
        return out

    def pieces(self, text: str) -> list[int]:
        """The numbers of the pieces a text is made of, in order."""
        return self._table().wordpiece.ids(text)

    def weights(self, numbers: NDArray[np.int64]) -> NDArray[np.float32]:
        """How much each piece counts in a sum."""
        table = self._table()
        return table.lengths.take(numbers) * table.scale.take(numbers)

    def likeness(self, ours: NDArray[np.int64], theirs: NDArray[np.int64]) -> NDArray[np.float32]:
        """The cosine of each of our pieces (a row) with each of theirs (a column): where they point counts,
        not their weight. Theirs may be asked for again and again."""
        table = self._table()
        found = np.empty((len(theirs), len(ours)), np.float32)
        known = [self._familiar.row(table, piece) for piece in theirs.tolist()]
        for place, row in enumerate(known):
            if row is not None:
                found[place] = row.take(ours)
        new = [place for place, row in enumerate(known) if row is None]
        if new and len(ours):
            found[new] = table.cosines(theirs[new], table.rows.take(ours, axis=0), table.lengths.take(ours))
        return np.ascontiguousarray(found.T)

    def _table(self) -> _Table:
        if self._loaded is None:
            with self._lock:
                if self._loaded is None:
                    self._loaded = _load()
        return self._loaded


def _summed(table: _Table, batch: list[list[int]]) -> NDArray[np.float32]:
    ids = np.array(list(chain.from_iterable(batch)), np.int32)
    ends = np.cumsum([len(pieces) for pieces in batch])
    starts = np.concatenate(([0], ends[:-1]))
    sums = np.add.reduceat(table.vectors(ids), starts, axis=0)
    lengths = np.sqrt(np.square(sums).sum(axis=1, keepdims=True))
    # Opposite pieces could cancel out in theory; the fixed row is never zero.
    void = lengths[:, 0] < 1e-6
    if void.any():
        sums[void] = table.vectors(np.array([table.fallback], np.int32))
        lengths = np.sqrt(np.square(sums).sum(axis=1, keepdims=True))
    return sums / lengths


@lru_cache(maxsize=1)
def shared_static() -> StaticEmbedder:
    """The one encoder of this process: its table is read once, however many memories there are."""
    return StaticEmbedder()
