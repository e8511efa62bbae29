"""Tokens of an external issuer and their claims."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

import msgspec

from foveal.doors.service.service import Caller
from foveal.errors import Forbidden, Invalid, Unauthenticated, Unavailable, Unsupported
from foveal.model.server import Right, Serving
from foveal.rules.validation import is_loopback

if TYPE_CHECKING:
    from joserfc.jwk import KeySet


LARGEST = 1_048_576
PATIENCE = timedelta(seconds=5)

Fetch = Callable[[], bytes]


def key_source(issuer: str, jwks: str | None) -> Fetch:
    """A function that gives the key set of an issuer, anew at every call.

    `jwks` is a file or a URL; without it, the issuer's discovery document says where the key set is.
    """
    if jwks is None:
        _checked(issuer, "the issuer")
        return lambda: _fetched(_discovered(issuer), "the key set of the issuer")
    if "://" in jwks:
        _checked(jwks, "jwks")
        return lambda: _fetched(jwks, "the key set of the issuer")
    path = Path(jwks).expanduser()
    return lambda: _read(path)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise Unavailable(f"the key set {path} cannot be read: {error.strerror}", path=str(path)) from error


def _discovered(issuer: str) -> str:
    url = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
    try:
        told = msgspec.json.decode(_fetched(url, "the discovery document of the issuer"), type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise Unavailable(f"the discovery document {url} is not a JSON object: {error}") from error
    # Another issuer's document would make another's keys good for tokens of this one.
    if told.get("issuer") != issuer or not isinstance(told.get("jwks_uri"), str):
        raise Unavailable(f"{url} is not the discovery document of {issuer}: say where the keys are with jwks")
    return _checked(str(told["jwks_uri"]), "jwks_uri")


def _checked(url: str, what: str) -> str:
    """`url`, if keys from there can be trusted: encrypted on the way, or from this machine."""
    parts = urlsplit(url)
    if parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname or "")):
        return url
    raise Invalid(f"{what} {url!r} must be a file or an https URL: who can change the keys can come in")


def _fetched(url: str, what: str) -> bytes:
    library = _library()
    try:
        # No redirects: they could lead away from the host that was checked.
        with library.stream("GET", url, timeout=PATIENCE.total_seconds(), follow_redirects=False) as answer:
            if answer.status_code != 200:
                raise Unavailable(f"{what} at {url}: {answer.status_code}")
            content = b""
            for part in answer.iter_bytes():
                content += part
                if len(content) > LARGEST:
                    raise Unavailable(f"{what} at {url} has more than {LARGEST:,} bytes")
            return content
    except (library.RequestError, library.InvalidURL) as error:
        raise Unavailable(f"{what} at {url} cannot be had: {type(error).__name__}") from error


def _library() -> ModuleType:
    try:
        return import_module("httpx2")
    except ImportError as error:
        raise Unsupported(f"keys of an issuer need httpx2: pip install 'foveal[server]' ({error})") from error


WORLDS, ACTORS, RIGHTS, VERBS = "foveal_worlds", "foveal_actors", "foveal_rights", "foveal_verbs"
ANY = "*"
_SCOPE = "foveal:"


def granted(claims: Mapping[str, Any], world: str) -> Caller:
    """The caller that a token speaks for. What a token does not say it does not grant.

    Without `foveal_worlds` it is for `world` only, without `foveal_actors` for the memory of its subject only;
    "*" is any. Rights come from `foveal_rights`, and from `foveal:read`, `foveal:write` and `foveal:admin` in the
    `scope` or `scp`.

    >>> granted({"iss": "https://id", "sub": "ada", "scope": "openid foveal:read"}, "default").actors
    ('ada',)
    """
    subject = claims.get("sub")
    if not isinstance(subject, str) or not subject:
        raise Unauthenticated("the token names no subject")
    scopes = [*_names(claims, "scope"), *_names(claims, "scp")]
    named = {*_names(claims, RIGHTS), *(one.removeprefix(_SCOPE) for one in scopes if one.startswith(_SCOPE))}
    rights = tuple(right for right in Right if right in named)
    if not rights:
        raise Forbidden(
            f"the token grants nothing here: it needs scope {_SCOPE}read, {_SCOPE}write or {_SCOPE}admin"
        )
    return Caller(
        name=subject,
        subject=f"{claims.get('iss')}#{subject}",
        worlds=_granted(claims, WORLDS, (world,)),
        actors=_granted(claims, ACTORS, (subject,)),
        rights=rights,
        verbs=_granted(claims, VERBS, None),
    )


def _granted(claims: Mapping[str, Any], name: str, unsaid: tuple[str, ...] | None) -> tuple[str, ...] | None:
    if name not in claims:
        return unsaid
    named = tuple(_names(claims, name))
    return None if ANY in named else named


def _names(claims: Mapping[str, Any], name: str) -> list[str]:
    """A claim as names: a list, or words with blanks between."""
    said = claims.get(name)
    if said is None:
        return []
    if isinstance(said, str):
        return said.split()
    if isinstance(said, list) and all(isinstance(one, str) for one in cast(list[Any], said)):
        return cast(list[str], said)
    raise Unauthenticated(f"the claim {name} of the token is not a list of names")


HOW = "send the header `Authorization: Bearer <key>`; `foveal key add` makes a key"


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
