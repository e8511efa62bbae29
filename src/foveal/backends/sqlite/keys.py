"""The keys of a server, in a SQLite file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import apsw

from foveal.backends.relational.stamps import moment, moment_or_none, stamp, stamp_or_none
from foveal.backends.sqlite.part import Part
from foveal.backends.sqlite.query import queries, run
from foveal.errors import Conflict, NotFound
from foveal.model.key import Key, Right


class Keys(Part):
    """Keys by their id, with the hash of their token."""

    def put_key(self, key: Key, digest: bytes) -> None:
        """Keep a new key and the hash of its token."""
        with self._db.writing() as db:
            if run(db, "key_of", {"id": key.id}):
                raise Conflict(f"the id {key.id} is taken", key_id=key.id)
            run(db, "add_key", _values(key) | {"digest": digest})

    def key(self, key_id: str) -> tuple[Key, bytes]:
        """A key and its hash."""
        with self._db.reading() as db:
            return _found(db, key_id)

    def keys(self) -> list[Key]:
        """Every key, by the moment it was made."""
        with self._db.reading() as db:
            return [_key(row) for row in run(db, "keys_in_order")]

    def revoke_key(self, key_id: str, now: datetime) -> Key:
        """Revoke a key for good."""
        with self._db.writing() as db:
            run(db, "revoke_key", {"id": key_id, "now": stamp(now)})
            return _found(db, key_id)[0]

    def use_keys(self, used: Mapping[str, datetime], *, wait: bool = True) -> None:
        """Say when keys were last used."""
        with self._db.writing(wait=wait) as db:
            db.executemany(queries()["use_key"], [(stamp(at), key_id) for key_id, at in used.items()])


def _found(db: apsw.Connection, key_id: str) -> tuple[Key, bytes]:
    for *row, digest in run(db, "key_of", {"id": key_id}):
        return _key(row), digest
    raise NotFound(f"there is no key {key_id!r}", key_id=key_id)


def _values(key: Key) -> dict[str, Any]:
    return {
        "id": key.id,
        "name": key.name,
        "worlds": _listed(key.worlds),
        "actors": _listed(key.actors),
        "rights": _listed(key.rights),
        "verbs": _listed(key.verbs),
        "created_at": stamp(key.created_at),
        "expires_at": stamp_or_none(key.expires_at),
        "revoked_at": stamp_or_none(key.revoked_at),
        "used_at": stamp_or_none(key.last_used_at),
        "rate": key.rate,
        "burst": key.burst,
    }


def _key(row: Sequence[Any]) -> Key:
    key_id, name, worlds, actors, rights, verbs, created_at, expires_at, revoked_at, used_at, rate, burst = row
    return Key(
        id=key_id,
        name=name,
        worlds=_names(worlds),
        actors=_names(actors),
        rights=tuple(Right(one) for one in json.loads(rights)),
        verbs=_names(verbs),
        created_at=moment(created_at),
        expires_at=moment_or_none(expires_at),
        revoked_at=moment_or_none(revoked_at),
        last_used_at=moment_or_none(used_at),
        rate=rate,
        burst=burst,
    )


def _listed(names: Sequence[str] | None) -> str | None:
    return None if names is None else json.dumps(list(names), ensure_ascii=False)


def _names(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(json.loads(text))
