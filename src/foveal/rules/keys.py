"""Keys as text: read, hashed, compared, and whether they still open anything."""

from __future__ import annotations

import hashlib
import hmac
import re
from datetime import datetime

from foveal.errors import Unauthenticated
from foveal.model.server import MARK, Key

HOW = "send the header `Authorization: Bearer <key>`; `foveal key add` makes a key"
LONGEST = 16_384
_TOKEN = re.compile(rf"{MARK}_([0-9a-z]{{12}})_([0-9a-f]{{64}})", re.ASCII)


def bearer(authorization: str) -> str:
    """The token in the value of an `Authorization` header.

    >>> bearer("Bearer fov_1_2")
    'fov_1_2'
    """
    scheme, _, token = authorization.strip().partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token or not token.isascii() or " " in token or len(token) > LONGEST:
        raise Unauthenticated(f"the Authorization header is not of the form `Bearer <key>`: {HOW}")
    return token


def is_key(token: str) -> bool:
    """Whether a token means to be a key of ours.

    >>> is_key("fov_1_2"), is_key("eyJhbGciOi...")
    (True, False)
    """
    return token.startswith(f"{MARK}_")


def token_of(key_id: str, secret: str) -> str:
    """The token of a key: what is handed out once.

    >>> token_of("k7w2m4x9q1z5", "ab" * 32)[:21]
    'fov_k7w2m4x9q1z5_abab'
    """
    return f"{MARK}_{key_id}_{secret}"


def key_id_of(token: str) -> str | None:
    """The id in a token, if it is one: a token has one spelling only.

    >>> key_id_of("fov_k7w2m4x9q1z5_" + "ab" * 32)
    'k7w2m4x9q1z5'
    >>> key_id_of("fov_k7w2m4x9q1z5_" + "AB" * 32)
    """
    match = _TOKEN.fullmatch(token)
    return None if match is None else match[1]


def digest_of(token: str) -> bytes:
    """The hash under which a token is kept. The id is hashed with the secret: the hash of one key fits no other.

    >>> len(digest_of("fov_k7w2m4x9q1z5_" + "ab" * 32))
    32
    """
    return hashlib.sha256(token.encode()).digest()


def opens(token: str, digest: bytes) -> bool:
    """Whether a token is the one whose hash is kept, in a time that tells nothing about either.

    >>> opens("fov_1_2", digest_of("fov_1_2")), opens("fov_1_3", digest_of("fov_1_2"))
    (True, False)
    """
    return hmac.compare_digest(digest_of(token), digest)


def refuse_ended(key: Key, now: datetime) -> None:
    """`Unauthenticated` for a key that was revoked or has run out; at the very moment of its end it is over.

    >>> from datetime import UTC
    >>> moment = datetime(2026, 1, 1, tzinfo=UTC)
    >>> refuse_ended(Key(id="1", name="ci", created_at=moment, expires_at=moment), moment)
    Traceback (most recent call last):
    foveal.errors.Unauthenticated: the key fov_1 expired at 2026-01-01T00:00:00+00:00: ask for a new one
    """
    if key.revoked_at is not None:
        raise Unauthenticated(f"the key {key.prefix} was revoked: ask for a new one", key_id=key.id)
    if key.expires_at is not None and now >= key.expires_at:
        raise Unauthenticated(
            f"the key {key.prefix} expired at {key.expires_at.isoformat()}: ask for a new one", key_id=key.id
        )
