"""Which records have which terms, in sorted arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# New postings wait unsorted until they are this many, and an eighth of the sorted ones.
_TAIL = 1 << 12


class Postings:
    """Terms as numbers, the rows that hold them, and how often: sorted by term, with a short tail of the newest."""

    def __init__(self) -> None:
        self._sorted = _Columns.empty()
        self._tail = _Columns.empty()

    def add(self, terms: NDArray[np.uint32], rows: NDArray[np.int32], times: NDArray[np.uint8]) -> None:
        """File rows under terms."""
        self._tail = self._tail.joined(_Columns(terms, rows, times))
        if len(self._tail.terms) > max(_TAIL, len(self._sorted.terms) // 8):
            whole = self._sorted.joined(self._tail)
            self._sorted = whole.at(np.argsort(whole.terms, kind="stable"))
            self._tail = _Columns.empty()

    def holders(self, terms: NDArray[np.uint32]) -> list[tuple[NDArray[np.int32], NDArray[np.uint8]]]:
        """For each term, the rows that hold it, ascending, and how often each does."""
        starts, ends = (self._sorted.terms.searchsorted(terms, side).tolist() for side in ("left", "right"))
        found = [self._sorted.at(slice(*span)) for span in zip(starts, ends, strict=True)]
        if len(self._tail.terms):
            late = (self._tail.at(np.flatnonzero(self._tail.terms == term)) for term in terms)
            found = [one.joined(more) for one, more in zip(found, late, strict=True)]
        return [(one.rows, one.times) for one in found]


class _Columns:
    """Three columns of equal length."""

    def __init__(self, terms: NDArray[np.uint32], rows: NDArray[np.int32], times: NDArray[np.uint8]) -> None:
        self.terms, self.rows, self.times = terms, rows, times

    @classmethod
    def empty(cls) -> _Columns:
        return cls(np.empty(0, np.uint32), np.empty(0, np.int32), np.empty(0, np.uint8))

    def at(self, places: slice | NDArray[np.int64]) -> _Columns:
        return _Columns(self.terms[places], self.rows[places], self.times[places])

    def joined(self, other: _Columns) -> _Columns:
        return _Columns(
            np.concatenate([self.terms, other.terms]),
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.times, other.times]),
        )
