"""Growing columns, counts, and vectors as signed bytes scanned whole."""

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
    """Numbers of one type, appended in bulk; what was taken with `all` stays as it was."""

    def __init__(self, dtype: DTypeLike) -> None:
        self._room: NDArray[T] = np.empty(0, dtype)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def all(self) -> NDArray[T]:
        """Every number there is."""
        return self._room[: self._size]

    def add(self, numbers: NDArray[T]) -> None:
        """Append numbers."""
        end = self._size + len(numbers)
        if end > len(self._room):
            room = np.empty(max(end, len(self._room) * 3 // 2, 8), self._room.dtype)
            room[: self._size] = self.all
            self._room = room
        self._room[self._size : end] = numbers
        self._size = end

    def change(self, places: NDArray[np.int64], numbers: NDArray[T]) -> None:
        """Put other numbers in some places."""
        self._room = self._room.copy()
        self._room[places] = numbers


# With fewer rows for each, more threads cost more than they bring.
_ROWS_A_THREAD = 65_536
_THREADS = min(4, os.cpu_count() or 1)
_GROUPS = 6
_AT_ONCE = 1024


class ByteMatrix:
    """Rows that are added and never changed. A row of zeros stands for a vector that is still to come."""

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
        # In blocks that stay in the processor's cache: a file of vectors is read several times faster.
        for start in range(0, len(vectors), _AT_ONCE):
            block = vectors[start : start + _AT_ONCE].astype(np.float32)
            scales = np.maximum(np.maximum(block.max(axis=1), -block.min(axis=1)), 1e-12) / 127
            block /= scales[:, None]
            np.rint(block, out=block)
            place = slice(self._size + start, self._size + start + len(block))
            self._scales[place], self._codes[place] = scales, block
        self._size = end

    def cosines_of(self, vector: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """The cosine of a unit vector with some rows."""
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
    """The threads that scan beside the caller's; a forked process has to start its own."""
    return ThreadPoolExecutor(_THREADS, thread_name_prefix=f"foveal-scan-{process}")


def largest(scores: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    """The positions of the `k` largest scores, largest first.

    The scores are dealt into groups. The k-th largest of the groups' maxima is a floor for the k-th largest score,
    and far fewer numbers lie above it than there are to sort. Groups are columns, which a processor compares many
    at once.
    """
    size, groups = len(scores), _GROUPS * k
    if size >= 4 * groups:
        whole = size // groups * groups
        peaks = scores[:whole].reshape(-1, groups).max(axis=0)
        near = np.flatnonzero(scores >= np.partition(peaks, groups - k)[groups - k])
    elif size > k:
        near = np.flatnonzero(scores >= np.partition(scores, size - k)[size - k])
    else:
        near = np.arange(size)
    return near[np.lexsort((near, -scores[near]))[:k]]


class LatestRows:
    """The last row of each id, made when it is first asked for: without an index of vectors nobody does."""

    def __init__(self, ids: Sequence[str]) -> None:
        self._ids = ids
        self._lock = threading.Lock()
        self._done = 0
        self._row: dict[str, int] = {}

    def rows(self, ids: Iterable[str], size: int) -> Rows:
        """The rows of these ids among the first `size`, in the order asked, those that are there."""
        with self._lock:
            if self._done < size:
                self._row.update(zip(self._ids[self._done : size], range(self._done, size), strict=True))
                self._done = size
            found = [self._row.get(one, size) for one in ids]
        return np.array([row for row in found if row < size], np.int64)


class PieceCounts:
    """The pieces that occur, sorted, and how many records hold each: a few kilobytes for a small memory."""

    def __init__(self) -> None:
        self._pieces = np.empty(0, np.uint16)
        self._holders = np.empty(0, np.float32)

    @property
    def bytes(self) -> int:
        """How much memory it takes."""
        return self._pieces.nbytes + self._holders.nbytes

    def add(self, pieces: NDArray[np.uint16]) -> None:
        """Count pieces, once for each record that holds them. A copy that was made before stays as it was."""
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
        found = np.zeros(len(pieces), np.float32)
        found[known] = self._holders[places[known]]
        return found
