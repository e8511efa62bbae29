"""The SQLite dialect, and the connections, locks and migrations of one file."""

from __future__ import annotations

import ctypes
import json
import os
import re
import threading
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from datetime import timedelta
from functools import cache
from importlib import resources
from math import inf
from pathlib import Path
from typing import Any, Literal, cast
from urllib.parse import quote
from uuid import uuid4

import apsw
import numpy as np
from numpy.typing import NDArray

from foveal.backends.sql.rows import from_micros_or_none, listed, record_columns, row_type
from foveal.backends.sql.session import (
    SIGNS,
    Bind,
    Damage,
    Dialect,
    LastCommit,
    Organism,
    Places,
    Step,
    Transaction,
    Values,
    named,
)
from foveal.errors import (
    Conflict,
    Corrupt,
    FovealError,
    NewerSchema,
    NotAMemoryFile,
    ReadOnly,
    StorageFull,
    StoreUnavailable,
)
from foveal.model.query import Op, Viewpoint
from foveal.ports.waiting import acquired, waiting

# Few records share a prefix of this length.
_RARE = 6


@cache
def queries() -> dict[str, str]:
    """Every query by name; those that depend on the viewer contain `{visible}`."""
    return named("foveal.backends.sqlite")


def text(name: str, **parts: str) -> str:
    """The text of a query, with `parts` put into it."""
    query = queries()[name]
    return query.format(**parts) if parts else query


