"""A vector index that compares with every vector, in full precision."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class FlatIndex:
    """The plain answer that faster indexes are measured against."""

    def __init__(self) -> None:
        self._keys: dict[int, NDArray[np.int64]] = {}
        self._rows: dict[int, NDArray[np.float32]] = {}

    def add(self, group: int, keys: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
        """File vectors, one a row, under their keys."""
        if group not in self._keys:
            self._keys[group], self._rows[group] = keys, vectors
        else:
            self._keys[group] = np.concatenate([self._keys[group], keys])
            self._rows[group] = np.concatenate([self._rows[group], vectors])

    def remove(self, group: int, keys: NDArray[np.int64]) -> None:
        """Take out all vectors of these keys."""
        if group in self._keys:
            kept = ~np.isin(self._keys[group], keys)
            self._keys[group], self._rows[group] = self._keys[group][kept], self._rows[group][kept]

    def drop(self, group: int) -> None:
        """Take out the whole group."""
        self._keys.pop(group, None)
        self._rows.pop(group, None)

    def size(self, group: int) -> int:
        """How many vectors a group has."""
        return len(self._keys.get(group, ()))

    def nearest(self, group: int, vector: NDArray[np.float32], k: int) -> NDArray[np.int64]:
        """The keys of the `k` vectors nearest to this one, best first, each key once."""
        if group not in self._keys:
            return np.empty(0, np.int64)
        order = np.argsort(-(self._rows[group] @ vector), kind="stable")[:k]
        return np.array(list(dict.fromkeys(self._keys[group][order].tolist())), np.int64)
