"""A column of numbers that grows."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

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
