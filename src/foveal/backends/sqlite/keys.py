"""The keys of a server, in a SQLite file."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from foveal.backends.relational.key_rows import key_found, key_of, key_values
from foveal.backends.relational.lists import listed
from foveal.backends.relational.stamps import stamp
from foveal.backends.sqlite.part import Part
from foveal.backends.sqlite.query import queries, run
from foveal.errors import Conflict
from foveal.model.key import Key


class Keys(Part):
    """Keys by their id, with the hash of their token."""

    def put_key(self, key: Key, digest: bytes) -> None:
        """Keep a new key and the hash of its token."""
        with self._db.writing() as db:
            if run(db, "key_of", {"id": key.id}):
                raise Conflict(f"the id {key.id} is taken", key_id=key.id)
            run(db, "add_key", key_values(key, listed) | {"digest": digest})

    def key(self, key_id: str) -> tuple[Key, bytes]:
        """A key and its hash."""
        with self._db.reading() as db:
            return key_found(run(db, "key_of", {"id": key_id}), key_id)

    def keys(self) -> list[Key]:
        """Every key, by the moment it was made."""
        with self._db.reading() as db:
            return [key_of(row) for row in run(db, "keys_in_order")]

    def revoke_key(self, key_id: str, now: datetime) -> Key:
        """Revoke a key for good."""
        with self._db.writing() as db:
            run(db, "revoke_key", {"id": key_id, "now": stamp(now)})
            return key_found(run(db, "key_of", {"id": key_id}), key_id)[0]

    def use_keys(self, used: Mapping[str, datetime], *, wait: bool = True) -> None:
        """Say when keys were last used."""
        with self._db.writing(wait=wait) as db:
            db.executemany(queries()["use_key"], [(stamp(at), key_id) for key_id, at in used.items()])