class SqliteDialect(Dialect):
    """The SQLite dialect: values are bound by `:name`, and lists are JSON."""

    everyone = {"organism": None}
    # Where the organism is bound, SQLite evaluates these subqueries once for the whole query.
    column_names = record_columns(
        world="(select world from organism where number = :organism)",
        actor="(select actor from organism where number = :organism)",
    )
    columns = ", ".join(column_names)
    # For records of any organism, they are evaluated for each row.
    columns_of_any = columns.replace(":organism", "r.organism")

    record_key = ("organism",)
    of_organism = "r.organism = :organism"

    def text(self, name: str, **parts: str) -> str:
        """The text of a named query, with `parts` put into it."""
        return text(name, **parts)

    def array(self, values: Iterable[Any]) -> str:
        """A list as a bound value."""
        return listed(list(values))

    def texts(self, values: Iterable[str]) -> str:
        """A list of arbitrary strings as a bound value: lone surrogates are escaped."""
        return json.dumps(list(values))

    def bound(self, name: str) -> str:
        """The placeholder of a bound value."""
        return f":{name}"

    def owned(self, by: str) -> str:
        """The condition for the rows of the bound organism, which name it or something that belongs to it."""
        if by == "organism":
            return "organism = :organism"
        return f"{by} in (select number from {by} where organism = :organism)"

    def vector_values(self, own: Values, rows: NDArray[np.float32]) -> list[dict[str, Any]]:
        """The values that `add_vector` binds: all vectors of a version in one value."""
        return [{**own, "data": rows.astype(np.float16).tobytes()}]

    def vectors_of(self, data: bytes, dimension: int) -> NDArray[np.float16]:
        """The vectors of a version, from the bytes that a query returns."""
        return np.frombuffer(data, np.float16).reshape(-1, dimension)

    def numbers(self, values: NDArray[np.int64]) -> str:
        """A long list of integers as a bound value."""
        return listed(values.tolist())

    def take_places(self, db: Transaction, organism: Organism, regions: Mapping[str, int]) -> Places:
        """Reserve numbers and time slices for new versions; `regions` says how many go into each region."""
        slices = {
            region: db.value("take_slices", {**organism, "region": region, "count": count})
            for region, count in regions.items()
        }
        first = db.value("next_seq")
        floor = from_micros_or_none(db.value("newest_snapshot", organism))
        return Places(range(first, first + sum(regions.values())), slices, floor)

    def same_record(self, one: str, other: str) -> str:
        """The condition that two aliases are versions of the same record."""
        return f"{one}.organism = {other}.organism and {one}.id = {other}.id"

    def unindexed(self, column: str) -> str:
        """A column with a unary plus, for which SQLite uses no index."""
        return f"+{column}"

    def counted(self, ways: Sequence[str]) -> Sequence[str]:
        """Conditions that read the index of each way instead of the whole organism."""
        seqs = " union all ".join(f"select r.seq from record r where {self.of_organism} and {way}" for way in ways)
        return f"+{self.of_organism}", f"r.seq in ({seqs})"

    def under(self, prefix: str, bound: str) -> str:
        """The condition that the digits of a record begin with a prefix, as a range.

        Few records share a long prefix, so the planner should use the index on digits; else the one on time.
        """
        if len(prefix) < _RARE:
            return f"(+r.digits >= {bound} and +r.digits < {bound} || '3')"
        return f"(likelihood(r.digits >= {bound}, 0.001) and likelihood(r.digits < {bound} || '3', 0.001))"

    def has_tag(self, bound: str) -> str:
        """The condition that a record has a tag."""
        return f"exists (select 1 from json_each(r.tags) where value = {bound})"

    def truth(self, column: str) -> str:
        """A boolean as a number, which it already is."""
        return column

    def of_text(self, column: str, op: Op, value: str, bind: Bind) -> str:
        """The comparison of a text with a value."""
        wanted = bind(value)
        if op is Op.CONTAINS:
            return f"instr({column}, {wanted}) > 0"
        if op is Op.PREFIX:
            return f"substr({column}, 1, length({wanted})) = {wanted}"
        return f"{column} {SIGNS[op]} {wanted}"

    def of_number(self, column: str, op: Op, value: float, bind: Bind) -> str:
        """The comparison of a number with a value."""
        return f"{column} {SIGNS[op]} {bind(value)}"

    def among(self, column: str, values: Sequence[str | float], bind: Bind) -> str:
        """The condition that a column has one of these values."""
        return f"{column} in (select value from json_each({bind(json.dumps(values))}))"

    def in_metadata(self, path: Sequence[str], op: Op, value: str | float | None, bind: Bind) -> str:
        """The comparison of the metadata at a path with a value."""
        place = bind(_json_path(path))
        stored = f"json_extract(r.metadata, {place})"
        if value is None:
            return f"{stored} is null"
        if not isinstance(value, str):
            return f"({_has_type(place, value)} and {self.of_number(stored, op, value, bind)})"
        text = f"({_has_type(place, value)} and {self.of_text(stored, op, value, bind)})"
        if op is not Op.CONTAINS:
            return text
        items = f"json_each(r.metadata, {place}) where type = 'text' and value = {bind(value)}"
        return (
            f"case json_type(r.metadata, {place}) when 'array' then exists (select 1 from {items}) "
            f"when 'text' then {text} else false end"
        )

    def among_metadata(self, path: Sequence[str], values: Sequence[str | float], bind: Bind) -> str:
        """The condition that the metadata at a path has one of these values."""
        place = bind(_json_path(path))
        among = self.among(f"json_extract(r.metadata, {place})", values, bind)
        return f"({_has_type(place, values[0])} and {among})"


DIALECT = SqliteDialect()


def _json_path(path: Sequence[str]) -> str:
    return "$" + "".join(f".{json.dumps(key, ensure_ascii=False)}" for key in path)


def _has_type(place: str, value: str | float) -> str:
    types = "('text')" if isinstance(value, str) else "('integer', 'real', 'true', 'false')"
    return f"json_type(r.metadata, {place}) in {types}"


APPLICATION_ID = 0x466F7665  # "Fove"
# After the shorter time, a thread that waits for another process lends its place to others.
BUSY_MILLISECONDS, BRIEF_MILLISECONDS = 30_000, 20
# The path of a memory that is in no file and is lost with its process.
IN_MEMORY = Path(":memory:")
# SQLite allocates a database in memory as one block, of this size at most; its default limit is half of it.
MOST_BYTES_IN_MEMORY = 0x7FFF_0000

Synchronous = Literal["NORMAL", "FULL"]

