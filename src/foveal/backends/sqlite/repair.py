"""Copies what can be read of a damaged memory file into a new one, and rebuilds what is derived from it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple, cast

import apsw

from foveal.backends.index import is_sound, packed
from foveal.backends.sql.rows import record_of, vitals_values
from foveal.backends.sqlite.connection import DIALECT, Connections, text, translated
from foveal.errors import Corrupt
from foveal.model.record import Record, Vitals
from foveal.model.search import IndexEntry
from foveal.ports.tables import ENCODERS, OWNED, SHARED

# Triggers of the new file derive the tables that are `kept`, and index entries are computed where they are missing.
_TABLES = ("organism", *(table.name for table in (*ENCODERS, *OWNED, *SHARED) if not table.kept))
# The columns that hold JSON, and what stands in them for one that is damaged.
_JSON = {
    **{"metadata": "{}", "tags": "[]", "metadata_json": "{}", "input_json": "{}", "output_json": "{}"},
    **{"options_json": "[]", "state_json": "{}", "data_json": "{}"},
}

_CHECKED = f"""select r.seq, {DIALECT.columns_of_any} from record r
join vitals v on v.organism = r.organism and v.id = r.id"""
_UNTRACED = f"""select r.organism, r.seq, {DIALECT.columns_of_any} from record r
join vitals v on v.organism = r.organism and v.id = r.id
where not exists (select 1 from trace t where t.seq = r.seq) order by r.seq"""
_VERSIONS = "from record r where r.organism = vitals.organism and r.id = vitals.id"
_OTHERS = "from record r where r.organism = record.organism and r.id = record.id"
_TRACES = f"""{text("traces_after").partition("where")[0]} order by t.seq"""


class _Column(NamedTuple):
    name: str
    type: str
    key: int


class Salvage:
    """The copy of one damaged file. `lost` and `mended` say what is missing from it, and what was changed."""

    def __init__(self, source: Path, target: Path) -> None:
        self.rows = self.records = self.rebuilt = 0
        self.lost: list[str] = []
        self.mended: list[str] = []
        self._old = Connections(source, read_only=True)
        with ExitStack() as failed:
            failed.callback(self._old.close)
            self._new = Connections(target)
            failed.pop_all()

    def run(self, entry_of: Callable[[Record], IndexEntry]) -> None:
        """Copy all tables, and compute the index entries that are missing."""
        with self._new.writing() as new, self._old.apart() as old:
            for table in _TABLES:
                self._copy(old, new.connection, table)
            self._drop_unreadable(new.connection)
            self.rebuilt = _rebuild(new.connection, entry_of)
            self.records = int(new.connection.execute("select count(*) from vitals").get)

    def close(self) -> None:
        """Close both files."""
        self._old.close()
        self._new.close()

    def _copy(self, old: apsw.Connection, new: apsw.Connection, table: str) -> None:
        columns = [
            _Column(*row) for row in new.execute("select name, type, pk from pragma_table_info(?)", (table,))
        ]
        names = ", ".join(f'"{column.name}"' for column in columns)
        insert = f"insert into {table} ({names}) values ({', '.join('?' * len(columns))})"
        for raw in self._readable(old, table, columns):
            row = self._mended(table, columns, raw)
            if table == "record":
                _give_vitals(new, dict(zip((column.name for column in columns), row, strict=True)))
            try:
                new.execute(insert, row)
            except (apsw.ConstraintError, apsw.MismatchError) as error:
                self.lost.append(f"{_name(table, columns, row)}: {error}")
            else:
                self.rows += 1

    def _readable(self, old: apsw.Connection, table: str, columns: Sequence[_Column]) -> Iterator[list[Any]]:
        """The rows of a table from its beginning to the first damaged page, and from its end to the last one."""
        keys = [column.name for column in sorted(columns, key=lambda column: column.key) if column.key]
        last: list[Any] = []
        try:
            for last in _raw(old, table, columns, ", ".join(keys)):
                yield last
            return
        except (apsw.CorruptError, apsw.SQLError) as error:
            self.lost.append(f"a part of the table {table}: {error}")
        try:
            for row in _raw(old, table, columns, ", ".join(f"{key} desc" for key in keys)):
                if row == last:
                    return
                yield row
        except (apsw.CorruptError, apsw.SQLError):
            # The same damage, reached from behind.
            return

    def _mended(self, table: str, columns: Sequence[_Column], raw: list[Any]) -> list[Any]:
        """A row with its texts decoded; what cannot be decoded is replaced, and told."""
        row: list[Any] = []
        for column, value in zip(columns, raw, strict=True):
            if column.type == "TEXT" and isinstance(value, bytes):
                value, damaged = _decoded(value)
                if column.name in _JSON and not _is_json(value):
                    value, damaged = _JSON[column.name], True
                if damaged:
                    self.mended.append(f"{column.name} of {_name(table, columns, [*row, *raw[len(row) :]])}")
            row.append(value)
        return row

    def _drop_unreadable(self, new: apsw.Connection) -> None:
        """Remove what arrived but breaks an invariant, and tell it."""
        for seq, *columns in _fetched(new, _CHECKED):
            try:
                record_of(columns)
            except Corrupt as error:
                self.lost.append(f"{error.message.partition(':')[0]}: {error.__cause__}")
                new.execute("delete from record where seq = ?", (seq,))
        for row in _fetched(new, _TRACES):
            if not is_sound(row):
                new.execute("delete from trace where seq = ?", (row[0],))
        new.execute(f"delete from vitals where not exists (select 1 {_VERSIONS})")
        # Where the newest version was lost, the one before it is the newest now.
        new.execute(f"update record set superseded_at = null where version = (select max(version) {_OTHERS})")
        sizes = "select 2 * e.dimension from encoder e where e.number = vector.encoder"
        new.execute(f"delete from vector where not length(data) or length(data) % ({sizes})")


def _raw(old: apsw.Connection, table: str, columns: Sequence[_Column], order: str) -> Iterator[list[Any]]:
    """The rows of a table with texts as bytes, because the driver refuses those it cannot decode."""
    values = ", ".join(
        f'iif(typeof("{column.name}") = \'text\', cast("{column.name}" as blob), "{column.name}")'
        for column in columns
    )
    for row in old.execute(f"select {values} from {table} order by {order}"):
        yield list(row)


def _fetched(db: apsw.Connection, query: str) -> list[Any]:
    return cast(list[Any], db.execute(query).fetchall())


def _decoded(data: bytes) -> tuple[str, bool]:
    """A text, and whether some of it had to be replaced."""
    try:
        return data.decode(), False
    except UnicodeDecodeError:
        return data.decode(errors="replace"), True


def _is_json(value: str) -> bool:
    try:
        json.loads(value)
    except ValueError:
        return False
    return True


def _name(table: str, columns: Sequence[_Column], row: Sequence[Any]) -> str:
    """A row as a report names it: its table and its key, without any other content."""
    keys = [value for column, value in zip(columns, row, strict=True) if column.key or column.name == "id"]
    return f"{table} {' '.join(_decoded(key)[0] if isinstance(key, bytes) else str(key) for key in keys)}"


def _give_vitals(new: apsw.Connection, record: dict[str, Any]) -> None:
    """Give a record whose own vitals were lost those of a new one."""
    own = {"organism": record["organism"], "id": record["id"]}
    known = new.execute("select 1 from vitals where organism = :organism and id = :id", own).get
    if known is None and new.execute("select 1 from organism where number = :organism", own).get is not None:
        values = vitals_values({"organism": record["organism"]}, record["id"], Vitals())
        new.execute(text("add_vitals"), values)


def _rebuild(new: apsw.Connection, entry_of: Callable[[Record], IndexEntry]) -> int:
    """Compute the index entries that are missing. Returns how many there were."""
    rows = _fetched(new, _UNTRACED)
    for organism, seq, *columns in rows:
        trace = packed(entry_of(record_of(columns)))
        new.execute(text("add_trace"), {"organism": organism, "seq": seq, **trace._asdict()})
    return len(rows)


def salvage(source: Path, target: Path, entry_of: Callable[[Record], IndexEntry]) -> Salvage:
    """Copy what can be read of one file into another, which must not exist."""
    done = Salvage(source, target)
    try:
        with translated(source):
            done.run(entry_of)
    finally:
        done.close()
    return done
