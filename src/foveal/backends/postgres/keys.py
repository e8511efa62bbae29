"""The keys of a server, in a Postgres database."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from foveal.backends.postgres.part import Part
from foveal.backends.postgres.query import change, change_all, run
from foveal.backends.relational.key_rows import key_found, key_of, key_values
from foveal.backends.relational.stamps import stamp
from foveal.errors import Conflict
from foveal.model.key import Key


class Keys(Part):
    """Keys by their id, with the hash of their token."""

    def put_key(self, key: Key, digest: bytes) -> None:
        """Keep a new key and the hash of its token."""
        with self._db.writing() as db:
            if run(db, "key_of", {"id": key.id}):
                raise Conflict(f"the id {key.id} is taken", key_id=key.id)
            change(db, "add_key", key_values(key, list) | {"digest": digest})

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
            change(db, "revoke_key", {"id": key_id, "now": stamp(now)})
            return key_found(run(db, "key_of", {"id": key_id}), key_id)[0]

    def use_keys(self, used: Mapping[str, datetime], *, wait: bool = True) -> None:
        """Say when keys were last used."""
        with self._db.writing() as db:
            if not wait:
                run(db, "hold_keys", {"ids": list(used)})
            # In the order of their ids, so that two that do this never wait for each other.
            change_all(db, "use_key", [{"id": key_id, "at": stamp(at)} for key_id, at in sorted(used.items())])
