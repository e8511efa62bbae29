"""Opens a database: connection pools, transactions, the replica, retries and error translation."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from datetime import timedelta
from functools import lru_cache, partial, wraps
from inspect import isgeneratorfunction, ismethod, signature
from time import monotonic
from typing import Any, LiteralString, cast

import psycopg
from psycopg import errors, sql
from psycopg.conninfo import conninfo_to_dict
from psycopg_pool import ConnectionPool, PoolTimeout, TooManyRequests

from foveal.backends.postgres.dialect import Link, PostgresTransaction, adapt, text
from foveal.backends.postgres.gates import Gates
from foveal.backends.postgres.schema import migrations, prepare, require_own_session
from foveal.backends.postgres.watch import Hosts, Watch, WatchedConnection, defaults_for
from foveal.backends.sql.session import Damage
from foveal.errors import (
    Conflict,
    Corrupt,
    Forbidden,
    FovealError,
    Invalid,
    ReadOnly,
    StorageFull,
    StoreUnavailable,
    Unsupported,
)
from foveal.model.query import Viewpoint
from foveal.ports.waiting import waiting

# The first match counts.
_MEANINGS: tuple[tuple[type[psycopg.Error], type[FovealError]], ...] = (
    (errors.DiskFull, StorageFull),
    (errors.ReadOnlySqlTransaction, ReadOnly),
    (errors.InsufficientPrivilege, Forbidden),
    (errors.DataCorrupted, Corrupt),
    (errors.IndexCorrupted, Corrupt),
    (errors.IntegrityError, Conflict),
    (errors.FeatureNotSupported, Unsupported),
    (psycopg.DataError, Invalid),
    (psycopg.Error, StoreUnavailable),
)
# The database rolled the transaction back in favour of another one: the same call may be made again.
_GAVE_WAY = (errors.SerializationFailure, errors.DeadlockDetected)


@contextmanager
def translated(where: str) -> Generator[None, None, None]:
    """Translate errors of the driver to ours, with the driver's error as the cause."""
    try:
        yield
    except (PoolTimeout, TooManyRequests) as error:
        raise StoreUnavailable(f"{where}: {error}") from error
    except psycopg.Error as error:
        meaning = next(ours for theirs, ours in _MEANINGS if isinstance(error, theirs))
        lines = str(error).strip().splitlines()
        raise meaning(f"{where}: {lines[0] if lines else type(error).__name__}") from error


def gave_way(error: FovealError) -> bool:
    """Whether a call failed only because another transaction took precedence."""
    return isinstance(error.__cause__, _GAVE_WAY)


LOCK_MILLISECONDS = 10_000
# Every transaction begins with a query for its organism, which each connection prepares once.
FIND, HOLD, HOLD_AT_ONCE = "foveal_find", "foveal_hold", "foveal_hold_at_once"
_LOCKS: dict[LiteralString, LiteralString] = {FIND: "", HOLD: " for update", HOLD_AT_ONCE: " for update nowait"}
_PREPARED = sql.SQL("; ").join(
    sql.SQL(f"prepare {name} (text, text) as select number from organism where world = $1 and actor = $2{lock}")
    for name, lock in _LOCKS.items()
)
_SLICE = 0.25


class Pool:
    """Connections to one server, opened when needed and dropped when the server is gone."""

    def __init__(self, url: str, where: str, size: int, wait: float, *, statement_seconds: float) -> None:
        self.where, self.size = where, size
        self._wait = wait
        self._limit = sql.SQL("set statement_timeout to {}").format(int(1000 * statement_seconds))
        self._away = threading.Event()
        self._hosts = Hosts()
        self._watch = Watch(url, self._hosts)
        self._pool: ConnectionPool[WatchedConnection] = ConnectionPool(
            url,
            connection_class=WatchedConnection,
            kwargs={"autocommit": True, "hosts": self._hosts, **defaults_for(url)},
            configure=partial(_configure, self._limit),
            min_size=0,
            max_size=size,
            open=False,
            reconnect_timeout=0,
            reconnect_failed=lambda _: self._away.set(),
            # A server that does not answer keeps one of them busy until the attempt times out.
            num_workers=3,
        )
        self._pool.open()

    def begin(self, script: bytes) -> tuple[Link, list[Any]]:
        """A connection that has run the script, and the result of each statement.

        Connections that broke while they were idle are skipped, because nothing has happened on them.
        """
        left = self.size
        while True:
            connection = self._take()
            with ExitStack() as failed:
                failed.callback(self.give_back, connection)
                try:
                    results = started(connection, script)
                except psycopg.OperationalError:
                    if not connection.closed or not left:
                        raise
                    left -= 1
                    continue
                failed.pop_all()
            return connection, results

    def _take(self) -> Link:
        self._away.clear()
        until = monotonic() + self._wait
        while True:
            try:
                connection = self._pool.getconn(timeout=min(_SLICE, max(0.01, until - monotonic())))
            except PoolTimeout as error:
                if self._away.is_set():
                    raise StoreUnavailable(f"{self.where} does not answer") from error
                if monotonic() >= until:
                    raise StoreUnavailable(
                        f"{self.where}: all {self.size} connections were busy for {self._wait:g} seconds: "
                        "try again, or raise the setting `postgres.pool_size`"
                    ) from error
                continue
            if not self._hosts.was_left(connection):
                self._watch.taken(connection)
                return connection
            connection.close()
            self._pool.putconn(connection)

    def give_back(self, connection: Link, *, limited: bool = True) -> None:
        """Take a connection back, whatever state it is in; one that is not `limited` gets its time limit again."""
        try:
            if not connection.closed and connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
                connection.execute("rollback")
            if not connection.closed and not limited:
                connection.execute(self._limit)
        except psycopg.Error:
            connection.close()
        self._watch.returned(connection)
        self._pool.putconn(cast(WatchedConnection, connection))

    def close(self) -> None:
        """Close every connection."""
        self._watch.close()
        self._pool.close()


