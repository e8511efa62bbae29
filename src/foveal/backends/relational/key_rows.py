"""Between the keys of a server and rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from foveal.backends.relational.lists import names, names_or_none
from foveal.backends.relational.stamps import moment, moment_or_none, stamp, stamp_or_none
from foveal.errors import NotFound
from foveal.model.key import Key, Right


def key_values(key: Key, listed: Callable[[Sequence[str]], Any]) -> dict[str, Any]:
    """What `add_key` binds beside the hash of the token; `listed` says how the database keeps names."""
    return {
        "id": key.id,
        "name": key.name,
        "worlds": None if key.worlds is None else listed(key.worlds),
        "actors": None if key.actors is None else listed(key.actors),
        "rights": listed([one.value for one in key.rights]),
        "verbs": None if key.verbs is None else listed(key.verbs),
        "created_at": stamp(key.created_at),
        "expires_at": stamp_or_none(key.expires_at),
        "revoked_at": stamp_or_none(key.revoked_at),
        "used_at": stamp_or_none(key.last_used_at),
        "rate": key.rate,
        "burst": key.burst,
    }


def key_of(row: Sequence[Any]) -> Key:
    """The key that a row of `keys_in_order` holds."""
    key_id, name, worlds, actors, rights, verbs, created_at, expires_at, revoked_at, used_at, rate, burst = row
    return Key(
        id=key_id,
        name=name,
        worlds=names_or_none(worlds),
        actors=names_or_none(actors),
        rights=tuple(map(Right, names(rights))),
        verbs=names_or_none(verbs),
        created_at=moment(created_at),
        expires_at=moment_or_none(expires_at),
        revoked_at=moment_or_none(revoked_at),
        last_used_at=moment_or_none(used_at),
        rate=rate,
        burst=burst,
    )


def key_found(rows: Iterable[Sequence[Any]], key_id: str) -> tuple[Key, bytes]:
    """The key that `key_of` found, and the hash of its token."""
    for *row, digest in rows:
        return key_of(row), digest
    raise NotFound(f"there is no key {key_id!r}", key_id=key_id)
