"""Vectors at a quarter of their size: one signed byte a number, scanned whole."""

from __future__ import annotations

import numpy as np
import simsimd
from numpy.typing import NDArray

# Below this many rows a second thread costs more than it brings.
_ROWS_A_THREAD = 16_384
_BLOCK = 256


class Matrix:
    """Rows that are added and never changed. A row of zeros stands for a vector that is still to come."""

    def __init__(self, dimension: int) -> None:
        self._size = 0
        self._codes = np.empty((0, dimension), np.int8)
        self._scales = np.empty(0, np.float32)

    @property
    def bytes(self) -> int:
        """How much memory the rows take."""
        return self._codes.nbytes

    def add(self, vectors: NDArray[np.float32]) -> None:
        """Append rows."""
        end = self._size + len(vectors)
        if end > len(self._scales):
            room = max(end, len(self._scales) * 3 // 2, 64)
            codes = np.zeros((room, self._codes.shape[1]), np.int8)
            codes[: self._size] = self._codes[: self._size]
            self._codes = codes
            self._scales = np.resize(self._scales, room)
        scales = np.maximum(np.abs(vectors).max(axis=1, initial=0.0), 1e-12) / 127
        self._scales[self._size : end] = scales
        self._codes[self._size : end] = np.rint(vectors / scales[:, None])
        self._size = end

    def cosines(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """The cosine of a unit vector with every row, to about two digits."""
        scale = max(float(np.abs(vector).max()), 1e-12) / 127
        code = np.rint(vector / scale).astype(np.int8)[None]
        threads = 0 if self._size >= 2 * _ROWS_A_THREAD else 1
        dots = np.asarray(simsimd.cdist(code, self._codes[: self._size], "dot", threads=threads))[0]
        return dots.astype(np.float32) * (self._scales[: self._size] * np.float32(scale))


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
    return near[np.lexsort((near, -scores[near]))[:k]]
