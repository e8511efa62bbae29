"""The keys of a server: made, listed, revoked."""

from __future__ import annotations

import difflib
import secrets
from collections.abc import Callable, Sequence
from datetime import datetime

from foveal.errors import Invalid
from foveal.model.server import MARK, Issued, Key, Right
from foveal.ports import store as keys
from foveal.ports.system import Clock, SystemClock
from foveal.rules.keys import digest_of, token_of
from foveal.rules.validation import checked_name, checked_world
from foveal.wire.verbs import VERBS

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_ID_LENGTH, _SECRET_BYTES = 12, 32


class Keys:
    """Who holds the store may make keys: the command line, and a caller whose key is for all of it.

    `revoked` is told the id of a key that was revoked here: `Guard.forget` makes that hold at once.
    """

    def __init__(
        self, store: keys.Keys, *, clock: Clock | None = None, revoked: Callable[[str], None] | None = None
    ) -> None:
        self._store = store
        self._clock = clock or SystemClock()
        self._revoked = revoked

    def add(
        self,
        name: str,
        *,
        worlds: Sequence[str] | None = None,
        actors: Sequence[str] | None = None,
        rights: Sequence[str] = (Right.READ,),
        verbs: Sequence[str] | None = None,
        expires_at: datetime | None = None,
        rate: float | None = None,
        burst: int | None = None,
    ) -> Issued:
        """Make a key. The token in the answer is shown this once: only its hash is kept."""
        now = self._clock.now()
        if expires_at is not None and expires_at <= now:
            raise Invalid(f"a key that expired at {expires_at.isoformat()} would open nothing: say a later moment")
        if (rate is not None and not 0 < rate < 1e9) or (burst is not None and burst < 1):
            raise Invalid("the rate of a key must be above 0, and its burst at least 1")
        if rate is None and burst is not None:
            raise Invalid("a burst needs a rate: how many requests a second come back")
        allowed = _rights(rights)
        key = Key(
            id=new_key_id(),
            name=checked_name(name, "the name of the key"),
            worlds=_listed([checked_world(one) for one in worlds] if worlds is not None else None, "worlds"),
            actors=_listed(
                [checked_name(one, "actor_id") for one in actors] if actors is not None else None, "actors"
            ),
            rights=allowed,
            verbs=_verbs(verbs, allowed),
            created_at=now,
            expires_at=expires_at,
            rate=rate,
            burst=burst,
        )
        token = new_token(key.id)
        self._store.put_key(key, digest_of(token))
        return Issued(token=token, key=key)

    def list(self) -> list[Key]:
        """Every key there ever was, oldest first; without secrets."""
        return self._store.keys()

    def revoke(self, key_id: str) -> Key:
        """Let a key open nothing from now on; a server that remembers it looks again within 5 seconds.

        The id, the prefix, or the whole token of a key that got out.
        """
        named = key_id.strip().removeprefix(f"{MARK}_").partition("_")[0]
        key = self._store.revoke_key(named, self._clock.now())
        if self._revoked is not None:
            self._revoked(key.id)
        return key


def new_key_id() -> str:
    """A fresh id of a key."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(_ID_LENGTH))


def new_token(key_id: str) -> str:
    """A fresh token of a key: 256 random bits."""
    return token_of(key_id, secrets.token_hex(_SECRET_BYTES))


def _rights(names: Sequence[str]) -> tuple[Right, ...]:
    unknown = [one for one in names if one not in {*Right}]
    if unknown or not names:
        raise Invalid(f"rights are {', '.join(Right)}, not {', '.join(map(repr, unknown)) or 'none'}")
    return tuple(right for right in Right if right in names)


def _verbs(names: Sequence[str] | None, rights: Sequence[Right]) -> tuple[str, ...] | None:
    for name in names or ():
        if name not in VERBS:
            near = difflib.get_close_matches(name, VERBS, 1)
            hint = f"did you mean {near[0]}?" if near else "docs/reference/verbs.md lists them"
            raise Invalid(f"there is no verb {name!r}: {hint}")
        if VERBS[name].right not in rights:
            raise Invalid(f"the verb {name} needs the right {VERBS[name].right}, which the key would not have")
    return _listed(names, "verbs")


def _listed(names: Sequence[str] | None, what: str) -> tuple[str, ...] | None:
    if names is not None and not names:
        raise Invalid(f"a key for no {what} would open nothing: name some, or leave {what} out for any")
    return None if names is None else tuple(dict.fromkeys(names))
