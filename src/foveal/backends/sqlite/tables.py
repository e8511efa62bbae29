"""A memory file as the tables it is made of."""

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

# Lists are kept as JSON; to be compared, they are lists.
_LISTS = frozenset({"tags", "worlds", "actors", "rights", "verbs"})
# Numbers that only name a row of the file.
_OWN_NUMBERS = {"vector": "number"}
_JOURNAL = """create table if not exists copied (
    part integer primary key, source text not null, sums text not null) strict"""


class SqliteTables:
    """A memory file, to be copied from or to."""

    def __init__(self, path: Path, *, read_only: bool) -> None:
        self._db = Connections(path, read_only=read_only)
        self.where = f"sqlite:///{path.resolve()}"

    @contextmanager
    def reading(self) -> Generator[SqliteRows]:
        """One moment of the file, held until the end."""
        with self._db.reading() as db:
            yield SqliteRows(db.connection)

    @contextmanager
    def writing(self) -> Generator[SqliteRows]:
        """A transaction: all of it happens, or none."""
        with self._db.writing() as db:
            yield SqliteRows(db.connection)

    def settle(self) -> None:
        """Let the file know its sizes, so that it takes short ways."""
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

    def _found(self, query: str, values: tuple[Any, ...] = ()) -> list[Any]:
        return cast(list[Any], self._db.execute(query, values).fetchall())

    def columns(self, table: Table) -> tuple[str, ...]:
        """The columns of the rows of a table, in order."""
        return tuple(one for one in self._all(table.name) if one != "organism")

    def _all(self, name: str) -> tuple[str, ...]:
        if name not in self._known:
            found = [row[0] for row in self._found("select name from pragma_table_info(?)", (name,))]
            self._known[name] = tuple(sorted(one for one in found if one != _OWN_NUMBERS.get(name)))
        return self._known[name]

    def organisms(self) -> list[Organism]:
        """Everyone in the file, by number."""
        found = self._found("select number, world, actor from organism order by number")
        return [Organism(*row) for row in found]

    def rows(self, table: Table, organism: Organism | None) -> Iterator[Row]:
        """The rows of an organism, or those of nobody."""
        columns = self.columns(table)
        lists = [place for place, name in enumerate(columns) if name in _LISTS]
        query = f"select {_names(columns)} from {table.name} where {_whose(table)}"
        for row in cast("Iterable[Row]", self._db.execute(query, _number(organism))):
            if not lists:
                yield row
                continue
            values: list[Any] = list(row)
            for place in lists:
                values[place] = None if values[place] is None else msgspec.json.decode(values[place])
            yield tuple(values)

    def count(self, table: Table) -> int:
        """How many rows a table has, of everyone."""
        return int(self._found(f"select count(*) from {table.name}")[0][0])

    def marks(self) -> dict[str, int]:
        """For each table that numbers its rows, the highest number that it ever gave."""
        found: dict[str, int] = {}
        for name, column in self._numbered():
            found[name] = self._found(f"select coalesce(max({column}), 0) from {name}")[0][0]
        for name, highest in self._found("select name, seq from sqlite_sequence"):
            found[name] = max(found[name], highest)
        return found

    def _numbered(self) -> list[tuple[str, str]]:
        # A key of one whole number is the number of the row, which the file gives by itself.
        return self._found(
            "select t.name, max(c.name) from sqlite_schema t, pragma_table_info(t.name) c "
            "where t.type = 'table' and c.pk > 0 and t.name not in ('copied', 'vector') "
            "and t.sql not like '%without rowid%' group by t.name having count(*) = 1 and max(c.type) = 'INTEGER'"
        )

    def journal(self) -> dict[int, tuple[str, Sums]]:
        """What was copied into this file before."""
        self._db.execute(_JOURNAL)
        found = self._found("select part, source, sums from copied")
        return {part: (source, msgspec.json.decode(sums, type=dict[str, Sum])) for part, source, sums in found}

    def note(self, part: int, source: str, sums: Sums) -> None:
        """Note that a part was copied."""
        told = msgspec.json.encode(sums).decode()
        self._db.execute(
            "insert or replace into copied (part, source, sums) values (?, ?, ?)", (part, source, told)
        )

    def add(self, organism: Organism) -> None:
        """Make an organism, if it is not there."""
        values = (organism.number, organism.world, organism.actor)
        self._db.execute("insert or ignore into organism (number, world, actor) values (?, ?, ?)", values)

    def put(self, table: Table, organism: Organism | None, rows: Iterable[Row]) -> None:
        """Add rows as they are."""
        columns = self.columns(table)
        lists = [place for place, name in enumerate(columns) if name in _LISTS]
        owned = "organism" in self._all(table.name)
        # A row of a ledger names an organism only together with the record that it is found by.
        found_by = columns.index("record_id") if owned and table.by == "ledger" else None
        all_columns = (*columns, "organism") if owned else columns
        marks = ", ".join("?" * len(all_columns))
        insert = f"insert into {table.name} ({_names(all_columns)}) values ({marks})"

        def stored(row: Row) -> tuple[Any, ...]:
            values: list[Any] = list(row)
            for place in lists:
                if values[place] is not None:
                    values[place] = json.dumps(values[place], ensure_ascii=False, separators=(",", ":"))
            if owned and organism is not None:
                named = found_by is None or values[found_by] is not None
                values.append(organism.number if named else None)
            return tuple(values)

        self._db.executemany(insert, (stored(row) for row in rows))

    def clear(self, tables: Iterable[Table], organism: Organism | None) -> None:
        """Remove the rows of an organism, or those of nobody, from these tables."""
        listed = list(tables)
        # What is kept by the file grows when the others go.
        for table in sorted(reversed(listed), key=lambda one: one.kept):
            self._db.execute(f"delete from {table.name} where {_whose(table)}", _number(organism))

    def set_marks(self, marks: Mapping[str, int]) -> None:
        """Number new rows after these."""
        own = self.marks()
        numbering = "select name from sqlite_schema where type = 'table' and sql like '%autoincrement%'"
        for (name,) in self._found(numbering):
            highest = max(marks.get(name, 0), own[name])
            self._db.execute("delete from sqlite_sequence where name = ?", (name,))
            self._db.execute("insert into sqlite_sequence (name, seq) values (?, ?)", (name, highest))


def _names(columns: Iterable[str]) -> str:
    return ", ".join(f'"{one}"' for one in columns)


def _whose(table: Table) -> str:
    """The rows of an organism: those that name it, or what belongs to it."""
    if not table.by:
        return "true"
    if table.by == "organism":
        return "organism = ?"
    return f"{table.by} in (select number from {table.by} where organism = ?)"


def _number(organism: Organism | None) -> tuple[int, ...]:
    return () if organism is None else (organism.number,)
