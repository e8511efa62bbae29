"""Data that belongs to the server and to no actor: API keys, idempotent requests, stored settings, leases."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec

from foveal.backends.sql.rows import (
    from_micros,
    from_micros_or_none,
    names,
    names_or_none,
    to_micros,
    to_micros_or_none,
)
from foveal.backends.sql.session import Dialect, Transaction
from foveal.backends.sql.visibility import Part
from foveal.errors import Conflict, NotFound
from foveal.model.policy import Override
from foveal.model.server import IdempotentRequest, Key, Right

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
            db.change("add_key", _key_values(key, self._dialect) | {"digest": digest})

    def key(self, key_id: str) -> tuple[Key, bytes]:
        """A key and the hash of its token."""
        with self._session.reading() as db:
            return _existing_key(db.run("key_of", {"id": key_id}), key_id)

    def keys(self) -> list[Key]:
        """Every key, in the order of creation."""
        with self._session.reading() as db:
            return [_key_of(row) for row in db.run("keys_in_order")]

    def revoke_key(self, key_id: str, now: datetime) -> Key:
        """Revoke a key for good."""
        with self._session.writing() as db:
            db.change("revoke_key", {"id": key_id, "now": to_micros(now)})
            return _existing_key(db.run("key_of", {"id": key_id}), key_id)[0]

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
            db.change("begin_errand", _request_values(_shifted(request, off)))
            return _shifted(_request_of(db.run("errand_at", {"place": request.place})[0]), -off)

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
            return _overrides_of(db.run("overrides_in_order"))

    def override(self, change: Callable[[Mapping[str, Override]], Mapping[str, Override]]) -> dict[str, Override]:
        """Replace the stored overrides with what `change` returns for them."""
        with self._session.writing() as db:
            db.lock("lock_overrides")
            wanted = change(_overrides_of(db.run("overrides_in_order")))
            db.change("remove_overrides")
            db.batch(("put_override", [_override_values(override) for override in wanted.values()]))
            return _overrides_of(db.run("overrides_in_order"))

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


def _key_values(key: Key, dialect: Dialect) -> dict[str, Any]:
    return {
        "id": key.id,
        "name": key.name,
        "worlds": None if key.worlds is None else dialect.array(key.worlds),
        "actors": None if key.actors is None else dialect.array(key.actors),
        "rights": dialect.array([right.value for right in key.rights]),
        "verbs": None if key.verbs is None else dialect.array(key.verbs),
        "created_at": to_micros(key.created_at),
        "expires_at": to_micros_or_none(key.expires_at),
        "revoked_at": to_micros_or_none(key.revoked_at),
        "used_at": to_micros_or_none(key.last_used_at),
        "rate": key.rate,
        "burst": key.burst,
    }


def _key_of(row: Sequence[Any]) -> Key:
    key_id, name, worlds, actors, rights, verbs, created_at, expires_at, revoked_at, used_at, rate, burst = row
    return Key(
        id=key_id,
        name=name,
        worlds=names_or_none(worlds),
        actors=names_or_none(actors),
        rights=tuple(map(Right, names(rights))),
        verbs=names_or_none(verbs),
        created_at=from_micros(created_at),
        expires_at=from_micros_or_none(expires_at),
        revoked_at=from_micros_or_none(revoked_at),
        last_used_at=from_micros_or_none(used_at),
        rate=rate,
        burst=burst,
    )


def _existing_key(rows: Iterable[Sequence[Any]], key_id: str) -> tuple[Key, bytes]:
    for *row, digest in rows:
        return _key_of(row), digest
    raise NotFound(f"there is no key {key_id!r}", key_id=key_id)


def _request_values(request: IdempotentRequest) -> dict[str, Any]:
    return {
        "place": request.place,
        "content": request.content,
        "holder": request.holder,
        "begun_at": to_micros(request.begun_at),
        "until": to_micros(request.until),
        "world": request.world,
        "actor": request.actor_id,
        "answer": request.answer,
    }


def _request_of(row: Sequence[Any]) -> IdempotentRequest:
    place, content, holder, begun_at, until, world, actor, answer = row
    return IdempotentRequest(
        place=place,
        content=content,
        holder=holder,
        begun_at=from_micros(begun_at),
        until=from_micros(until),
        world=world,
        actor_id=actor,
        answer=answer,
    )


def _shifted(request: IdempotentRequest, off: timedelta) -> IdempotentRequest:
    return msgspec.structs.replace(request, begun_at=request.begun_at + off, until=request.until + off)


def _override_values(override: Override) -> dict[str, Any]:
    return {
        "name": override.name,
        "value": json.dumps(override.value),
        "changed_at": to_micros(override.changed_at),
    }


def _overrides_of(rows: Iterable[Sequence[Any]]) -> dict[str, Override]:
    return {
        name: Override(name=name, value=json.loads(value), changed_at=from_micros(changed_at))
        for name, value, changed_at in rows
    }
