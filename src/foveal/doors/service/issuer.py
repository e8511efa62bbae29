"""Tokens that another server signs: checked with its public keys."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import msgspec

from foveal.doors.service.caller import Caller
from foveal.doors.service.claims import granted
from foveal.errors import Unauthenticated, Unavailable, Unsupported
from foveal.model.server import Serving
from foveal.rules.keys import HOW

if TYPE_CHECKING:
    from joserfc.jwk import KeySet

# How long a key set is good for, and how soon an unknown key id may ask for it again.
GOOD, AGAIN = timedelta(minutes=10), timedelta(seconds=10)
# How long the last good key set serves while the issuer does not answer.
STALE = timedelta(hours=24)


class Issuer:
    """Who signs tokens. Its keys are fetched when first needed, kept, and fetched anew for an unknown key id.

    A token is good if a key of the issuer signed it with an accepted algorithm, it is from the issuer, for the
    audience, and not over. It cannot be taken back before its end: let the issuer make short ones.
    """

    def __init__(self, serving: Serving, fetch: Callable[[], bytes], *, world: str = "default") -> None:
        self._serving = serving
        self._fetch = fetch
        self._world = world
        self._asking = threading.Lock()
        self._keys: KeySet | None = None
        self._fetched: datetime | None = None
        self._tried: datetime | None = None

    def caller(self, token: str, now: datetime) -> Caller:
        """The caller that a token speaks for; `Unauthenticated` for one that is not good."""
        return granted(self._claims(token, now), self._world)

    def _claims(self, token: str, now: datetime) -> Mapping[str, Any]:
        try:
            from joserfc import jwt
            from joserfc.errors import ExpiredTokenError, InvalidKeyIdError, JoseError
        except ImportError as error:
            raise Unsupported(f"tokens need joserfc: pip install 'foveal[server]' ({error})") from error
        said = self._serving
        checks = jwt.JWTClaimsRegistry(
            now=int(now.timestamp()),
            leeway=int(said.leeway),
            iss={"essential": True, "value": said.issuer or ""},
            aud={"essential": True, "value": said.audience or ""},
            exp={"essential": True},
            sub={"essential": True},
        )
        try:
            try:
                found = jwt.decode(token, self._known(now), algorithms=said.algorithms)
            except InvalidKeyIdError:
                found = jwt.decode(token, self._known(now, anew=True), algorithms=said.algorithms)
            checks.validate(found.claims)
        except ExpiredTokenError:
            raise Unauthenticated("the token is over: get a new one from its issuer") from None
        # Beside its own, the library lets errors of a malformed header or a wrong kind of key through.
        except (JoseError, ValueError, TypeError, KeyError) as error:
            raise Unauthenticated(f"the token is not accepted ({type(error).__name__}): {HOW}") from None
        return found.claims

    def _known(self, now: datetime, *, anew: bool = False) -> KeySet:
        """The keys of the issuer. While it does not answer, those known before, for a day at most."""
        keys = self._keys
        if keys is not None and not anew and _within(self._fetched, now, GOOD):
            return keys
        # While another asks, the known keys serve: a slow issuer must not hold up everyone.
        if not self._asking.acquire(blocking=keys is None):
            return keys  # pyright: ignore[reportReturnType]
        try:
            return self._asked(now)
        finally:
            self._asking.release()

    def _asked(self, now: datetime) -> KeySet:
        # Neither made-up key ids nor an issuer that is away may make us ask at every request.
        known = self._keys if _within(self._fetched, now, STALE) else None
        if _within(self._tried, now, AGAIN):
            if known is None:
                raise Unavailable("the key set of the issuer could not be had just now: try again")
            return known
        self._tried = now
        try:
            self._keys = known = _key_set(self._fetch())
            self._fetched = now
        except Unavailable:
            if known is None:
                raise
        return known


def _within(since: datetime | None, now: datetime, span: timedelta) -> bool:
    return since is not None and timedelta(0) <= now - since < span


def _key_set(content: bytes) -> KeySet:
    from joserfc.errors import JoseError
    from joserfc.jwk import KeySet

    try:
        return KeySet.import_key_set(msgspec.json.decode(content))
    except (JoseError, msgspec.DecodeError, ValueError, TypeError, KeyError) as error:
        raise Unavailable(f"the key set of the issuer cannot be read: {type(error).__name__} {error}") from error
