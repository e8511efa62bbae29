"""Where the keys of a server are kept."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from foveal.model.server import Key


class Keys(Protocol):
    """What a store keeps of keys: the hash of a token, never the token.

    Keys belong to the whole store, to no world and no actor. They are never removed, so that a revoked key can be
    told from an unknown one and its id is not handed out twice. What a call has acknowledged, every process that
    opens the store sees at its next call. Moments come back to the microsecond; None and an empty tuple differ.
    """

    def put_key(self, key: Key, digest: bytes) -> None:
        """Keep a new key and the hash of its token. `Conflict` if the id is taken, also by a revoked key."""
        ...

    def key(self, key_id: str) -> tuple[Key, bytes]:
        """A key and its hash, revoked and expired ones too; `NotFound` if there is none of this id."""
        ...

    def keys(self) -> list[Key]:
        """Every key, revoked and expired ones too, by the moment it was made, then by id."""
        ...

    def revoke_key(self, key_id: str, now: datetime) -> Key:
        """Revoke a key for good, and give it as it is now. The moment of a first revocation stays.

        `NotFound` if there is none of this id.
        """
        ...

    def use_keys(self, used: Mapping[str, datetime], *, wait: bool = True) -> None:
        """Say when keys were last used, all in one transaction.

        A moment before the known one changes nothing; an unknown id is passed over. Without `wait` it is
        `StoreUnavailable` when another writes just now.
        """
        ...