_MEANINGS: dict[type[apsw.Error], type[FovealError]] = {
    apsw.BusyError: StoreUnavailable,
    apsw.LockedError: StoreUnavailable,
    apsw.CantOpenError: StoreUnavailable,
    apsw.IOError: StoreUnavailable,
    apsw.FullError: StorageFull,
    apsw.ReadOnlyError: ReadOnly,
    apsw.NotADBError: NotAMemoryFile,
    apsw.CorruptError: Corrupt,
    apsw.ConstraintError: Conflict,
}


# How SQLite refuses a statement because of what it reads: JSON or a schema that was damaged.
_IN_DAMAGED_ROWS = re.compile("malformed|no such (table|column)")


@contextmanager
def translated(path: Path) -> Generator[None, None, None]:
    """Translate errors of the driver to ours, with the driver's error as the cause."""
    try:
        yield
    except apsw.ConnectionClosedError:
        raise StoreUnavailable(f"the memory {path} is closed") from None
    except apsw.Error as error:
        meaning = _MEANINGS.get(type(error), StoreUnavailable)
        if isinstance(error, apsw.SQLError) and _IN_DAMAGED_ROWS.search(str(error)):
            meaning = Corrupt
        if meaning is Corrupt and (failure := _read_failure(path)):
            # SQLite calls a file damaged that the disk cannot read.
            raise StoreUnavailable(f"{path}: {failure.strerror}", path=str(path)) from failure
        raise meaning(f"{path}: {error}", path=str(path)) from error


def _read_failure(path: Path) -> OSError | None:
    """The error with which the disk refuses to read a file, or None if it can be read."""
    try:
        with path.open("rb", buffering=0) as file:
            while file.read(1 << 20):
                pass
    except FileNotFoundError:
        return None
    except OSError as error:
        return error
    return None


def migrations() -> list[str]:
    """The scripts that create the schema, in order; their count is its version."""
    folder = resources.files("foveal.backends.sqlite").joinpath("migrations")
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)
    return [file.read_text(encoding="utf-8") for file in files]


# The queries whose rows are checked one by one, so that a damaged one costs no other.
_CHECKED = frozenset(
    {
        *("records_in_time", "traces_after", "links_of", "edges_of", "groups_of", "sessions_seen", "snapshots_of"),
        *("fragments_of", "recollections_of", "recollections_of_record", "recollected_seen", "moves"),
        *("renditions_seen", "tapes_of"),
    }
)


def _damaged(query: str) -> Corrupt:
    return Corrupt(f"a row for {query} is damaged and cannot be read: run foveal repair")


def _decoded(data: bytes) -> str | bytes:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