def started(connection: Link, script: bytes) -> list[Any]:
    """Run the script that begins a transaction. Returns the result of each statement."""
    try:
        return _firsts(connection.execute(script))
    except psycopg.errors.InvalidSqlStatementName:
        # The driver discards all prepared statements when a table or an index is dropped.
        connection.execute("rollback")
        connection.execute(_PREPARED)
        return _firsts(connection.execute(script))


def last(cursor: psycopg.Cursor[Any]) -> Any:
    """The first column of the first row of the last of several statements."""
    return _firsts(cursor)[-1]


def _firsts(cursor: psycopg.Cursor[Any]) -> list[Any]:
    """The first column of the first row of each of several statements, or None."""
    values: list[Any] = []
    while True:
        rows = cursor.fetchall() if cursor.description else []
        values.append(rows[0][0] if rows else None)
        if not cursor.nextset():
            return values


def _configure(limit: sql.Composed, connection: Link) -> None:
    """Set up a new connection."""
    home = connection.execute(
        "select n.nspname, t.oid from pg_extension e join pg_namespace n on n.oid = e.extnamespace "
        "join pg_type t on t.typname = 'halfvec' and t.typnamespace = n.oid where e.extname = 'vector'"
    ).fetchone()
    schema = home[0] if home else "public"
    connection.execute(
        sql.SQL(
            "set search_path to foveal, {}; set lock_timeout to {}; set client_min_messages to warning; "
            "set hnsw.iterative_scan to relaxed_order; set hnsw.ef_search to 400"
        ).format(sql.Identifier(schema), sql.Literal(LOCK_MILLISECONDS))
        + sql.SQL("; ")
        + limit
        + sql.SQL("; ")
        + _PREPARED
    )
    if home:
        adapt(connection, home[1])


NEWEST = b"select pg_current_wal_insert_lsn()::text"
_REPLAYED = b"select pg_last_wal_replay_lsn()::text"
# For so many seconds a replica that did not answer is not used.
_REST = 1.0


class Replica:
    """A server that follows the primary, and is read only if it has replayed enough of the log.

    The position of the primary is read from time to time. A replica that has replayed the log up to the position at
    some moment has everything that was acknowledged before it. It must also have all that this process wrote.
    """

    def __init__(self, pool: Pool, primary: Pool, staleness: timedelta) -> None:
        self._pool, self._primary = pool, primary
        self._staleness = staleness.total_seconds()
        self._lock = threading.Lock()
        self._own = 0
        self._seen: deque[tuple[float, int]] = deque()
        self._rests_until = 0.0

    def wrote(self, position: str) -> None:
        """Note the position of the primary after a write of this process."""
        with self._lock:
            self._own = max(self._own, _number(position))

    def begin(self, script: bytes) -> tuple[Link, Any] | None:
        """A connection that has run the script, with its last result; None if the primary must be read."""
        if monotonic() < self._rests_until:
            return None
        needed = self._needed()
        try:
            connection, results = self._pool.begin(_REPLAYED)
        except StoreUnavailable:
            self._rests_until = monotonic() + _REST
            return None
        try:
            # Checked before the transaction begins, which then sees at least as much.
            if results[-1] is not None and _number(results[-1]) >= needed:
                return connection, started(connection, script)[-1]
        except psycopg.Error:
            self._pool.give_back(connection)
            raise
        self._pool.give_back(connection)
        return None

    def give_back(self, connection: Link) -> None:
        """Take a connection back."""
        self._pool.give_back(connection)

    def _needed(self) -> int:
        now = monotonic()
        with self._lock:
            while self._seen and self._seen[0][0] < now - self._staleness:
                self._seen.popleft()
            if self._seen and self._seen[-1][0] >= now - self._staleness / 2:
                return max(self._own, self._seen[0][1])
        # Queried outside the lock, so that other threads can use the known positions.
        connection, results = self._primary.begin(NEWEST)
        self._primary.give_back(connection)
        with self._lock:
            # The position is valid for the time before the query.
            self._seen.append((now, _number(results[-1])))
            return max(self._own, self._seen[0][1])

    def close(self) -> None:
        """Close every connection to the replica."""
        self._pool.close()


