"""A key of a server: whom it lets in, and to what."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

MARK = "fov"


class Right(StrEnum):
    """What a key must allow for a verb."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


class Key(Struct, frozen=True, kw_only=True):
    """A key as it may be shown: its secret is not in it, nor the hash of that.

    It opens these worlds, the memory of these actors, verbs of these rights, and of them only `verbs`; None is any.
    `rate` is how many requests a second it may make, `burst` how many at once; None leaves it to the server.
    """

    id: str
    name: str
    worlds: tuple[str, ...] | None = None
    actors: tuple[str, ...] | None = None
    rights: tuple[Right, ...] = (Right.READ,)
    verbs: tuple[str, ...] | None = None
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None
    rate: float | None = None
    burst: int | None = None

    @property
    def prefix(self) -> str:
        """How the token begins: enough to tell keys apart, and useless without the rest."""
        return f"{MARK}_{self.id}"


class Issued(Struct, frozen=True, kw_only=True):
    """A key that was just made, with its token, which nobody can show again."""

    token: str
    key: Key
