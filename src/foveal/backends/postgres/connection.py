"""How a database is reached: pools of connections, and transactions about one organism."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from datetime import timedelta
from functools import lru_cache

from psycopg import sql

from foveal.backends.postgres.errors import translated
from foveal.backends.postgres.pool import FIND, HOLD, HOLD_AT_ONCE, Pool, last
from foveal.backends.postgres.query import Db, Link, Organism
from foveal.backends.postgres.replica import NEWEST, Replica
from foveal.errors import StoreUnavailable
from foveal.model.sight import Viewpoint

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
    ) -> Generator[Db, None, None]:
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
    def reading(self, viewpoint: Viewpoint | None = None) -> Generator[Db, None, None]:
        """A transaction that sees one moment of the database: of one world, or without a viewpoint of all."""
        script = _script(_READ, viewpoint, FIND)
        if self._replica and not self._closed:
            with translated(self.where):
                begun = self._replica.begin(script)
                if begun:
                    try:
                        yield Db(begun[0], viewpoint, _organism(viewpoint, begun[1]))
                    finally:
                        self._replica.give_back(begun[0])
                    return
        with self._transaction(script, viewpoint) as db:
            yield db

    @contextmanager
    def _transaction(self, script: bytes, viewpoint: Viewpoint | None) -> Generator[Db, None, None]:
        if self._closed:
            raise StoreUnavailable(f"the memory {self.where} is closed")
        with translated(self.where):
            connection, found = self._primary.begin(script)
            try:
                yield Db(connection, viewpoint, _organism(viewpoint, found[-1]))
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


def _organism(viewpoint: Viewpoint | None, number: int | None) -> Organism | None:
    if viewpoint is None or number is None:
        return None
    return {"world": viewpoint.world, "organism": number, "actor": viewpoint.actor_id}
