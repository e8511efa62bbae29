"""Data that belongs to the server and to no actor: API keys, idempotent requests, stored settings, leases."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

import msgspec

from foveal.backends.sql.rows import from_micros_or_none, struct_of, to_micros, values_of
from foveal.backends.sql.session import Transaction
from foveal.backends.sql.visibility import Part
from foveal.errors import Conflict, NotFound
from foveal.model.policy import Override
from foveal.model.server import IdempotentRequest, Key

# A smaller difference between two clocks is an error and is corrected; a larger one is intended and is kept.
SKEW = timedelta(hours=1)


class Server(Part):
    """API keys, idempotent requests, overrides of settings, and leases on jobs.

    Requests and leases use the clock of the database server, if there is one: a request in progress in one process
    must not look abandoned to another process whose clock is ahead.
    """

    _behind = timedelta()

    def put_key(self, key: Key, digest: bytes) -> None:
        """Store a new key and the hash of its token."""
        with self._session.writing() as db:
            if db.run("key_of", {"id": key.id}):
                raise Conflict(f"the id {key.id} is taken", key_id=key.id)
            db.change("add_key", values_of(key, self._dialect.array, digest=digest))

    def key(self, key_id: str) -> tuple[Key, bytes]:
        """A key and the hash of its token."""
        with self._session.reading() as db:
            return _existing_key(db.rows("key_of", {"id": key_id}), key_id)

    def keys(self) -> list[Key]:
        """Every key, in the order of creation."""
        with self._session.reading() as db:
            return [struct_of(Key, row) for row in db.rows("keys_in_order")]

    def revoke_key(self, key_id: str, now: datetime) -> Key:
        """Revoke a key for good."""
        with self._session.writing() as db:
            db.change("revoke_key", {"id": key_id, "now": to_micros(now)})
            return _existing_key(db.rows("key_of", {"id": key_id}), key_id)[0]

    def use_keys(self, used: Mapping[str, datetime], *, wait: bool = True) -> None:
        """Record when keys were last used."""
        with self._session.writing(wait=wait) as db:
            if not wait:
                db.lock("hold_keys", {"ids": self._dialect.array(used)})
            # In the order of ids, so that two concurrent calls cannot deadlock.
            db.batch(("use_key", [{"id": key_id, "at": to_micros(at)} for key_id, at in sorted(used.items())]))

    def begin_request(self, request: IdempotentRequest, since: datetime) -> IdempotentRequest:
        """Store an idempotent request, unless there is one at its place. Returns the stored one."""
        with self._session.writing() as db:
            off = self._measure(db, request.begun_at)
            db.change("remove_old_errands", {"since": to_micros(since + off)})
            db.change("begin_errand", values_of(_shifted(request, off)))
            [row] = db.rows("errand_at", {"place": request.place})
            return _shifted(struct_of(IdempotentRequest, row), -off)

    def prolong_requests(self, held: Mapping[bytes, str], until: datetime) -> None:
        """Extend the time of requests that their holders still work on."""
        with self._session.writing() as db:
            end = to_micros(until + self._behind)
            # In the order of places, so that two concurrent calls cannot deadlock.
            rows = [{"place": place, "holder": held[place], "until": end} for place in sorted(held)]
            db.batch(("prolong_errand", rows))

    def end_request(self, place: bytes, holder: str, answer: bytes) -> None:
        """Store the answer to a request."""
        with self._session.writing() as db:
            db.change("end_errand", {"place": place, "holder": holder, "answer": answer})

    def drop_request(self, place: bytes, holder: str) -> None:
        """Remove a request that failed."""
        with self._session.writing() as db:
            db.change("drop_errand", {"place": place, "holder": holder})

    def overrides(self) -> dict[str, Override]:
        """The stored overrides, by name."""
        with self._session.reading() as db:
            return _overrides_of(db.rows("overrides_in_order"))

    def override(self, change: Callable[[Mapping[str, Override]], Mapping[str, Override]]) -> dict[str, Override]:
        """Replace the stored overrides with what `change` returns for them."""
        with self._session.writing() as db:
            db.lock("lock_overrides")
            wanted = change(_overrides_of(db.rows("overrides_in_order")))
            db.change("remove_overrides")
            rows = [values_of(override, value=json.dumps(override.value)) for override in wanted.values()]
            db.batch(("put_override", rows))
            return _overrides_of(db.rows("overrides_in_order"))

    def lease(self, name: str, holder: str, now: datetime, span: timedelta) -> bool:
        """Take or extend a lease; False while another process holds it."""
        with self._session.writing() as db:
            agreed = now + self._measure(db, now)
            values = {"name": name, "holder": holder, "now": to_micros(agreed), "until": to_micros(agreed + span)}
            return db.value("take_lease", values) == holder

    def release(self, name: str, holder: str) -> None:
        """Give a lease back."""
        with self._session.writing() as db:
            db.change("release_lease", {"name": name, "holder": holder})

    def ran_at(self, name: str) -> datetime | None:
        """When a job last ran."""
        with self._session.reading() as db:
            last = from_micros_or_none(db.value("ran_at", {"name": name}))
            return None if last is None else last - self._behind

    def ran(self, name: str, at: datetime) -> None:
        """Record that a job ran."""
        with self._session.writing() as db:
            db.change("ran", {"name": name, "at": to_micros(at + self._behind)})

    def _measure(self, db: Transaction, now: datetime) -> timedelta:
        """How far the clock of this process is behind that of the database server; the result is remembered."""
        off = (db.server_time() or now) - now
        self._behind = off if abs(off) < SKEW else timedelta()
        return self._behind


def _existing_key(rows: Iterable[Any], key_id: str) -> tuple[Key, bytes]:
    for row in rows:
        return struct_of(Key, row), row.digest
    raise NotFound(f"there is no key {key_id!r}", key_id=key_id)


def _shifted(request: IdempotentRequest, off: timedelta) -> IdempotentRequest:
    return msgspec.structs.replace(request, begun_at=request.begun_at + off, until=request.until + off)


def _overrides_of(rows: Iterable[Any]) -> dict[str, Override]:
    return {row.name: struct_of(Override, row, value=json.loads(row.value)) for row in rows}