class SqliteTransaction(Transaction):
    """A transaction on one connection."""

    __slots__ = ("_organism", "_names", "connection")

    nobody = {"organism": -1}

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self._names: tuple[str, str] | None = None
        self._organism: Organism | None = None

    def run(self, name: str, values: Values | None = None, **parts: str) -> list[Any]:
        """All rows of a query, with `parts` put into its text and `values` bound.

        A damaged text is bytes in a row with the columns of a record or of the index, which are checked one by one.
        Anywhere else it is `Corrupt`.
        """
        cursor = self.connection.execute(text(name, **parts), values or ())
        try:
            return cast(list[Any], cursor.fetchall())
        except UnicodeDecodeError as error:
            if "columns" not in parts and name not in _CHECKED:
                raise _damaged(name) from error
            width = len(cursor.get_description())
            return self._decoded(text(name, **parts), values or (), width)

    def _decoded(self, query: str, values: Values | tuple[()], width: int) -> list[Any]:
        """The rows of a query, some of which the driver cannot decode; the texts it cannot decode are bytes."""
        columns = [f"c{place}" for place in range(width)]
        raw = ", ".join(f"iif(typeof({c}) = 'text', cast({c} as blob), {c}), typeof({c}) = 'text'" for c in columns)
        cursor = self.connection.execute(
            f"with found({', '.join(columns)}) as ({query}) select {raw} from found", values
        )
        return [
            tuple(_decoded(value) if is_text else value for value, is_text in zip(row[::2], row[1::2], strict=True))
            for row in cursor
        ]

    def rows(self, name: str, values: Values | None = None, **parts: str) -> list[Any]:
        """All rows of a query, with their columns as attributes; damaged texts as in `run`."""
        cursor = self.connection.execute(text(name, **parts), values or ())
        try:
            columns = tuple(column for column, *_ in cursor.get_description())
        except apsw.ExecutionCompleteError:  # there are no rows
            return []
        try:
            found = cast(list[Any], cursor.fetchall())
        except UnicodeDecodeError as error:
            if "columns" not in parts and name not in _CHECKED:
                raise _damaged(name) from error
            found = self._decoded(text(name, **parts), values or (), len(columns))
        return list(map(row_type(columns)._make, found))

    def stream(self, name: str, values: Values | None = None) -> Iterator[Any]:
        """The rows of a query one by one."""
        try:
            yield from self.connection.execute(text(name), values or ())
        except UnicodeDecodeError as error:
            raise _damaged(name) from error

    def change(self, name: str, values: Values | None = None, **parts: str) -> int:
        """Run a query that returns no rows. Returns how many rows it changed."""
        self.connection.execute(text(name, **parts), values or ())
        return self.connection.changes()

    def batch(self, *steps: Step) -> None:
        """Run each query once for each of its rows, in order."""
        for name, rows in steps:
            if rows:
                self.connection.executemany(text(name), rows)

    def lock(self, name: str, values: Values | None = None) -> None:
        """Do nothing: a write transaction locks the whole file."""

    def server_time(self) -> None:
        """None: the processes of a file share the clock of their machine."""

    def last_commit(self) -> LastCommit:
        """The connection and SQLite's `data_version`, which changes when another connection commits."""
        return LastCommit(self.connection, int(self.connection.pragma("data_version")))

    def organism(self, viewpoint: Viewpoint) -> Organism | None:
        """The organism of a viewpoint, if it has one."""
        if viewpoint.organism != self._names:
            number = self.value("organism_of", {"world": viewpoint.world, "actor": viewpoint.actor_id})
            self._names, self._organism = viewpoint.organism, None if number is None else {"organism": number}
        return self._organism

    def own_organism(self, viewpoint: Viewpoint) -> Organism:
        """The organism of a viewpoint, created if necessary."""
        if self.organism(viewpoint) is None:
            names = {"world": viewpoint.world, "actor": viewpoint.actor_id}
            self._organism = {"organism": self.value("add_organism", names)}
        return self.existing_organism(viewpoint)


