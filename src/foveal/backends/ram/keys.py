"""The keys of the reference store."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Mapping
from datetime import datetime

import msgspec

from foveal.errors import Conflict, NotFound
from foveal.model.key import Key


class Keys:
    """Keys by their id, with the hash of their token."""

    _lock: threading.RLock

    def __init__(self) -> None:
        super().__init__()
        self._ring: dict[str, tuple[Key, bytes]] = {}

    @abstractmethod
    def _require_open(self) -> None: ...

    def put_key(self, key: Key, digest: bytes) -> None:
        """Keep a new key and the hash of its token."""
        with self._lock:
            self._require_open()
            if key.id in self._ring:
                raise Conflict(f"the id {key.id} is taken", key_id=key.id)
            self._ring[key.id] = (key, digest)

    def key(self, key_id: str) -> tuple[Key, bytes]:
        """A key and its hash."""
        with self._lock:
            self._require_open()
            if key_id not in self._ring:
                raise NotFound(f"there is no key {key_id!r}", key_id=key_id)
            return self._ring[key_id]

    def keys(self) -> list[Key]:
        """Every key, by the moment it was made."""
        with self._lock:
            self._require_open()
            return sorted((key for key, _ in self._ring.values()), key=lambda one: (one.created_at, one.id))

    def revoke_key(self, key_id: str, now: datetime) -> Key:
        """Revoke a key for good."""
        with self._lock:
            key, digest = self.key(key_id)
            revoked = msgspec.structs.replace(key, revoked_at=key.revoked_at or now)
            self._ring[key_id] = (revoked, digest)
            return revoked

    def use_keys(self, used: Mapping[str, datetime], *, wait: bool = True) -> None:
        """Say when keys were last used."""
        with self._lock:
            self._require_open()
            for key_id, at in used.items():
                if key_id in self._ring:
                    key, digest = self._ring[key_id]
                    latest = max(at, key.last_used_at or at)
                    self._ring[key_id] = (msgspec.structs.replace(key, last_used_at=latest), digest)