def _number(position: str) -> int:
    """A position in the log of the primary, as a number.

    >>> _number("1/A") == (1 << 32) + 10
    True
    """
    high, _, low = position.partition("/")
    return (int(high, 16) << 32) + int(low, 16)


# Transactions that write vectors share this lock; one that changes the encoder in use holds it alone.
_ENCODER_LOCK = 0x466F7665

_READ = "begin isolation level repeatable read read only;"
# Triggers run for every row, so their plans must be made once and not each time.
_WRITE = "begin; set local plan_cache_mode to force_generic_plan;"
_COMMIT = b"commit;"
_EVERY_WORLD = "set local foveal.every_world to 'on'"
_ORGANISM = "set local foveal.world to {world}; execute {query}({world}, {actor})"


class Connections:
    """The transactions of this process on one database."""

    def __init__(self, primary: Pool, replica: Pool | None = None, *, staleness: timedelta = timedelta()) -> None:
        self.where = primary.where
        self._closed = False
        self.damage = Damage()
        self._primary = primary
        self._gates = Gates(primary.where, LOCK_MILLISECONDS / 1000)
        # Waiting for the lock of another process takes a connection; half of them are for calls that need not wait.
        self._waiting = threading.Semaphore(max(1, primary.size // 2))
        self._replica = Replica(replica, primary, staleness) if replica else None
        self._stored, self._analyze_at = 0, 100

    @contextmanager
    def writing(
        self, viewpoint: Viewpoint | None = None, *, wait: bool = True, alone: bool = False
    ) -> Generator[PostgresTransaction, None, None]:
        """A write transaction, the only one on its organism: all of it happens, or none.

        Without a viewpoint it covers every world and locks no organism. `alone` keeps all others from writing
        vectors. Without `wait` it raises `StoreUnavailable` if another transaction writes to the organism.
        """
        lock = "pg_advisory_xact_lock" if alone else "pg_advisory_xact_lock_shared"
        begin = f"{_WRITE} select {lock}({_ENCODER_LOCK});"
        gate = nullcontext() if viewpoint is None else self._gates.passing(viewpoint.organism, wait=wait)
        with gate, self._locked(begin, viewpoint, wait=wait) as db:
            yield db
            if self._replica is None:
                db.connection.execute("commit")
            else:
                self._replica.wrote(last(db.connection.execute(_COMMIT + NEWEST)))

    @contextmanager
    def _locked(
        self, begin: str, viewpoint: Viewpoint | None, *, wait: bool
    ) -> Generator[PostgresTransaction, None, None]:
        """A transaction that holds the lock of its organism.

        If another process holds it, only so many connections wait for it that the others do not run short.
        """
        longest, until = LOCK_MILLISECONDS / 1000, monotonic() + LOCK_MILLISECONDS / 1000
        with ExitStack() as held:
            try:
                at_once = _script(begin, viewpoint, HOLD_AT_ONCE)
                db = held.enter_context(self._transaction(at_once, viewpoint))
            except StoreUnavailable as error:
                if not wait or not isinstance(error.__cause__, errors.LockNotAvailable) or monotonic() > until:
                    raise
                with waiting():
                    if not self._waiting.acquire(timeout=longest):
                        raise StoreUnavailable(
                            f"{self.where}: others wait for their memories for {longest:g} s: try again"
                        ) from error
                    try:
                        db = held.enter_context(self._transaction(_script(begin, viewpoint, HOLD), viewpoint))
                    finally:
                        self._waiting.release()
            yield db

    @contextmanager
    def reading(
        self, viewpoint: Viewpoint | None = None, *, newest: bool = False
    ) -> Generator[PostgresTransaction, None, None]:
        """A read transaction, which sees one state of one world, or without a viewpoint of all worlds.

        With `newest` it never uses the replica, which may lag behind.
        """
        script = _script(_READ, viewpoint, FIND)
        if self._replica and not newest and not self._closed:
            with translated(self.where):
                begun = self._replica.begin(script)
                if begun:
                    connection, number = begun
                    try:
                        yield PostgresTransaction(connection, viewpoint, number)
                    finally:
                        self._replica.give_back(connection)
                    return
        with self._transaction(script, viewpoint) as db:
            yield db

    @contextmanager
    def _transaction(
        self, script: bytes, viewpoint: Viewpoint | None
    ) -> Generator[PostgresTransaction, None, None]:
        if self._closed:
            raise StoreUnavailable(f"the memory {self.where} is closed")
        with translated(self.where):
            connection, results = self._primary.begin(script)
            try:
                yield PostgresTransaction(connection, viewpoint, results[-1])
            finally:
                self._primary.give_back(connection)

    @contextmanager
    def apart(self) -> Generator[Link, None, None]:
        """A connection outside any transaction, for statements that may take long."""
        with translated(self.where):
            connection, _ = self._primary.begin(b"set statement_timeout to 0")
            try:
                yield connection
            finally:
                self._primary.give_back(connection, limited=False)

    def cut_log(self) -> bool:
        """Always True: the server clears removed data when it vacuums."""
        return True

    def stored(self, count: int) -> None:
        """Collect statistics early: without those of new tables, the server chooses slow plans."""
        self._stored += count
        if self._stored >= self._analyze_at:
            while self._analyze_at <= self._stored:
                self._analyze_at *= 10
            # The records are stored already, and the server collects statistics by itself in time.
            with suppress(FovealError), self.apart() as connection:
                connection.execute(text("count_tables").encode())

    def close(self) -> None:
        """Close every connection of this process to the database."""
        self._closed = True
        self._primary.close()
        if self._replica:
            self._replica.close()


def _script(begin: str, viewpoint: Viewpoint | None, query: str) -> bytes:
    """The statements that begin a transaction, as one message to the server; `query` finds the organism."""
    return _about(begin, query, *((None, None) if viewpoint is None else viewpoint.organism))


@lru_cache(maxsize=1024)
def _about(begin: str, query: str, world: str | None, actor: str | None) -> bytes:
    if world is None:
        return (begin + _EVERY_WORLD).encode()
    script = sql.SQL(begin + _ORGANISM)  # pyright: ignore[reportArgumentType]
    return script.format(world=sql.Literal(world), actor=sql.Literal(actor), query=sql.Identifier(query)).as_bytes()


WAIT_SECONDS = 10.0


# No statement of a call takes so long; where one may, as in a copy of everything, there is no limit.
STATEMENT_SECONDS = 60.0


def opened(
    url: str,
    *,
    pool_size: int,
    partitions: int,
    replica: str | None,
    staleness: timedelta,
    wait: float,
    statement_seconds: float = STATEMENT_SECONDS,
) -> Connections:
    """The connections to the database at a URL, after its schema was brought up to date."""
    if pool_size < 1:
        raise Invalid("pool_size must be at least 1")
    if staleness < timedelta():
        raise Invalid("staleness must not be negative")
    where = place(url)
    with translated(where):
        with reached(url, where) as connection:
            require_own_session(connection, url, where)
            prepare(connection, where, steps=migrations(), partitions=partitions)
        primary = Pool(url, where, pool_size, wait, statement_seconds=statement_seconds)
        copy = (
            Pool(replica, place(replica), pool_size, wait, statement_seconds=statement_seconds) if replica else None
        )
        return Connections(primary, copy, staleness=staleness)


def reached(url: str, where: str) -> psycopg.Connection:
    """A separate connection; `StoreUnavailable` says what to do if the server does not answer."""
    try:
        return psycopg.connect(url, autocommit=True, **defaults_for(url))
    except psycopg.OperationalError as error:
        reason = str(error).strip().splitlines()[0].removeprefix("connection failed: ")
        raise StoreUnavailable(
            f"{where} does not answer ({reason}): start the server, "
            "or check host, port, role and password in the URL"
        ) from error


def place(url: str) -> str:
    """The database that a URL names, without its password.

    >>> place("postgresql://ada:secret@db.example:5433/memory")
    'postgresql://db.example:5433/memory'
    """
    try:
        parts = conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        raise Invalid(f"this is not the URL of a database: {str(error).strip()}") from None
    host = parts.get("host") or parts.get("hostaddr") or "localhost"
    port = f":{parts['port']}" if parts.get("port") else ""
    return f"postgresql://{host}{port}/{parts.get('dbname') or ''}"


_TIMES = 5


def retry_public_methods(part: object) -> None:
    """Make the public methods of a part repeat when the database let another transaction go first.

    Methods whose first argument is a transaction belong to the transaction of another part.
    """
    for name in dir(part):
        method = getattr(part, name)
        if not name.startswith("_") and ismethod(method) and not isgeneratorfunction(method):
            if next(iter(signature(method).parameters), None) != "db":
                setattr(part, name, _repeated(method))


def _repeated(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def call(*arguments: Any, **keywords: Any) -> Any:
        for left in reversed(range(_TIMES)):
            try:
                return method(*arguments, **keywords)
            except FovealError as error:
                if not left or not gave_way(error):
                    raise
        raise AssertionError("unreachable")

    return call