class ReadWriteLock:
    """A fair lock for any number of reading threads or one writing thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._queue: deque[object] = deque()
        self._readers: Counter[int] = Counter()
        self._writer: int | None = None

    def refuse_reader(self) -> None:
        """Raise an error if this thread is reading: as a writer it would wait for itself."""
        if threading.get_ident() in self._readers:
            raise StoreUnavailable("a memory in RAM cannot be written to inside a transaction that reads it")

    @contextmanager
    def reading(self) -> Generator[None, None, None]:
        """Hold the lock as one of many readers. A thread may do so several times."""
        me = threading.get_ident()
        with self._changed:
            if self._writer == me:
                raise StoreUnavailable("a memory in RAM cannot be read inside a transaction that writes to it")
            # A thread that is already reading must not queue: a writer ahead of it would wait for it.
            if me not in self._readers:
                self._wait_until(lambda: self._writer is None)
            self._readers[me] += 1
        try:
            yield
        finally:
            with self._changed:
                self._readers[me] -= 1
                if not self._readers[me]:
                    del self._readers[me]
                    self._changed.notify_all()

    @contextmanager
    def writing(self) -> Generator[None, None, None]:
        """Hold the lock as the only writer, without readers."""
        me = threading.get_ident()
        with self._changed:
            self._wait_until(lambda: self._writer is None and not self._readers)
            self._writer = me
        try:
            yield
        finally:
            with self._changed:
                self._writer = None
                self._changed.notify_all()

    def _wait_until(self, free: Callable[[], bool]) -> None:
        ticket = object()
        self._queue.append(ticket)
        try:
            self._changed.wait_for(lambda: self._queue[0] is ticket and free())
        finally:
            self._queue.remove(ticket)
            # The next in the queue may be a reader, which can join this one.
            self._changed.notify_all()


class Connections:
    """The connections of this process to one file: one writer, and as many readers as needed.

    At `:memory:` they share a database in memory, which no other process can open and which is freed with the last
    connection. It has no write-ahead log: SQLite refuses a read while another connection writes and a commit while
    another one reads, and its busy handler polls every few milliseconds. The lock used here is fair and does not
    poll.
    """

    def __init__(
        self,
        path: Path,
        *,
        synchronous: Synchronous = "NORMAL",
        read_only: bool = False,
        timeout: timedelta | None = None,
    ) -> None:
        self.path = path
        self._busy = BUSY_MILLISECONDS if timeout is None else int(timeout / timedelta(milliseconds=1))
        self._synchronous = synchronous
        self._read_only = read_only or _is_protected(path)
        self._writing = threading.Lock()
        self._idle: list[apsw.Connection] = []
        self._all: list[apsw.Connection] = []
        self._closed = False
        self.in_memory = path == IN_MEMORY
        self._name = f"file:/foveal-{uuid4().hex}?vfs=memdb" if self.in_memory else str(path)
        self._lock = ReadWriteLock() if self.in_memory else None
        self.damage = Damage()
        # Whether the log still holds erased data, because a reader needed it.
        self._uncut = False
        if path.is_dir():
            raise NotAMemoryFile(f"{path} is a folder, not a memory file", path=str(path))
        if read_only and not path.exists():
            raise NotAMemoryFile(f"there is no memory file at {path}", path=str(path))
        if not self.in_memory:
            _require_whole(path)
        self._immutable = self._read_only and _is_alone(path)
        if self._immutable:
            self._name = f"file:{quote(str(path.absolute()))}?immutable=1"
        with translated(path):
            if not self._read_only and not self.in_memory:
                _make_private(path.parent)
            with ExitStack() as failed:
                self._writer = self._open()
                failed.callback(self._writer.close)
                self._prepare()
                failed.pop_all()

    def _open(self) -> apsw.Connection:
        flags = (
            apsw.SQLITE_OPEN_READONLY if self._read_only else (apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
        )
        if self.in_memory or self._immutable:
            flags |= apsw.SQLITE_OPEN_URI
        db = apsw.Connection(self._name, flags=flags)
        self._all.append(db)
        db.set_busy_timeout(self._busy)
        # Make plans independent of bound values. Otherwise SQLite would plan most statements again at each call,
        # which costs far more than running them.
        db.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        db.execute("pragma foreign_keys = on")
        db.execute("pragma secure_delete = on")
        db.execute(f"pragma synchronous = {self._synchronous}")
        db.execute("pragma temp_store = memory")
        return db

    def _prepare(self) -> None:
        """Create or upgrade the schema, or refuse a file that is not ours."""
        scripts = migrations()
        with self._transaction("deferred"):
            # In one transaction, because another process may be creating the file.
            version = self._accepted(len(scripts))
        if self._read_only:
            if version < len(scripts):
                raise ReadOnly(
                    f"{self.path} has schema {version} and this release of Foveal reads {len(scripts)}: "
                    "open it once for writing, which upgrades it",
                    path=str(self.path),
                )
            return
        if version == len(scripts):
            # A process that was killed while it created the file may not have got this far.
            if self._writer.pragma("journal_mode") != "wal":
                self._use_wal()
            return
        if self.in_memory:
            most = ctypes.c_int64(MOST_BYTES_IN_MEMORY)
            self._writer.file_control("main", apsw.SQLITE_FCNTL_SIZE_LIMIT, ctypes.addressof(most))
        else:
            self.path.chmod(0o600)
        with self._transaction():
            # Another process may have run some of the scripts meanwhile.
            for number in range(self._accepted(len(scripts)), len(scripts)):
                self._writer.execute(scripts[number])
                self._writer.execute(f"pragma user_version = {number + 1}")
            self._writer.execute(f"pragma application_id = {APPLICATION_ID}")
        if not self.in_memory:
            self._use_wal()

    def _accepted(self, newest: int) -> int:
        db = self._writer
        application, version = db.pragma("application_id"), db.pragma("user_version")
        empty = not db.execute("select exists (select 1 from sqlite_schema)").get
        if application != APPLICATION_ID and not (empty and application == 0):
            raise NotAMemoryFile(f"{self.path} is a database of another application", path=str(self.path))
        if version > newest:
            raise NewerSchema(
                f"{self.path} has schema {version} and this release of Foveal knows {newest}: upgrade Foveal",
                path=str(self.path),
            )
        return int(version)

    def _use_wal(self) -> None:
        # Several processes may create the file at once, and this statement does not wait for a lock. Taking the
        # write lock in between does.
        for _ in range(100):
            try:
                if self._writer.pragma("journal_mode", "wal") == "wal":
                    return
            except apsw.BusyError:
                pass
            with self._transaction():
                pass
        raise StoreUnavailable(f"{self.path} cannot be switched to write-ahead logging", path=str(self.path))

    @contextmanager
    def _transaction(
        self, kind: Literal["immediate", "deferred"] = "immediate", *, wait: bool = True
    ) -> Generator[None, None, None]:
        self._begin(kind, wait=wait)
        try:
            yield
            self._writer.execute("commit")
        finally:
            if self._writer.in_transaction:
                self._writer.execute("rollback")

    def _begin(self, kind: str, *, wait: bool) -> None:
        self._writer.set_busy_timeout(BRIEF_MILLISECONDS if wait else 0)
        try:
            self._writer.execute(f"begin {kind}")
        except apsw.BusyError:
            if not wait:
                raise
            with waiting():
                self._writer.set_busy_timeout(self._busy)
                self._writer.execute(f"begin {kind}")
        finally:
            self._writer.set_busy_timeout(self._busy if wait else 0)

    @contextmanager
    def writing(
        self, viewpoint: Viewpoint | None = None, *, wait: bool = True, alone: bool = False
    ) -> Generator[SqliteTransaction, None, None]:
        """A write transaction, which holds the write lock: all of it happens, or none.

        It is always the only one, and covers every organism. Without `wait` it raises `StoreUnavailable` if another
        holds the lock. In RAM it waits for readers even then, which does not take long.
        """
        with self._alone(wait=wait):
            self._require_open()
            if self._read_only:
                raise ReadOnly(f"{self.path} was opened read-only", path=str(self.path))
            with self._transaction(wait=wait):
                yield SqliteTransaction(self._writer)
        self._cut_later()

    @contextmanager
    def reading(
        self, viewpoint: Viewpoint | None = None, *, newest: bool = False
    ) -> Generator[SqliteTransaction, None, None]:
        """A read transaction, which sees one state of the file."""
        with translated(self.path), self._beside_readers():
            self._require_open()
            try:
                db = self._idle.pop()
            except IndexError:
                db = self._open()
            try:
                db.execute("begin")
                yield SqliteTransaction(db)
            finally:
                if db.in_transaction:
                    db.execute("rollback")
                self._idle.append(db)
        self._cut_later()

    @contextmanager
    def apart(self) -> Generator[apsw.Connection, None, None]:
        """A separate connection, for long work that must block neither readers nor writers."""
        with translated(self.path), self._beside_readers():
            self._require_open()
            db = self._open()
            try:
                yield db
            finally:
                self._all.remove(db)
                db.close()

    @contextmanager
    def maintaining(self) -> Generator[apsw.Connection, None, None]:
        """The writer's connection outside any transaction, for statements that cannot run inside one."""
        with self._alone():
            self._require_open()
            yield self._writer

    @contextmanager
    def _alone(self, *, wait: bool = True) -> Generator[None, None, None]:
        """Hold the writer's lock."""
        if self._lock is not None:
            # First of all: a writer that waits for this reader may hold the lock below.
            self._lock.refuse_reader()
        if not (acquired(self._writing, inf) if wait else self._writing.acquire(blocking=False)):
            raise StoreUnavailable(f"{self.path}: another thread writes")
        try:
            with translated(self.path), nullcontext() if self._lock is None else self._lock.writing():
                yield
        finally:
            self._writing.release()

    def _beside_readers(self) -> AbstractContextManager[None]:
        return nullcontext() if self._lock is None else self._lock.reading()

    def cut_log(self) -> bool:
        """Write the log back and truncate it, so that no file has removed data; False while a reader needs it."""
        if self.in_memory:
            return True
        with self.maintaining() as db:
            # Do not wait for readers: every writer of this process would wait too.
            db.set_busy_timeout(0)
            try:
                self._uncut = db.execute("pragma wal_checkpoint(truncate)").fetchall()[0][0] != 0
            finally:
                db.set_busy_timeout(self._busy)
            return not self._uncut

    def _cut_later(self) -> None:
        """Try again to truncate a log that a reader needed, unless a thread writes, which tries it afterwards."""
        if self._uncut and not self._closed and self._writing.acquire(blocking=False):
            self._writing.release()
            with suppress(StoreUnavailable):
                self.cut_log()

    def stored(self, count: int) -> None:
        """Does nothing: SQLite needs no statistics for the queries here."""

    def _require_open(self) -> None:
        if self._closed:
            raise StoreUnavailable(f"the memory {self.path} is closed")

    def close(self) -> None:
        """Close every connection of this process to the file."""
        with self._alone():
            self._closed = True
            for db in self._all:
                db.close()
            self._all.clear()
            self._idle.clear()


