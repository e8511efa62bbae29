"""Whole numbers on their way into the database, very many at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg.adapt import Dumper
from psycopg.pq import Format

_BIGINT, _BIGINTS = 20, 1016
_ITEM = np.dtype([("size", ">i4"), ("number", ">i8")])


class Numbers:
    """An array of numbers, written as the database reads it: one by one they would take long."""

    __slots__ = ("data",)

    def __init__(self, numbers: NDArray[np.int64]) -> None:
        items = np.empty(len(numbers), _ITEM)
        items["size"], items["number"] = 8, numbers
        # One dimension, no nulls, the type of its items, how many they are, and that the first is number one.
        head = np.array([1 if len(numbers) else 0, 0, _BIGINT, len(numbers), 1], ">i4")
        self.data = (head if len(numbers) else head[:3]).tobytes() + items.tobytes()


class _NumbersDumper(Dumper):
    format = Format.BINARY
    oid = _BIGINTS

    def dump(self, obj: Numbers) -> bytes:
        return obj.data


def adapt_numbers(connection: psycopg.Connection[Any]) -> None:
    """Teach a connection what `Numbers` are."""
    connection.adapters.register_dumper(Numbers, _NumbersDumper)
