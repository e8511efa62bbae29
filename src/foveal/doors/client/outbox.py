"""A durable queue for writes while the server is away."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import msgspec
from msgspec import Struct

from foveal.config import own_folder
from foveal.doors.client.encryption import make_folder
from foveal.doors.client.remote import Transport, is_unreachable
from foveal.errors import Corrupt, FovealError, Invalid, StorageFull
from foveal.model.ids import new_id
from foveal.model.query import Details
from foveal.model.results import Rejected, Written
from foveal.ports.system import Clock, SystemClock
from foveal.rules.drafts import new_record, writer_of

MOST = 10_000
MOST_BYTES = 64 * 1024 * 1024
TABLES = (
    """create table if not exists waiting (number integer primary key autoincrement, key text not null unique,
  verb text not null, arguments blob not null, at text not null) strict""",
    """create table if not exists refused (key text primary key, verb text not null, arguments blob not null,
  at text not null, code text not null, message text not null) strict""",
)


class Waiting(Struct, frozen=True, kw_only=True):
    """A queued write: its idempotency key, the verb, the arguments, and when it was queued."""

    number: int
    key: str
    verb: str
    arguments: dict[str, Any]
    at: datetime


class Refused(Struct, frozen=True, kw_only=True):
    """A queued write that the server refused, and why."""

    key: str
    verb: str
    arguments: dict[str, Any]
    at: datetime
    code: str
    message: str


def default_path(server: str) -> Path:
    """The default file for queued writes to a server, in the user's data folder."""
    name = blake2b(server.encode(), digest_size=8).hexdigest()
    return own_folder("data") / "outbox" / f"{name}.db"


class Outbox:
    """A queue of writes, in order, in a small file that survives a killed process and a power cut.

    Processes may share the file. When it holds too many writes or bytes, adding one raises `StorageFull`.
    """

    def __init__(self, path: Path, *, most: int = MOST) -> None:
        self.path = path
        self._most = most
        self._lock = threading.Lock()
        self._replaying = threading.Lock()
        make_folder(path.parent)
        # Created before SQLite creates it, so that only its owner can read it.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        with self._opened() as file:
            for table in TABLES:
                file.execute(table)

    def add(self, key: str, verb: str, arguments: Mapping[str, Any], at: datetime) -> None:
        """Queue a write. When this returns, it is on disk."""
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
        """The oldest queued write; None if the queue is empty."""
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

    def done(self, write: Waiting) -> None:
        """Remove a write that the server has stored."""
        with self._opened() as file:
            file.execute("delete from waiting where number = ?", (write.number,))

    def refuse(self, write: Waiting, error: FovealError) -> None:
        """Set aside a write that the server will never accept, so that later ones can be sent."""
        with self._opened() as file:
            file.execute(
                "insert or replace into refused"
                " select key, verb, arguments, at, ?, ? from waiting where number = ?",
                (error.code, error.message, write.number),
            )
            file.execute("delete from waiting where number = ?", (write.number,))

    def refused(self) -> list[Refused]:
        """The writes that the server refused, oldest first."""
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
        """Yields True to one thread among all processes, which may then send the queued writes."""
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


WAITING = frozenset({"write", "write_many"})
# The fields by which a resent text is recognised.
RESENT = ("world", "actor_id", "node", "session_id", "speaker", "source", "occurred_at", "text")


class OutboxTransport:
    """Queues `write` and `write_many` while the server is away, and sends them once, in order, when it is back.

    A write is validated and gets its id and time before it is queued. Queued writes are sent before any other call.
    """

    def __init__(self, remote: Transport, outbox: Outbox, *, clock: Clock | None = None) -> None:
        self._remote = remote
        self.outbox = outbox
        self._clock = clock or SystemClock()

    def call(self, name: str, arguments: Mapping[str, Any], *, key: str | None = None) -> Any:
        """The answer of the remote; a write that cannot be sent is `queued`."""
        if name not in WAITING:
            if len(self.outbox):
                self.flush()
            return self._remote.call(name, arguments, key=key)
        key = key or uuid4().hex
        arguments = _identified(name, arguments, key, new_id(self._clock.now()))
        if len(self.outbox) and self.flush():
            # Queued behind the waiting writes, to keep the order.
            return self._queue(name, arguments, key)
        # The id is fixed before sending, so the caller gets the same one whether the write is sent or queued.
        try:
            return self._remote.call(name, arguments, key=key)
        except FovealError as error:
            if not is_unreachable(error):
                raise
            return self._queue(name, arguments, key)

    def flush(self) -> int:
        """Send queued writes until one fails for a passing reason. Returns how many are still queued."""
        with self.outbox.replaying() as mine:
            while mine and (write := self.outbox.first()) is not None:
                try:
                    self._remote.call(write.verb, write.arguments, key=write.key)
                except FovealError as error:
                    if is_unreachable(error) or error.retry:
                        break
                    self.outbox.refuse(write, error)
                else:
                    self.outbox.done(write)
        return len(self.outbox)

    def close(self) -> None:
        """Close the remote; queued writes stay on disk."""
        self._remote.close()

    def _queue(self, name: str, arguments: Mapping[str, Any], key: str) -> Written:
        now = self._clock.now()
        if name == "write":
            write = self._complete(arguments)
            self.outbox.add(key, name, write, now)
            return _queued([write["id"]])
        shared = {field: value for field, value in arguments.items() if field != "items"}
        items: list[dict[str, Any]] = []
        rejected: list[Rejected] = []
        for index, item in enumerate(arguments["items"]):
            try:
                if not isinstance(item, Mapping):
                    raise Invalid("each item must be a string, or a mapping with a text")
                items.append(self._complete({**shared, **cast(Mapping[str, Any], item)}))
            except Invalid as error:
                rejected.append(Rejected(index=index, code=error.code, message=error.message))
        if items:
            self.outbox.add(key, name, {"items": items}, now)
        return _queued([item["id"] for item in items], rejected)

    def _complete(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """A write as it will be sent later; invalid ones are refused now, while the caller can still react."""
        now = self._clock.now()
        write = {"occurred_at": now.isoformat(), **arguments}
        details = cast(Details, {name: value for name, value in write.items() if name != "text"})
        # With an API key for one actor, the call need not name the actor.
        new_record(write.get("text", ""), details, writer_of({"actor_id": "anyone"}, details), now, write["id"])
        return write


def _identified(name: str, arguments: Mapping[str, Any], key: str, fresh: str) -> dict[str, Any]:
    """A write with its id and its idempotency key."""
    if name == "write":
        if arguments.get("occurred_at") is not None and not {"id", "idempotency_key"} & set(arguments):
            # A resent text is recognised by its time and words, so it gets the same id and key each time.
            parts = [str(arguments.get(field)) for field in RESENT]
            fresh = blake2b("\n".join(parts).encode("utf-8", "replace"), digest_size=13).hexdigest()
            key = f"resend:{fresh}"
        return {"id": fresh, "idempotency_key": key, **arguments}
    items: list[Any] = []
    for index, item in enumerate(arguments.get("items", ())):
        own = {"text": item} if isinstance(item, str) else item
        if isinstance(own, Mapping):
            own = {"id": f"{fresh}{index:04d}", "idempotency_key": f"{key}.{index}", **own}
        items.append(own)
    return {**arguments, "items": items}


def _queued(ids: list[str], rejected: list[Rejected] | None = None) -> Written:
    return Written(ids=tuple(ids), addresses=(), encoder="", queued=tuple(ids), rejected=tuple(rejected or ()))
