"""The columns of an index: growing arrays, counts, and vectors as signed bytes."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Generic, TypeVar

import numpy as np
import simsimd
from numpy.typing import DTypeLike, NDArray

from foveal.model.search import Rows

T = TypeVar("T", bound=np.generic)


class Column(Generic[T]):
    """A growing array of numbers; an array returned by `all` never changes."""

    def __init__(self, dtype: DTypeLike) -> None:
        self._buffer: NDArray[T] = np.empty(0, dtype)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def all(self) -> NDArray[T]:
        """All numbers."""
        return self._buffer[: self._size]

    def add(self, numbers: NDArray[T]) -> None:
        """Append numbers."""
        end = self._size + len(numbers)
        if end > len(self._buffer):
            buffer = np.empty(max(end, len(self._buffer) * 3 // 2, 8), self._buffer.dtype)
            buffer[: self._size] = self.all
            self._buffer = buffer
        self._buffer[self._size : end] = numbers
        self._size = end

    def change(self, places: NDArray[np.int64], numbers: NDArray[T]) -> None:
        """Replace the numbers at these places, in a copy."""
        self._buffer = self._buffer.copy()
        self._buffer[places] = numbers


# With fewer rows for each thread, more threads cost more than they save.
_ROWS_A_THREAD = 65_536
_THREADS = min(4, os.cpu_count() or 1)
_GROUPS = 6
_AT_ONCE = 1024


class ByteMatrix:
    """Vectors as rows of signed bytes, which are added and never changed; a row of zeros is a missing vector."""

    def __init__(self, dimension: int) -> None:
        self._size = 0
        self._codes = np.empty((0, dimension), np.int8)
        self._scales = np.empty(0, np.float32)

    @property
    def bytes(self) -> int:
        """How much memory the rows take."""
        return self._codes.nbytes

    def add(self, vectors: NDArray[np.float32] | NDArray[np.float16]) -> None:
        """Append rows."""
        end = self._size + len(vectors)
        if end > len(self._scales):
            room = max(end, len(self._scales) * 3 // 2, 8)
            codes = np.zeros((room, self._codes.shape[1]), np.int8)
            codes[: self._size] = self._codes[: self._size]
            self._codes = codes
            self._scales = np.resize(self._scales, room)
        # Blocks that fit into the processor's cache are several times faster.
        for start in range(0, len(vectors), _AT_ONCE):
            block = vectors[start : start + _AT_ONCE].astype(np.float32)
            scales = np.maximum(np.maximum(block.max(axis=1), -block.min(axis=1)), 1e-12) / 127
            block /= scales[:, None]
            np.rint(block, out=block)
            place = slice(self._size + start, self._size + start + len(block))
            self._scales[place], self._codes[place] = scales, block
        self._size = end

    def cosines_of(self, vector: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """The cosine of a unit vector with these rows."""
        code, scale = _coded(vector)
        dots = _dots(code, self._codes[rows])
        dots *= self._scales[rows] * scale
        return dots

    def cosines(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """The cosine of a unit vector with every row, to about two digits."""
        code, scale = _coded(vector)
        parts = max(1, min(_THREADS, self._size // _ROWS_A_THREAD))
        rows = np.array_split(self._codes[: self._size], parts)
        others = [_pool(os.getpid()).submit(_dots, code, part) for part in rows[1:]]
        dots = _dots(code, rows[0])
        if others:
            dots = np.concatenate([dots, *(other.result() for other in others)])
        dots *= self._scales[: self._size] * scale
        return dots


def _coded(vector: NDArray[np.float32]) -> tuple[NDArray[np.int8], np.float32]:
    scale = max(float(np.abs(vector).max()), 1e-12) / 127
    return np.rint(vector / scale).astype(np.int8)[None], np.float32(scale)


def _dots(code: NDArray[np.int8], rows: NDArray[np.int8]) -> NDArray[np.float32]:
    return np.asarray(simsimd.cdist(code, rows, "dot", threads=1))[0].astype(np.float32)


@lru_cache(maxsize=1)
def _pool(process: int) -> ThreadPoolExecutor:
    """The threads that scan beside the caller's; a forked process must start its own."""
    return ThreadPoolExecutor(_THREADS, thread_name_prefix=f"foveal-scan-{process}")


def largest(scores: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    """The positions of the `k` largest scores, largest first.

    The scores are split into groups. The k-th largest of the groups' maxima is a lower bound for the k-th largest
    score, and few scores are above it, so only those are sorted. Groups are columns, which a processor compares
    many at once.
    """
    size, groups = len(scores), _GROUPS * k
    if size >= 4 * groups:
        whole = size // groups * groups
        peaks = scores[:whole].reshape(-1, groups).max(axis=0)
        candidates = np.flatnonzero(scores >= np.partition(peaks, groups - k)[groups - k])
    elif size > k:
        candidates = np.flatnonzero(scores >= np.partition(scores, size - k)[size - k])
    else:
        candidates = np.arange(size)
    return candidates[np.lexsort((candidates, -scores[candidates]))[:k]]


class LatestRows:
    """The last row of each id. It is built on first use, because only a vector index needs it."""

    def __init__(self, ids: Sequence[str]) -> None:
        self._ids = ids
        self._lock = threading.Lock()
        self._done = 0
        self._row: dict[str, int] = {}

    def rows(self, ids: Iterable[str], size: int) -> Rows:
        """The rows of these ids among the first `size` rows, in the order of `ids`; unknown ids are left out."""
        with self._lock:
            if self._done < size:
                self._row.update(zip(self._ids[self._done : size], range(self._done, size), strict=True))
                self._done = size
            rows = [self._row.get(record_id, size) for record_id in ids]
        return np.array([row for row in rows if row < size], np.int64)


class PieceCounts:
    """The pieces that occur, sorted, and how many records hold each; a few kilobytes for a small memory."""

    def __init__(self) -> None:
        self._pieces = np.empty(0, np.uint16)
        self._holders = np.empty(0, np.float32)

    @property
    def bytes(self) -> int:
        """How much memory it takes."""
        return self._pieces.nbytes + self._holders.nbytes

    def add(self, pieces: NDArray[np.uint16]) -> None:
        """Count pieces, each once for every record that holds it. Earlier copies of this object do not change."""
        new, times = np.unique(pieces, return_counts=True)
        missing = new[~np.isin(new, self._pieces, assume_unique=True)]
        places = self._pieces.searchsorted(missing)
        self._pieces = np.insert(self._pieces, places, missing)
        self._holders = np.insert(self._holders, places, 0)
        self._holders[self._pieces.searchsorted(new)] += times

    def of(self, pieces: NDArray[np.uint16]) -> NDArray[np.float32]:
        """How many records hold each of these pieces."""
        places = self._pieces.searchsorted(pieces)
        known = places < len(self._pieces)
        known[known] = self._pieces[places[known]] == pieces[known]
        holders = np.zeros(len(pieces), np.float32)
        holders[known] = self._holders[places[known]]
        return holders
