"""The Postgres dialect: named queries, transactions, and the binding of values and vectors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from functools import cache
from itertools import count
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg.adapt import Dumper
from psycopg.pq import Format
from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper

from foveal.backends.sql.rows import from_micros, from_micros_or_none, record_columns, row_type
from foveal.backends.sql.session import SIGNS, Bind, Dialect, Organism, Places, Step, Transaction, Values, named
from foveal.errors import StoreUnavailable
from foveal.model.query import Op, Viewpoint

_NAMED = re.compile(r"%\((\w+)\)s")
_NO_TEXT = re.compile("[\0\ud800-\udfff]")
_INSERT = re.compile(
    r"(?P<head>insert into .*\svalues) (?P<row>\(.*?\))(?P<tail>|\s+on conflict do nothing)", re.DOTALL
)
# So many rows are inserted by one statement, because a statement costs the server more than a row.
_ROWS = 32

_BIGINT, _BIGINTS = 20, 1016
_ITEM = np.dtype([("size", ">i4"), ("number", ">i8")])

Link = psycopg.Connection[Any]


@cache
def queries() -> dict[str, str]:
    """Every query by name; those that depend on the viewer contain `{visible}`."""
    return named("foveal.backends.postgres")


def text(name: str, **parts: str) -> str:
    """The text of a query, with `parts` put into it."""
    query = queries()[name]
    return query.format(**parts) if parts else query


class PostgresTransaction(Transaction):
    """A transaction on one connection, with the viewpoint it was begun for and the number of its organism."""

    __slots__ = ("_organism", "_viewpoint", "connection")

    nobody = {"world": "", "organism": -1, "actor": ""}

    def __init__(self, connection: Link, viewpoint: Viewpoint | None, number: int | None) -> None:
        self.connection, self._viewpoint = connection, viewpoint
        self._organism = None if viewpoint is None or number is None else _organism(viewpoint, number)

    def run(self, name: str, values: Values | None = None, **parts: str) -> list[Any]:
        """All rows of a query, with `parts` put into its text and `values` bound."""
        return self.connection.execute(text(name, **parts).encode(), values or {}, binary=True).fetchall()

    def rows(self, name: str, values: Values | None = None, **parts: str) -> list[Any]:
        """All rows of a query, with their columns as attributes."""
        cursor = self.connection.execute(text(name, **parts).encode(), values or {}, binary=True)
        columns = tuple(column.name for column in cursor.description or ())
        return list(map(row_type(columns)._make, cursor.fetchall()))

    def change(self, name: str, values: Values | None = None, **parts: str) -> int:
        """Run a query that returns no rows. Returns how many rows it changed."""
        return self.connection.execute(text(name, **parts).encode(), values or {}).rowcount

    def batch(self, *steps: Step) -> None:
        """Run each query once for each of its rows, in order, without waiting in between."""
        needed = [(name, rows) for name, rows in steps if rows]
        if not needed:
            return
        with self.connection.pipeline():
            for name, rows in needed:
                statement, names = _multi_row(name)
                whole = len(rows) // _ROWS * _ROWS if statement else 0
                for start in range(0, whole, _ROWS):
                    values = [row[column] for row in rows[start : start + _ROWS] for column in names]
                    psycopg.RawCursor(self.connection).execute(statement, values)
                if rows[whole:]:
                    self.connection.cursor().executemany(text(name).encode(), rows[whole:])

    def lock(self, name: str, values: Values | None = None) -> None:
        """Run a query that only takes a lock."""
        self.change(name, values)

    def server_time(self) -> datetime:
        """The time of the clock of the server."""
        return from_micros(self.value("server_time"))

    def organism(self, viewpoint: Viewpoint) -> Organism | None:
        """The organism of a viewpoint, if it has one."""
        if self._viewpoint is not None and self._viewpoint.organism == viewpoint.organism:
            return self._organism
        number = self.value("organism_of", {"world": viewpoint.world, "actor": viewpoint.actor_id})
        return None if number is None else _organism(viewpoint, number)

    def own_organism(self, viewpoint: Viewpoint) -> Organism:
        """The organism of a viewpoint, created if necessary, and locked until the transaction ends."""
        before = self._viewpoint
        if self._organism is not None and before is not None and before.organism == viewpoint.organism:
            return self._organism
        if before is None or before.world != viewpoint.world:
            self.connection.execute("select set_config('foveal.world', %s, true)", (viewpoint.world,))
        self._viewpoint, self._organism = viewpoint, None
        names = {"world": viewpoint.world, "actor": viewpoint.actor_id}
        number = self.value("hold_organism", names)
        if number is None:
            self.change("add_organism", names)
            number = self.value("hold_organism", names)
        if number is None:
            raise StoreUnavailable("the memory was removed while it was written to")
        self._organism = _organism(viewpoint, number)
        return self._organism


class Half:
    """A vector as a bound value."""

    __slots__ = ("data",)

    def __init__(self, row: NDArray[np.float32]) -> None:
        # The binary format of pgvector: the count, two unused bytes, and the numbers, big-endian.
        self.data = len(row).to_bytes(2) + b"\0\0" + row.astype(">f2").tobytes()


class Numbers:
    """An array of integers as a bound value, encoded at once: the driver would encode them one by one."""

    __slots__ = ("data",)

    def __init__(self, numbers: NDArray[np.int64]) -> None:
        items = np.empty(len(numbers), _ITEM)
        items["size"], items["number"] = 8, numbers
        # One dimension, no nulls, the type of the items, their count, and the index of the first.
        head = np.array([1 if len(numbers) else 0, 0, _BIGINT, len(numbers), 1], ">i4")
        self.data = (head if len(numbers) else head[:3]).tobytes() + items.tobytes()


def halves(sent: bytes) -> bytes:
    """Half-precision numbers from the database, in the byte order of this machine."""
    return np.frombuffer(sent, ">f2").astype(np.float16).tobytes()


class PostgresDialect(Dialect):
    """The Postgres dialect: values are bound by `%(name)s`, and lists are arrays."""

    everyone = {"world": None, "organism": None}
    of_organism = "(r.world, r.organism) = (%(world)s, %(organism)s)"
    column_names = record_columns(world="r.world", actor="%(actor)s::text")
    columns = ", ".join(column_names)
    columns_of_any = ", ".join(
        record_columns(
            "r.world", "(select o.actor from organism o where (o.world, o.number) = (r.world, r.organism))"
        )
    )

    def text(self, name: str, **parts: str) -> str:
        """The text of a named query, with `parts` put into it."""
        return text(name, **parts)

    def array(self, values: Iterable[Any]) -> list[Any]:
        """A list as a bound value."""
        return list(values)

    def texts(self, values: Iterable[str]) -> list[str]:
        """The strings that Postgres can store: no NUL and no lone surrogate."""
        return [value for value in values if not _NO_TEXT.search(value)]

    forget_organism = ("forget_segments", "forget_postings", "forget_speakers", "forget_organism")

    def table(self, name: str) -> str:
        """The name of a table: vectors have one row for each chunk here."""
        return "embedding" if name == "vector" else name

    def owned(self, by: str) -> str:
        """Always true: every row has the organism in its key, which each query names."""
        return "true"

    def bound(self, name: str) -> str:
        """The placeholder of a bound value."""
        return f"%({name})s"

    def vector_values(self, own: Values, rows: NDArray[np.float32]) -> list[dict[str, Any]]:
        """The values that `add_vector` binds for each chunk of a version."""
        return [{**own, "chunk": chunk, "data": Half(row)} for chunk, row in enumerate(rows)]

    def vectors_of(self, data: bytes, dimension: int) -> NDArray[np.float16]:
        """The vectors of a version, from the bytes that a query returns."""
        return np.frombuffer(data, ">f2").reshape(-1, dimension)

    def halves(self, data: bytes) -> bytes:
        """The bytes that a query returns for vectors, in the byte order of this machine."""
        return halves(data)

    def numbers(self, values: NDArray[np.int64]) -> Numbers:
        """A long list of integers as a bound value."""
        return Numbers(values)

    def take_places(self, db: Transaction, organism: Organism, regions: Mapping[str, int]) -> Places:
        """Reserve numbers and time slices for new versions; `regions` says how many go into each region."""
        counts = list(regions.values())
        asked = {"regions": list(regions), "counts": counts, "count": sum(counts)}
        [(seqs, names, ends, taken)] = db.run("take_places", {**organism, **asked})
        slices = {name: end - regions[name] for name, end in zip(names, ends, strict=True)}
        return Places(seqs, slices, from_micros_or_none(taken))

    def count_rows(self, db: Transaction, organism: Organism, table: str, written: int) -> None:
        """Update the statistics after a large batch, before other rows refer to it.

        A server that believes the partition to be small scans all of it to look up each reference.
        """
        for part, known in db.run("known_rows", organism, table=table):
            if known < written:
                db.change("count_rows_of", table=part)

    def same_record(self, one: str, other: str) -> str:
        """The condition that two aliases are versions of the same record."""
        return f"({one}.world, {one}.organism, {one}.id) = ({other}.world, {other}.organism, {other}.id)"

    def under(self, prefix: str, bound: str) -> str:
        """The condition that the digits of a record begin with a prefix, as a range."""
        return f"(r.digits >= {bound}::text and r.digits < {bound}::text || '3')"

    def has_tag(self, bound: str) -> str:
        """The condition that a record has a tag."""
        return f"{bound}::text = any(r.tags)"

    def truth(self, column: str) -> str:
        """A boolean as a number."""
        return f"{column}::integer"

    def of_text(self, column: str, op: Op, value: str, bind: Bind) -> str:
        """The comparison of a text with a value."""
        wanted = bind(value)
        if op is Op.CONTAINS:
            return f"strpos({column}, {wanted}::text) > 0"
        if op is Op.PREFIX:
            return f"starts_with({column}, {wanted}::text)"
        return f'{column} collate "C" {SIGNS[op]} {wanted}::text'

    def of_number(self, column: str, op: Op, value: float, bind: Bind) -> str:
        """The comparison of a number with a value, exact to the last digit, as JSON is written."""
        if isinstance(value, float):
            return f"{column} {SIGNS[op]} {bind(Decimal(repr(value)))}::numeric"
        return f"{column} {SIGNS[op]} {bind(int(value))}::bigint"

    def among(self, column: str, values: Sequence[str | float], bind: Bind) -> str:
        """The condition that a column has one of these values."""
        if isinstance(values[0], str):
            return f'{column} collate "C" = any({bind(self.texts(map(str, values)))}::text[])'
        numbers = [Decimal(repr(value)) if isinstance(value, float) else Decimal(int(value)) for value in values]
        return f"{column} = any({bind(numbers)}::numeric[])"

    def in_metadata(self, path: Sequence[str], op: Op, value: str | float | None, bind: Bind) -> str:
        """The comparison of the metadata at a path with a value."""
        stored = f"(r.metadata::jsonb #> {bind(list(path))}::text[])"
        if value is None:
            return f"({stored} is null or jsonb_typeof({stored}) = 'null')"
        plain = f"({stored} #>> '{{}}')"
        if not isinstance(value, str):
            number = f"(case {plain} when 'true' then 1 when 'false' then 0 else {plain}::numeric end)"
            return (
                f"(case when jsonb_typeof({stored}) in ('number', 'boolean') "
                f"then {self.of_number(number, op, value, bind)} end)"
            )
        text = f"jsonb_typeof({stored}) = 'string' and {self.of_text(plain, op, value, bind)}"
        if op is not Op.CONTAINS:
            return f"({text})"
        return f"({text} or jsonb_typeof({stored}) = 'array' and {stored} ? {bind(value)}::text)"

    def among_metadata(self, path: Sequence[str], values: Sequence[str | float], bind: Bind) -> str:
        """The condition that the metadata at a path has one of these values."""
        stored = f"(r.metadata::jsonb #> {bind(list(path))}::text[])"
        plain = f"({stored} #>> '{{}}')"
        if isinstance(values[0], str):
            return f"(jsonb_typeof({stored}) = 'string' and {self.among(plain, values, bind)})"
        number = f"(case {plain} when 'true' then 1 when 'false' then 0 else {plain}::numeric end)"
        among = self.among(number, values, bind)
        return f"(case when jsonb_typeof({stored}) in ('number', 'boolean') then {among} end)"


DIALECT = PostgresDialect()


def _organism(viewpoint: Viewpoint, number: int) -> Organism:
    # The tables are partitioned by the world, which is the first column of every key.
    return {"world": viewpoint.world, "organism": number, "actor": viewpoint.actor_id}


@cache
def _multi_row(name: str) -> tuple[bytes, list[str]]:
    """An insert of values for `_ROWS` rows at once, and the names that each row binds; empty for other queries."""
    insert = _INSERT.fullmatch(text(name))
    if insert is None:
        return b"", []
    names = _NAMED.findall(insert["row"])
    numbers = count(1)
    lists = (_NAMED.sub(lambda _: f"${next(numbers)}", insert["row"]) for _ in range(_ROWS))
    return f"{insert['head']} {', '.join(lists)} {insert['tail']}".encode(), names


class _HalfDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: Half) -> bytes:
        return obj.data


class _NumbersDumper(Dumper):
    format = Format.BINARY
    oid = _BIGINTS

    def dump(self, obj: Numbers) -> bytes:
        return obj.data


def adapt(connection: psycopg.Connection[Any], halfvec: int) -> None:
    """Register `Half` and `Numbers` with a connection, and bind every integer as a bigint."""
    connection.adapters.register_dumper(Half, type("HalfDumper", (_HalfDumper,), {"oid": halfvec}))
    connection.adapters.register_dumper(Numbers, _NumbersDumper)
    connection.adapters.register_dumper(int, Int8Dumper)
    connection.adapters.register_dumper(int, Int8BinaryDumper)