# The smallest page of a database.
_SMALLEST = 512
_MAGIC = b"SQLite format 3\x00"


def _require_whole(path: Path) -> None:
    """Refuse a file that was cut off: SQLite would take it for a new database, and discard its log."""
    log = _log_of(path)
    size = path.stat().st_size if path.exists() else 0
    if size == 0 and log.exists() and log.stat().st_size:
        raise Corrupt(
            f"{path} is {'empty' if path.exists() else 'gone'}, but its log {log} is not: restore the file from a "
            "backup, or remove the log to start anew",
            path=str(path),
        )
    if 0 < size < _SMALLEST:
        if _MAGIC.startswith(path.read_bytes()[: len(_MAGIC)]):
            raise Corrupt(f"{path} was cut to {size} bytes: restore it from a backup", path=str(path))
        raise NotAMemoryFile(f"{path} is not a memory file: it has {size} bytes", path=str(path))


def _log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _is_protected(path: Path) -> bool:
    """Whether a file exists but cannot be written, because of its permissions or a read-only mount."""
    if not path.is_file():
        return False
    if not os.access(path, os.W_OK):
        return True
    return not os.access(path.parent, os.W_OK) and not _log_of(path).exists()


def _is_alone(path: Path) -> bool:
    """Whether a file must be read without a log, because its folder cannot hold one.

    Raises `ReadOnly` if there is a log that holds writes, and cannot be read without writing beside it.
    """
    if not path.is_file() or os.access(path.parent, os.W_OK) or path.with_name(f"{path.name}-shm").exists():
        return False
    log = _log_of(path)
    if log.exists() and log.stat().st_size:
        raise ReadOnly(
            f"the last writes to {path} are in {log.name}, which cannot be read in a folder without write access: "
            "copy both into another folder, and open the copy",
            path=str(path),
        )
    return True


def _make_private(folder: Path) -> None:
    try:
        for parent in [*reversed(folder.parents), folder]:
            parent.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise NotAMemoryFile(f"the folder {folder} cannot be made: {error.strerror}", path=str(folder)) from error
