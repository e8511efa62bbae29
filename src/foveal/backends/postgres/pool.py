"""Connections to one server, kept for the next who needs one."""

from __future__ import annotations

import threading
from time import monotonic
from typing import Any, LiteralString

import psycopg
from psycopg import sql
from psycopg_pool import ConnectionPool, PoolTimeout

from foveal.backends.postgres.dialect import Link, adapt
from foveal.errors import StoreUnavailable

LOCK_MILLISECONDS = 10_000
# Every transaction begins by looking for its organism: how to is made out once for a connection.
FIND, HOLD, HOLD_AT_ONCE = "foveal_find", "foveal_hold", "foveal_hold_at_once"
_LOCKS: dict[LiteralString, LiteralString] = {FIND: "", HOLD: " for update", HOLD_AT_ONCE: " for update nowait"}
_PREPARED = sql.SQL("; ").join(
    sql.SQL(f"prepare {name} (text, text) as select number from organism where world = $1 and actor = $2{lock}")
    for name, lock in _LOCKS.items()
)
_SLICE = 0.25


class Pool:
    """Connections to one server, made when they are needed and given up when it has gone."""

    def __init__(self, url: str, where: str, size: int, wait: float) -> None:
        self.where = where
        self._size, self._wait = size, wait
        self._away = threading.Event()
        self._pool: ConnectionPool[Link] = ConnectionPool(
            url,
            kwargs={"autocommit": True, "connect_timeout": 5, "application_name": "foveal"},
            configure=_configure,
            min_size=0,
            max_size=size,
            open=False,
            reconnect_timeout=0,
            reconnect_failed=lambda _: self._away.set(),
            num_workers=1,
        )
        self._pool.open()

    def begin(self, script: bytes) -> tuple[Link, list[Any]]:
        """A connection on which the script was run, and what each of its statements gave.

        Connections that went away while they were idle are passed over: nothing has happened on them.
        """
        left = self._size
        while True:
            connection = self._take()
            try:
                return connection, started(connection, script)
            except psycopg.OperationalError:
                gone = connection.closed
                self.give_back(connection)
                if not gone or not left:
                    raise
                left -= 1
            except BaseException:
                self.give_back(connection)
                raise

    def _take(self) -> Link:
        self._away.clear()
        until = monotonic() + self._wait
        while True:
            try:
                return self._pool.getconn(timeout=min(_SLICE, max(0.01, until - monotonic())))
            except PoolTimeout as error:
                if self._away.is_set():
                    raise StoreUnavailable(f"{self.where} does not answer") from error
                if monotonic() >= until:
                    raise StoreUnavailable(
                        f"{self.where}: all {self._size} connections were busy for {self._wait:g} seconds: "
                        "try again, or raise the setting `postgres.pool_size`"
                    ) from error

    def give_back(self, connection: Link) -> None:
        """Take a connection back, whatever state it is in."""
        if not connection.closed and connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
            try:
                connection.execute("rollback")
            except psycopg.Error:
                connection.close()
        self._pool.putconn(connection)

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()


def started(connection: Link, script: bytes) -> list[Any]:
    """What each statement of the script gave, with which a transaction begins."""
    try:
        return _firsts(connection.execute(script))
    except psycopg.errors.InvalidSqlStatementName:
        # The driver lets go of all that is prepared when a table or an index is dropped.
        connection.execute("rollback")
        connection.execute(_PREPARED)
        return _firsts(connection.execute(script))


def last(cursor: psycopg.Cursor[Any]) -> Any:
    """What the last of several statements gave: the first column of its first row."""
    return _firsts(cursor)[-1]


def _firsts(cursor: psycopg.Cursor[Any]) -> list[Any]:
    """For each of several statements the first column of its first row, or None."""
    found: list[Any] = []
    while True:
        rows = cursor.fetchall() if cursor.description else []
        found.append(rows[0][0] if rows else None)
        if not cursor.nextset():
            return found


def _configure(connection: Link) -> None:
    """Make a connection ours."""
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
        + _PREPARED
    )
    if home:
        adapt(connection, home[1])
