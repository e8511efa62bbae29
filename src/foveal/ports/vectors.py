"""What finds the vectors nearest to one."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class VectorIndex(Protocol):
    """Vectors in groups that never mix. A key may have several vectors: its best one counts.

    It is a guide to the store, which holds the true vectors and decides who may see what.
    """

    def add(self, group: int, keys: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
        """File vectors, one a row, under their keys."""
        ...

    def remove(self, group: int, keys: NDArray[np.int64]) -> None:
        """Take out all vectors of these keys."""
        ...

    def drop(self, group: int) -> None:
        """Take out the whole group."""
        ...

    def size(self, group: int) -> int:
        """How many vectors a group has."""
        ...

    def nearest(self, group: int, vector: NDArray[np.float32], k: int) -> NDArray[np.int64]:
        """The keys of the `k` vectors nearest to this one, best first, each key once."""
        ...
