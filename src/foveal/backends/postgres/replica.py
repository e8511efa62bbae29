"""Reading from a copy of the database that may be behind, but never by more than was agreed."""

from __future__ import annotations

import threading
from collections import deque
from datetime import timedelta
from time import monotonic
from typing import Any

import psycopg

from foveal.backends.postgres.dialect import Link
from foveal.backends.postgres.pool import Pool, started
from foveal.errors import StoreUnavailable

NEWEST = b"select pg_current_wal_insert_lsn()::text"
_REPLAYED = b"select pg_last_wal_replay_lsn()::text"
# How long a replica that did not answer, or was behind, is left alone.
_REST = 1.0


class Replica:
    """A server that follows the primary, and how far it must have come to be read.

    Now and then the primary is asked how far it has come. A replica that has come as far as the primary had at some
    moment knows everything that was acknowledged before that moment; it must also know all that this process wrote.
    """

    def __init__(self, pool: Pool, primary: Pool, staleness: timedelta) -> None:
        self._pool, self._primary = pool, primary
        self._staleness = staleness.total_seconds()
        self._lock = threading.Lock()
        self._own = 0
        self._seen: deque[tuple[float, int]] = deque()
        self._rests_until = 0.0

    def wrote(self, position: str) -> None:
        """Note how far the primary had come after this process wrote."""
        with self._lock:
            self._own = max(self._own, _number(position))

    def begin(self, script: bytes) -> tuple[Link, Any] | None:
        """A connection on which the script was run, with what it gave; None when the primary must be read."""
        if monotonic() < self._rests_until:
            return None
        needed = self._needed()
        try:
            connection, found = self._pool.begin(_REPLAYED)
        except StoreUnavailable:
            self._rests_until = monotonic() + _REST
            return None
        try:
            # Asked before the transaction begins, which may then see more, and never less.
            if found[-1] is not None and _number(found[-1]) >= needed:
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
        # Asked outside the lock: others may go on with what is known.
        connection, found = self._primary.begin(NEWEST)
        self._primary.give_back(connection)
        with self._lock:
            # It holds for the moment before it was asked.
            self._seen.append((now, _number(found[-1])))
            return max(self._own, self._seen[0][1])

    def close(self) -> None:
        """Close every connection to it."""
        self._pool.close()


def _number(position: str) -> int:
    """A place in the log of the primary, as a number.

    >>> _number("1/A") == (1 << 32) + 10
    True
    """
    high, _, low = position.partition("/")
    return (int(high, 16) << 32) + int(low, 16)
