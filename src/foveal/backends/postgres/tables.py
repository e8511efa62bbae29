"""The tables of a database, for copying a memory to another store."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, cast

import msgspec
import numpy as np

from foveal.backends.postgres.connection import WAIT_SECONDS, Connections, Pool, opened, place, reached, translated
from foveal.backends.postgres.dialect import Half, Link, halves, text
from foveal.backends.postgres.schema import PARTITIONS, migrations
from foveal.errors import NotFound, ReadOnly
from foveal.ports.tables import Organism, Row, Sum, Sums, Table

# Columns that a trace repeats from its record, so that an index can follow one table.
_OF_RECORD = ("id", "node", "scope")
_KNOWN = frozenset({"world", "organism"})
_JOURNAL = """create table if not exists foveal.copied (
    part bigint primary key, source text not null, sums text not null)"""
_SEQUENCE = re.compile(r"nextval\('(?:foveal\.)?(\w+)'")
_BATCH = 500


class PostgresTables:
    """A database to copy from or to."""

    def __init__(self, url: str, *, read_only: bool, partitions: int = PARTITIONS) -> None:
        self.where = place(url)
        if read_only:
            _refuse_schema(url, self.where)
            self._db = Connections(Pool(url, self.where, 1, WAIT_SECONDS, statement_seconds=0))
        else:
            self._db = opened(
                url,
                pool_size=1,
                partitions=partitions,
                replica=None,
                staleness=timedelta(),
                wait=WAIT_SECONDS,
                statement_seconds=0,
            )

    @contextmanager
    def reading(self) -> Generator[PostgresRows]:
        """One state of the database, for the whole transaction."""
        with self._db.reading() as db:
            yield PostgresRows(db.connection)

    @contextmanager
    def writing(self) -> Generator[PostgresRows]:
        """A transaction: all of it happens, or none."""
        with self._db.writing() as db:
            yield PostgresRows(db.connection)

    def settle(self) -> None:
        """Update the statistics of the query planner."""
        with self._db.apart() as connection:
            connection.execute(text("count_tables").encode())

    def close(self) -> None:
        """Close the connections."""
        self._db.close()


def _refuse_schema(url: str, where: str) -> None:
    """Raise an error for a database whose schema would have to be changed before it can be read."""
    with translated(where), reached(url, where) as connection:
        if connection.execute("select to_regclass('foveal.migration')").fetchall()[0][0] is None:
            raise NotFound(f"there is no memory in {where}")
        [(version,)] = connection.execute("select coalesce(max(number), 0) from foveal.migration").fetchall()
    if version != len(migrations()):
        raise ReadOnly(
            f"{where} has schema {version} and this release of Foveal copies {len(migrations())}: "
            "open it once with this release, or use the release that wrote it"
        )


class PostgresRows:
    """The rows of a database, in one transaction."""

    def __init__(self, connection: Link) -> None:
        self._connection = connection
        self._known: dict[str, dict[str, str]] = {}

    def _types(self, name: str) -> dict[str, str]:
        """The columns of a table in order, with their types."""
        if not self._known:
            rows = self._connection.execute(
                "select table_name, column_name, udt_name from information_schema.columns "
                "where table_schema = 'foveal' order by table_name, column_name collate \"C\""
            )
            for table, column, type_ in rows:
                self._known.setdefault(table, {})[column] = type_
        return self._known[name]

    def columns(self, table: Table) -> tuple[str, ...]:
        """The columns of the rows of a table, in order."""
        if table.name == "vector":
            return ("data", "encoder", "seq")
        hidden = {*_KNOWN, *(_OF_RECORD if table.name == "trace" else ())}
        return tuple(column for column in self._types(table.name) if column not in hidden)

    def organisms(self) -> list[Organism]:
        """All organisms in the database, by number."""
        rows = self._connection.execute("select number, world, actor from organism order by number")
        return [Organism(*row) for row in rows]

    def rows(self, table: Table, organism: Organism | None) -> Iterator[Row]:
        """The rows of an organism, or those of a table that belongs to none."""
        if table.name == "vector":
            query = (
                "select string_agg(substring(halfvec_send(data) from 5), ''::bytea order by chunk), encoder, seq "
                f"from embedding where {_owned_by(organism)} group by seq, encoder"
            )
            for data, encoder, seq in self._streamed(query, organism):
                yield halves(data), encoder, seq
            return
        columns = self.columns(table)
        truths = self._truths(table, columns)
        query = f"select {_names(columns)} from {table.name} where {_owned_by(organism)}"
        for row in self._streamed(query, organism):
            yield tuple(row) if not truths else tuple(_number(value) for value in row)

    def _truths(self, table: Table, columns: Iterable[str]) -> list[int]:
        types = self._types(table.name)
        return [number for number, name in enumerate(columns) if types[name] == "bool"]

    def _streamed(self, query: str, organism: Organism | None) -> Iterator[tuple[Any, ...]]:
        values = {} if organism is None else {"world": organism.world, "organism": organism.number}
        with self._connection.cursor(name="copying") as cursor:
            cursor.itersize = _BATCH
            yield from cast("Iterator[tuple[Any, ...]]", cursor.execute(query.encode(), values))

    def count(self, table: Table) -> int:
        """How many rows a table has, of all organisms."""
        name = "embedding where chunk = 0" if table.name == "vector" else table.name
        return int(self._connection.execute(f"select count(*) from {name}".encode()).fetchall()[0][0])

    def marks(self) -> dict[str, int]:
        """For each table that numbers its rows, the highest number it ever assigned."""
        marks: dict[str, int] = {}
        for table, sequence in self._sequences().items():
            [(highest,)] = self._connection.execute("select pg_sequence_last_value(%s)", (sequence,)).fetchall()
            marks[table] = int(highest or 0)
        return marks

    def _sequences(self) -> dict[str, str]:
        rows = self._connection.execute(
            "select table_name, coalesce(column_default, ''), "
            "pg_get_serial_sequence(format('foveal.%I', table_name), column_name) "
            "from information_schema.columns where table_schema = 'foveal' "
            "and (is_identity = 'YES' or column_default like 'nextval%') and not (select relispartition "
            "from pg_class where oid = format('foveal.%I', table_name)::regclass)"
        ).fetchall()
        named = {table: (_SEQUENCE.search(default), own) for table, default, own in rows}
        return {table: f"foveal.{match[1]}" if match else str(own) for table, (match, own) in named.items()}

    def journal(self) -> dict[int, tuple[str, Sums]]:
        """The parts that were copied into this database before."""
        self._connection.execute(_JOURNAL)
        rows = self._connection.execute("select part, source, sums from foveal.copied").fetchall()
        return {part: (source, msgspec.json.decode(sums, type=dict[str, Sum])) for part, source, sums in rows}

    def note(self, part: int, source: str, sums: Sums) -> None:
        """Record that a part was copied."""
        self._connection.execute(
            "insert into foveal.copied (part, source, sums) values (%s, %s, %s) "
            "on conflict (part) do update set source = excluded.source, sums = excluded.sums",
            (part, source, msgspec.json.encode(sums).decode()),
        )

    def add(self, organism: Organism) -> None:
        """Add an organism, unless it exists."""
        self._connection.execute(
            "insert into organism (number, world, actor) values (%s, %s, %s) on conflict do nothing",
            (organism.number, organism.world, organism.actor),
        )

    def put(self, table: Table, organism: Organism | None, rows: Iterable[Row]) -> None:
        """Add rows as they are."""
        own = () if organism is None else (organism.world, organism.number)
        if table.name == "vector":
            self._put_vectors(own, rows)
            return
        columns = self.columns(table)
        truths = self._truths(table, columns)
        filled = (*(("world", "organism") if own else ()), *columns)
        placeholders = ", ".join(["%s"] * len(filled))
        insert = f"insert into {table.name} ({_names(filled)}) values ({placeholders})"
        if table.name == "trace":
            seq = columns.index("seq")
            insert = (
                f"insert into trace ({_names((*filled, *_OF_RECORD))}) select {placeholders}, "
                "r.id, r.node, r.scope from record r where r.world = %s and r.organism = %s and r.seq = %s"
            )
            rows = ((*row, *own, row[seq]) for row in rows)

        def stored(row: Row) -> tuple[Any, ...]:
            values = list(row)
            for column in truths:
                values[column] = bool(values[column])
            return (*own, *values)

        self._insert(insert, (stored(row) for row in rows))

    def _put_vectors(self, own: tuple[object, ...], rows: Iterable[Row]) -> None:
        sizes = dict(self._connection.execute("select number, dimension from encoder").fetchall())
        chunks = (
            (*own, seq, encoder, chunk, Half(vector))
            for data, encoder, seq in cast("Iterable[tuple[bytes, int, int]]", rows)
            for chunk, vector in enumerate(
                np.frombuffer(data, np.float16).astype(np.float32).reshape(-1, sizes[encoder])
            )
        )
        self._insert(
            "insert into embedding (world, organism, seq, encoder, chunk, data) values (%s, %s, %s, %s, %s, %s)",
            chunks,
        )

    def _insert(self, query: str, rows: Iterable[tuple[Any, ...]]) -> None:
        self._connection.cursor().executemany(query.encode(), rows)

    def clear(self, tables: Iterable[Table], organism: Organism | None) -> None:
        """Remove the rows of an organism, or those that belong to none, from these tables."""
        values = {} if organism is None else {"world": organism.world, "organism": organism.number}
        # Triggers write to the `kept` tables when rows of the others are deleted, so those come last.
        for table in sorted(reversed(list(tables)), key=lambda table: table.kept):
            name = "embedding" if table.name == "vector" else table.name
            self._connection.execute(f"delete from {name} where {_owned_by(organism)}".encode(), values)

    def set_marks(self, marks: Mapping[str, int]) -> None:
        """Make new rows get numbers above these."""
        for table, sequence in self._sequences().items():
            if marks.get(table):
                self._connection.execute("select setval(%s, %s)", (sequence, marks[table]))


def _names(columns: Iterable[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)


def _owned_by(organism: Organism | None) -> str:
    return "true" if organism is None else "world = %(world)s and organism = %(organism)s"


def _number(value: object) -> object:
    """A boolean as the number that other stores have for it."""
    return int(value) if isinstance(value, bool) else value
