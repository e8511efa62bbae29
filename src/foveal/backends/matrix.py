"""A compact vector index: one signed byte a number, grouped, scanned whole."""

from __future__ import annotations

import threading
from collections import OrderedDict

import numpy as np
import simsimd
from numpy.typing import NDArray

# Below this many rows a second thread costs more than it brings.
_ROWS_A_THREAD = 16_384
_BLOCK = 256


class _Rows:
    """The vectors of one group, in arrays that grow by half."""

    def __init__(self, dimension: int) -> None:
        self.size = 0
        self.keys = np.empty(0, np.int64)
        self.codes = np.empty((0, dimension), np.int8)
        self.scales = np.empty(0, np.float32)

    def add(self, keys: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
        end = self.size + len(keys)
        if end > len(self.keys):
            room = max(end, len(self.keys) * 3 // 2, 64)
            self.keys = np.resize(self.keys, room)
            self.scales = np.resize(self.scales, room)
            codes = np.zeros((room, self.codes.shape[1]), np.int8)
            codes[: self.size] = self.codes[: self.size]
            self.codes = codes
        scales = np.maximum(np.abs(vectors).max(axis=1), 1e-12) / 127
        self.keys[self.size : end] = keys
        self.scales[self.size : end] = scales
        self.codes[self.size : end] = np.rint(vectors / scales[:, None])
        self.size = end

    def remove(self, keys: NDArray[np.int64]) -> None:
        kept = np.flatnonzero(~np.isin(self.keys[: self.size], keys))
        self.keys, self.scales, self.codes = self.keys[kept], self.scales[kept], self.codes[kept]
        self.size = len(kept)

    def filled(self) -> tuple[NDArray[np.int64], NDArray[np.int8], NDArray[np.float32]]:
        return self.keys[: self.size], self.codes[: self.size], self.scales[: self.size]


class Matrix:
    """Every vector of a group in RAM, a quarter of its size, found by one pass over them.

    It keeps at most `room` bytes: the groups that were not asked for longest are let go, and `size` says 0
    for them, so that the store files them again. Safe to share between threads.
    """

    def __init__(self, dimension: int, room: int = 1 << 30) -> None:
        self._dimension = dimension
        self._room = room
        self._lock = threading.Lock()
        self._groups: OrderedDict[int, _Rows] = OrderedDict()

    def add(self, group: int, keys: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
        """File vectors, one a row, under their keys."""
        with self._lock:
            self._groups.setdefault(group, _Rows(self._dimension)).add(keys, vectors)
            self._groups.move_to_end(group)
            used = sum(rows.codes.nbytes for rows in self._groups.values())
            while used > self._room and len(self._groups) > 1:
                used -= self._groups.popitem(last=False)[1].codes.nbytes

    def remove(self, group: int, keys: NDArray[np.int64]) -> None:
        """Take out all vectors of these keys."""
        with self._lock:
            if group in self._groups:
                self._groups[group].remove(keys)

    def drop(self, group: int) -> None:
        """Take out the whole group."""
        with self._lock:
            self._groups.pop(group, None)

    def size(self, group: int) -> int:
        """How many vectors a group has."""
        with self._lock:
            return self._groups[group].size if group in self._groups else 0

    def nearest(self, group: int, vector: NDArray[np.float32], k: int) -> NDArray[np.int64]:
        """The keys of the `k` vectors nearest to this one, best first, each key once."""
        with self._lock:
            if group not in self._groups or k < 1:
                return np.empty(0, np.int64)
            self._groups.move_to_end(group)
            # Rows are only ever added behind these or moved to new arrays, so the scan needs no lock.
            keys, codes, scales = self._groups[group].filled()
        scale = max(float(np.abs(vector).max()), 1e-12) / 127
        code = np.rint(vector / scale).astype(np.int8)[None]
        threads = 0 if len(keys) >= 2 * _ROWS_A_THREAD else 1
        dots = np.asarray(simsimd.cdist(code, codes, "dot", threads=threads))[0]
        best = largest(dots.astype(np.float32) * scales, k)
        _, first = np.unique(keys[best], return_index=True)
        return keys[best][np.sort(first)]


def largest(scores: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    """The positions of the `k` largest scores, largest first.

    The k-th largest of the blocks' maxima is a floor for the k-th largest score, and far fewer numbers
    lie above it than there are to sort.
    """
    whole = len(scores) // _BLOCK * _BLOCK
    if whole // _BLOCK > k:
        peaks = scores[:whole].reshape(-1, _BLOCK).max(axis=1)
        floor = np.partition(peaks, len(peaks) - k)[len(peaks) - k]
        near = np.flatnonzero(scores >= floor)
    elif len(scores) > k:
        near = np.argpartition(scores, len(scores) - k)[len(scores) - k :]
    else:
        near = np.arange(len(scores))
    return near[np.argsort(-scores[near], kind="stable")[:k]]
