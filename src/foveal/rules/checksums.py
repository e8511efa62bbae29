"""Checksums of rows, in whatever order they come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b

import msgspec

from foveal.ports.tables import Row, Sum

_BYTES = 16


class Summing:
    """Adds up the rows that pass by.

    >>> first, second = Summing(), Summing()
    >>> list(first.passing([(1, "tea"), (2, None)]))
    [(1, 'tea'), (2, None)]
    >>> list(second.passing([(2, None), (1, "tea")])) and second.sum == first.sum
    True
    >>> first.sum.rows
    2
    """

    def __init__(self) -> None:
        self._rows = 0
        self._total = 0
        self._encode = msgspec.msgpack.Encoder().encode

    def passing(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The same rows; each is counted as it goes by."""
        for row in rows:
            self._rows += 1
            # A sum, not an exclusive or: two rows that are the same must not cancel each other.
            self._total += int.from_bytes(blake2b(self._encode(row), digest_size=_BYTES).digest())
            yield row

    @property
    def sum(self) -> Sum:
        """What passed by until now."""
        return Sum(self._rows, f"{self._total % (1 << 8 * _BYTES):0{2 * _BYTES}x}")


def summed(rows: Iterable[Row]) -> Sum:
    """The sum of rows.

    >>> summed([(1, "tea")]) == summed([(1, "Tea")])
    False
    """
    summing = Summing()
    for _ in summing.passing(rows):
        pass
    return summing.sum
