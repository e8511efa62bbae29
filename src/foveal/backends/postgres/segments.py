"""Builds the segments and vector indexes that search inside the database uses."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import psycopg
from psycopg import sql

from foveal.backends.index import Packed, Unpacked, gathered, lengths
from foveal.backends.postgres.connection import LOCK_MILLISECONDS, Connections
from foveal.backends.postgres.dialect import Link, PostgresTransaction, text
from foveal.backends.sql.session import Organism
from foveal.errors import FovealError
from foveal.model.query import Viewpoint

_LOCK = 0x466F7665_02
# Building an index waits for running transactions. A graph that does not fit into memory is built slowly, so it
# gets 256 MB, or the setting of the server if that is more.
_PATIENT = (
    "set lock_timeout to 0; set foveal.every_world to 'on'; set max_parallel_maintenance_workers to 0; "
    "select set_config('maintenance_work_mem', greatest(setting::int, 262144) || 'kB', false) "
    "from pg_settings where name = 'maintenance_work_mem'"
)
_USUAL = sql.SQL(
    "set lock_timeout to {}; reset foveal.every_world; reset maintenance_work_mem; "
    "reset max_parallel_maintenance_workers"
)
_CHAINED = sql.SQL(
    "create index concurrently {name} on {part} (chain, seq) include (world) "
    "where world = {world} and organism = {organism}"
)
_NEAR = sql.SQL(
    "create index concurrently {name} on {part} using hnsw ((data::halfvec({dimension})) halfvec_ip_ops) "
    "where world = {world} and organism = {organism} and encoder = {encoder}"
)

_log = logging.getLogger(__name__)


def index_names(organism: int, encoder: int) -> dict[str, str]:
    """The names of the indexes of an organism.

    >>> index_names(7, 1)
    {'near': 'foveal.own_near_7_1', 'chained': 'foveal.own_chain_7'}
    """
    return {"near": f"foveal.own_near_{organism}_{encoder}", "chained": f"foveal.own_chain_{organism}"}


class Builder:
    """Builds indexes in a background thread, one organism at a time; the thread ends with its work."""

    def __init__(self, db: Connections) -> None:
        self._db = db
        self._lock = threading.Lock()
        self.thread: threading.Thread | None = None
        self._connection: Link | None = None
        self._closed = False

    def begin(self, work: Callable[[], None]) -> None:
        """Start work in the background, unless other work is running."""
        with self._lock:
            if self._closed or (self.thread is not None and self.thread.is_alive()):
                return
            self.thread = threading.Thread(target=self._do, args=(work,), name="foveal-index", daemon=True)
            self.thread.start()

    def _do(self, work: Callable[[], None]) -> None:
        try:
            work()
        except FovealError as error:
            # The next question starts the work again, and is answered without the indexes.
            if not self._closed:
                _log.warning("an actor was not made ready to be searched inside the database: %s", error.message)

    def build(self, organism: Organism, encoder: int, dimension: int) -> bool:
        """Build the indexes of an organism, and remove those whose organism or encoder is gone.

        Returns False if another process is building. Indexes that a killed process left unfinished are built again.
        """
        with self._db.apart() as connection:
            with self._lock:
                self._connection = connection
            try:
                if not connection.execute("select pg_try_advisory_lock(%s)", (_LOCK,)).fetchall()[0][0]:
                    return False
                connection.execute(_PATIENT)
                _build(connection, organism, encoder, dimension)
                return True
            finally:
                with self._lock:
                    self._connection = None
                with suppress(psycopg.Error):
                    connection.execute("select pg_advisory_unlock_all()")
                    connection.execute(_USUAL.format(sql.Literal(LOCK_MILLISECONDS)))

    def close(self) -> None:
        """Cancel what is being built, and wait for the thread to end."""
        with self._lock:
            self._closed = True
            if self._connection is not None:
                self._connection.cancel_safe()
        if self.thread is not None:
            self.thread.join()


def _build(connection: Link, organism: Organism, encoder: int, dimension: int) -> None:
    names = [name.partition(".")[2] for name in index_names(organism["organism"], encoder).values()]
    complete: set[str] = set()
    for name, valid, wanted in connection.execute(text("own_indexes").encode()).fetchall():
        stale = name.startswith(f"own_near_{organism['organism']}_") and name not in names
        if valid and wanted and not stale:
            complete.add(name)
        else:
            connection.execute(sql.SQL("drop index concurrently if exists foveal.{}").format(sql.Identifier(name)))
    parts = connection.execute(text("part_of").encode(), {**organism, "encoder": encoder}).fetchone()
    if parts is None:
        return
    own = {"world": sql.Literal(organism["world"]), "organism": sql.Literal(organism["organism"])}
    of_vectors = {"dimension": sql.Literal(dimension), "encoder": sql.Literal(encoder)}
    near, chained = names
    if chained not in complete:
        connection.execute(_CHAINED.format(name=sql.Identifier(chained), part=sql.SQL(parts[1]), **own))
    if near not in complete:
        connection.execute(_NEAR.format(name=sql.Identifier(near), part=sql.SQL(parts[0]), **own, **of_vectors))


# Up to so many versions outside segments are scanned for each question before they are gathered.
ENOUGH = 1024
# So many versions are gathered in one transaction, for which writers of the organism wait.
_AT_ONCE = 4096
# A segment with so many versions is full: adding to larger ones, and reading more of them, is slower.
_FULL = 16_384


def gather(connections: Connections, viewpoint: Viewpoint, *, wait: bool = True) -> int:
    """Add the versions that are in no segment yet to segments. Returns how many there were.

    Versions are gathered after they were written, in order; a search scans those that are in none yet. Without
    `wait` it raises `StoreUnavailable` if another transaction writes to the organism.
    """
    total = 0
    while True:
        with connections.writing(viewpoint, wait=wait) as db:
            organism = db.organism(viewpoint)
            count = 0 if organism is None else _gather(db, organism)
        total += count
        if count < ENOUGH:
            return total


def _gather(db: PostgresTransaction, organism: Organism) -> int:
    filed = db.value("last_gathered", organism)
    rows: list[Any] = db.run("ungathered", {**organism, "filed": filed, "limit": _AT_ONCE})
    if rows:
        number, held = next(iter(db.run("last_segment", organism)), (0, 0))
        _add(db, {**organism, "number": number + (held >= _FULL)}, rows)
    return len(rows)


def _add(db: PostgresTransaction, own: dict[str, Any], rows: Sequence[Sequence[Any]]) -> None:
    keys, traces = np.array([row[0] for row in rows], np.int64), Unpacked([Packed(*row[1:]) for row in rows])
    span = {"first": int(keys[0]), "last": int(keys[-1]), "records": len(keys)}
    days = {"first_day": int(traces.days.min()), "last_day": int(traces.days.max())}
    db.change("add_to_segment", {**own, **span, **days, "length": int(lengths(traces).sum())})
    held, holders, blocks = zip(*gathered(keys, traces), strict=True) if len(traces.terms) else ((), (), ())
    db.change("add_postings", {**own, "keys": list(held), "holders": list(holders), "blocks": list(blocks)})
    firsts: dict[str, int] = {}
    counts: dict[str, int] = {}
    for key, name in zip(keys.tolist(), traces.speakers, strict=True):
        firsts.setdefault(name, key)
        counts[name] = counts.get(name, 0) + 1
    names = {"names": list(firsts), "firsts": list(firsts.values()), "counts": list(counts.values())}
    db.change("add_speakers", {**own, **names})
