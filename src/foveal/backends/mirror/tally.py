"""How many records hold each word piece."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class Tally:
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
