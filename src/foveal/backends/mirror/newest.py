"""Where the newest version of a record stands among the rows of a mirror."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence

import numpy as np

from foveal.model.search import Rows


class Newest:
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
