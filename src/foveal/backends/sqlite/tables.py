"""The tables of a memory file, for copying a memory to another store."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import apsw
import msgspec

from foveal.backends.sqlite.connection import Connections
from foveal.ports.tables import Organism, Row, Sum, Sums, Table

# Columns that the file stores as JSON; other stores have lists.
_LISTS = frozenset({"tags", "worlds", "actors", "rights", "verbs"})
# Row numbers that have no meaning outside the file.
_OWN_NUMBERS = {"vector": "number"}
_JOURNAL = """create table if not exists copied (
    part integer primary key, source text not null, sums text not null) strict"""


class SqliteTables:
    """A memory file to copy from or to."""

    def __init__(self, path: Path, *, read_only: bool) -> None:
        self._db = Connections(path, read_only=read_only)
        self.where = f"sqlite:///{path.resolve()}"

    @contextmanager
    def reading(self) -> Generator[SqliteRows]:
        """One state of the file, for the whole transaction."""
        with self._db.reading() as db:
            yield SqliteRows(db.connection)

    @contextmanager
    def writing(self) -> Generator[SqliteRows]:
        """A transaction: all of it happens, or none."""
        with self._db.writing() as db:
            yield SqliteRows(db.connection)

    def settle(self) -> None:
        """Update the statistics of the query planner."""
        with self._db.maintaining() as db:
            db.execute("analyze")

    def close(self) -> None:
        """Close the file."""
        self._db.close()


class SqliteRows:
    """The rows of a memory file, in one transaction."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._known: dict[str, tuple[str, ...]] = {}

    def _fetched(self, query: str, values: tuple[Any, ...] = ()) -> list[Any]:
        return cast(list[Any], self._db.execute(query, values).fetchall())

    def columns(self, table: Table) -> tuple[str, ...]:
        """The columns of the rows of a table, in order."""
        return tuple(column for column in self._all(table.name) if column != "organism")

    def _all(self, name: str) -> tuple[str, ...]:
        if name not in self._known:
            columns = [column for (column,) in self._fetched("select name from pragma_table_info(?)", (name,))]
            self._known[name] = tuple(sorted(column for column in columns if column != _OWN_NUMBERS.get(name)))
        return self._known[name]

    def organisms(self) -> list[Organism]:
        """All organisms in the file, by number."""
        rows = self._fetched("select number, world, actor from organism order by number")
        return [Organism(*row) for row in rows]

    def rows(self, table: Table, organism: Organism | None) -> Iterator[Row]:
        """The rows of an organism, or those of a table that belongs to none."""
        columns = self.columns(table)
        lists = [place for place, name in enumerate(columns) if name in _LISTS]
        query = f"select {_names(columns)} from {table.name} where {_owned_by(table)}"
        for row in cast("Iterable[Row]", self._db.execute(query, _number(organism))):
            if not lists:
                yield row
                continue
            values: list[Any] = list(row)
            for place in lists:
                values[place] = None if values[place] is None else msgspec.json.decode(values[place])
            yield tuple(values)

    def count(self, table: Table) -> int:
        """How many rows a table has, of all organisms."""
        return int(self._fetched(f"select count(*) from {table.name}")[0][0])

    def marks(self) -> dict[str, int]:
        """For each table that numbers its rows, the highest number it ever assigned."""
        marks: dict[str, int] = {}
        for name, column in self._numbered():
            marks[name] = self._fetched(f"select coalesce(max({column}), 0) from {name}")[0][0]
        for name, highest in self._fetched("select name, seq from sqlite_sequence"):
            marks[name] = max(marks[name], highest)
        return marks

    def _numbered(self) -> list[tuple[str, str]]:
        # A primary key of one integer is the row number, which SQLite assigns.
        return self._fetched(
            "select t.name, max(c.name) from sqlite_schema t, pragma_table_info(t.name) c "
            "where t.type = 'table' and c.pk > 0 and t.name not in ('copied', 'vector') "
            "and t.sql not like '%without rowid%' group by t.name having count(*) = 1 and max(c.type) = 'INTEGER'"
        )

    def journal(self) -> dict[int, tuple[str, Sums]]:
        """The parts that were copied into this file before."""
        self._db.execute(_JOURNAL)
        rows = self._fetched("select part, source, sums from copied")
        return {part: (source, msgspec.json.decode(sums, type=dict[str, Sum])) for part, source, sums in rows}

    def note(self, part: int, source: str, sums: Sums) -> None:
        """Record that a part was copied."""
        values = (part, source, msgspec.json.encode(sums).decode())
        self._db.execute("insert or replace into copied (part, source, sums) values (?, ?, ?)", values)

    def add(self, organism: Organism) -> None:
        """Add an organism, unless it exists."""
        values = (organism.number, organism.world, organism.actor)
        self._db.execute("insert or ignore into organism (number, world, actor) values (?, ?, ?)", values)

    def put(self, table: Table, organism: Organism | None, rows: Iterable[Row]) -> None:
        """Add rows as they are."""
        columns = self.columns(table)
        lists = [place for place, name in enumerate(columns) if name in _LISTS]
        owned = "organism" in self._all(table.name)
        # A row of a ledger names an organism only if it names a record.
        record_column = columns.index("record_id") if owned and table.by == "ledger" else None
        all_columns = (*columns, "organism") if owned else columns
        placeholders = ", ".join("?" * len(all_columns))
        insert = f"insert into {table.name} ({_names(all_columns)}) values ({placeholders})"

        def stored(row: Row) -> tuple[Any, ...]:
            values: list[Any] = list(row)
            for place in lists:
                if values[place] is not None:
                    values[place] = json.dumps(values[place], ensure_ascii=False, separators=(",", ":"))
            if owned and organism is not None:
                named = record_column is None or values[record_column] is not None
                values.append(organism.number if named else None)
            return tuple(values)

        self._db.executemany(insert, (stored(row) for row in rows))

    def clear(self, tables: Iterable[Table], organism: Organism | None) -> None:
        """Remove the rows of an organism, or those that belong to none, from these tables."""
        # Triggers write to the `kept` tables when rows of the others are deleted, so those come last.
        for table in sorted(reversed(list(tables)), key=lambda table: table.kept):
            self._db.execute(f"delete from {table.name} where {_owned_by(table)}", _number(organism))

    def set_marks(self, marks: Mapping[str, int]) -> None:
        """Make new rows get numbers above these."""
        own = self.marks()
        numbering = "select name from sqlite_schema where type = 'table' and sql like '%autoincrement%'"
        for (name,) in self._fetched(numbering):
            highest = max(marks.get(name, 0), own[name])
            self._db.execute("delete from sqlite_sequence where name = ?", (name,))
            self._db.execute("insert into sqlite_sequence (name, seq) values (?, ?)", (name, highest))


def _names(columns: Iterable[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)


def _owned_by(table: Table) -> str:
    """The condition for the rows of an organism, which name it or something that belongs to it."""
    if not table.by:
        return "true"
    if table.by == "organism":
        return "organism = ?"
    return f"{table.by} in (select number from {table.by} where organism = ?)"


def _number(organism: Organism | None) -> tuple[int, ...]:
    return () if organism is None else (organism.number,)
