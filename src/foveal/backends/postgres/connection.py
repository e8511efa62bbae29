"""How a database is reached: pools of connections, and transactions about one organism."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from datetime import timedelta
from functools import lru_cache

from psycopg import sql

from foveal.backends.postgres.dialect import Link, PostgresTransaction
from foveal.backends.postgres.errors import translated
from foveal.backends.postgres.pool import FIND, HOLD, HOLD_AT_ONCE, Pool, last
from foveal.backends.postgres.replica import NEWEST, Replica
from foveal.errors import StoreUnavailable
from foveal.model.query import Viewpoint

# Whoever writes vectors of the encoder in use holds this together with the others, whoever changes it alone.
_ENCODER_LOCK = 0x466F7665

_READ = "begin isolation level repeatable read read only;"
# What keeps the tables true runs for every row: its plans are made once, not each time.
_WRITE = "begin; set local plan_cache_mode to force_generic_plan;"
_COMMIT = b"commit;"
_EVERY_WORLD = "set local foveal.every_world to 'on'"
_ORGANISM = "set local foveal.world to {world}; execute {query}({world}, {actor})"


class Connections:
    """The transactions of this process on one database."""

    def __init__(self, primary: Pool, replica: Pool | None = None, *, staleness: timedelta = timedelta()) -> None:
        self.where = primary.where
        self._closed = False
        self._primary = primary
        self._replica = Replica(replica, primary, staleness) if replica else None

    @contextmanager
    def writing(
        self, viewpoint: Viewpoint | None = None, *, wait: bool = True, alone: bool = False
    ) -> Generator[PostgresTransaction, None, None]:
        """A transaction that alone writes to an organism: all of it happens, or none.

        Without a viewpoint it is about every world, and holds no organism; `alone` keeps everyone from writing
        vectors. Without `wait` it is `StoreUnavailable` when another writes to the organism.
        """
        lock = "pg_advisory_xact_lock" if alone else "pg_advisory_xact_lock_shared"
        begin = f"{_WRITE} select {lock}({_ENCODER_LOCK});"
        with self._transaction(_script(begin, viewpoint, HOLD if wait else HOLD_AT_ONCE), viewpoint) as db:
            yield db
            if self._replica is None:
                db.connection.execute("commit")
            else:
                self._replica.wrote(last(db.connection.execute(_COMMIT + NEWEST)))

    @contextmanager
    def reading(
        self, viewpoint: Viewpoint | None = None, *, newest: bool = False
    ) -> Generator[PostgresTransaction, None, None]:
        """A transaction that sees one moment of the database: of one world, or without a viewpoint of all.

        With `newest` it is never on the replica, which may lag behind.
        """
        script = _script(_READ, viewpoint, FIND)
        if self._replica and not newest and not self._closed:
            with translated(self.where):
                begun = self._replica.begin(script)
                if begun:
                    try:
                        yield PostgresTransaction(begun[0], viewpoint, begun[1])
                    finally:
                        self._replica.give_back(begun[0])
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
            connection, found = self._primary.begin(script)
            try:
                yield PostgresTransaction(connection, viewpoint, found[-1])
            finally:
                self._primary.give_back(connection)

    @contextmanager
    def apart(self) -> Generator[Link, None, None]:
        """A connection outside any transaction."""
        with translated(self.where):
            connection, _ = self._primary.begin(b"select 1")
            try:
                yield connection
            finally:
                self._primary.give_back(connection)

    def cut_log(self) -> bool:
        """True: the server clears what was removed when it vacuums."""
        return True

    def close(self) -> None:
        """Close every connection of this process to the database."""
        self._closed = True
        self._primary.close()
        if self._replica:
            self._replica.close()


def _script(begin: str, viewpoint: Viewpoint | None, query: str) -> bytes:
    """All that a transaction begins with, in one message to the server; `query` finds the organism."""
    return _about(begin, query, *((None, None) if viewpoint is None else viewpoint.organism))


@lru_cache(maxsize=1024)
def _about(begin: str, query: str, world: str | None, actor: str | None) -> bytes:
    if world is None:
        return (begin + _EVERY_WORLD).encode()
    script = sql.SQL(begin + _ORGANISM)  # pyright: ignore[reportArgumentType]
    return script.format(world=sql.Literal(world), actor=sql.Literal(actor), query=sql.Identifier(query)).as_bytes()
