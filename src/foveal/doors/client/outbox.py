"""Writes that wait for a server that is away."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from foveal.config import own_folder
from foveal.doors.client.sealing import make_folder
from foveal.errors import Corrupt, FovealError, StorageFull

MOST = 10_000
MOST_BYTES = 64 * 1024 * 1024
TABLES = (
    """create table if not exists waiting (number integer primary key autoincrement, key text not null unique,
  verb text not null, arguments blob not null, at text not null) strict""",
    """create table if not exists refused (key text primary key, verb text not null, arguments blob not null,
  at text not null, code text not null, message text not null) strict""",
)


class Waiting(Struct, frozen=True, kw_only=True):
    """A write that waits: the key it is known again by, the verb, what it says, and since when."""

    number: int
    key: str
    verb: str
    arguments: dict[str, Any]
    at: datetime


class Refused(Struct, frozen=True, kw_only=True):
    """A write that waited and that the server did not take, and why."""

    key: str
    verb: str
    arguments: dict[str, Any]
    at: datetime
    code: str
    message: str


def default_path(server: str) -> Path:
    """Where the writes for a server wait when nobody says: in the user's data folder."""
    from hashlib import blake2b

    name = blake2b(server.encode(), digest_size=8).hexdigest()
    return own_folder("data") / "outbox" / f"{name}.db"


class Outbox:
    """Writes in the order they were made, in a small file that a killed process and a power cut leave whole.

    Processes may share it. It takes no more than so many writes; then it is `StorageFull`.
    """

    def __init__(self, path: Path, *, most: int = MOST) -> None:
        self.path = path
        self._most = most
        self._lock = threading.Lock()
        self._replaying = threading.Lock()
        make_folder(path.parent)
        # Made before SQLite does, for its owner only.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        with self._opened() as file:
            for table in TABLES:
                file.execute(table)

    def add(self, key: str, verb: str, arguments: Mapping[str, Any], at: datetime) -> None:
        """Let a write wait. When this returns, it is on the disk."""
        data = msgspec.json.encode(dict(arguments))
        with self._opened() as file:
            count, size = file.execute(
                "select count(*), coalesce(sum(length(arguments)), 0) from waiting"
            ).fetchone()
            if count >= self._most or size + len(data) > MOST_BYTES:
                raise StorageFull(f"the server is away, and {count:,} writes wait for it already", waiting=count)
            file.execute(
                "insert into waiting (key, verb, arguments, at) values (?, ?, ?, ?)",
                (key, verb, data, at.isoformat()),
            )

    def first(self) -> Waiting | None:
        """The write that waits longest."""
        with self._opened() as file:
            row = file.execute("select * from waiting order by number limit 1").fetchone()
        if row is None:
            return None
        number, key, verb, arguments, at = row
        return Waiting(
            number=number,
            key=key,
            verb=verb,
            arguments=msgspec.json.decode(arguments),
            at=datetime.fromisoformat(at),
        )

    def done(self, one: Waiting) -> None:
        """The server has it."""
        with self._opened() as file:
            file.execute("delete from waiting where number = ?", (one.number,))

    def refuse(self, one: Waiting, error: FovealError) -> None:
        """The server will never take it: keep it apart, and let the next ones pass."""
        with self._opened() as file:
            file.execute(
                "insert or replace into refused"
                " select key, verb, arguments, at, ?, ? from waiting where number = ?",
                (error.code, error.message, one.number),
            )
            file.execute("delete from waiting where number = ?", (one.number,))

    def refused(self) -> list[Refused]:
        """What the server did not take, oldest first."""
        with self._opened() as file:
            rows = file.execute("select * from refused order by at").fetchall()
        return [
            Refused(
                key=key,
                verb=verb,
                arguments=msgspec.json.decode(arguments),
                at=datetime.fromisoformat(at),
                code=code,
                message=message,
            )
            for key, verb, arguments, at, code, message in rows
        ]

    def __len__(self) -> int:
        with self._opened() as file:
            return file.execute("select count(*) from waiting").fetchone()[0]

    @contextmanager
    def replaying(self) -> Generator[bool]:
        """True for the one, of all threads and processes, that may send what waits."""
        if not self._replaying.acquire(blocking=False):
            yield False
            return
        try:
            with closing(sqlite3.connect(f"{self.path}.lock", timeout=0, isolation_level=None)) as lock:
                try:
                    lock.execute("begin exclusive")
                except sqlite3.OperationalError:
                    yield False
                    return
                yield True
        finally:
            self._replaying.release()

    @contextmanager
    def _opened(self) -> Generator[sqlite3.Connection]:
        """The file, in one transaction."""
        with self._lock, closing(sqlite3.connect(self.path, timeout=10, isolation_level=None)) as file:
            try:
                file.execute("pragma synchronous = full")
                file.execute("begin immediate")
                yield file
                file.execute("commit")
            except sqlite3.DatabaseError as error:
                raise Corrupt(f"the outbox {self.path} cannot be used: {error}", path=str(self.path)) from error
