"""Vectors of half precision, between numpy and the database."""

from __future__ import annotations

from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg.adapt import Dumper
from psycopg.pq import Format
from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper

from foveal.backends.postgres.numbers import adapt_numbers


class Half:
    """One vector on its way into the database."""

    __slots__ = ("data",)

    def __init__(self, row: NDArray[np.float32]) -> None:
        # As the extension sends it: how many numbers, nothing, and the numbers with their high byte first.
        self.data = len(row).to_bytes(2) + b"\0\0" + row.astype(">f2").tobytes()


def halves(sent: bytes) -> bytes:
    """Numbers as the database sends them, in the order of this machine."""
    return np.frombuffer(sent, ">f2").astype(np.float16).tobytes()


class _HalfDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: Half) -> bytes:
        return obj.data


def adapt(connection: psycopg.Connection[Any], halfvec: int) -> None:
    """Teach a connection what a `Half` is, and that all whole numbers are of one type."""
    connection.adapters.register_dumper(Half, type("HalfDumper", (_HalfDumper,), {"oid": halfvec}))
    adapt_numbers(connection)
    connection.adapters.register_dumper(int, Int8Dumper)
    connection.adapters.register_dumper(int, Int8BinaryDumper)
