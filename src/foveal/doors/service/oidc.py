"""Tokens of an external OpenID Connect issuer, and the rights that their claims grant."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

import msgspec

from foveal.backends.http_client import http_library
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
    """A function that fetches the key set of an issuer at every call.

    `jwks` is a file or a URL; without it, the issuer's discovery document says where the key set is.
    """
    if jwks is None:
        _trusted(issuer, "the issuer")
        return lambda: _fetched(_discovered_url(issuer), "the key set of the issuer")
    if "://" in jwks:
        _trusted(jwks, "jwks")
        return lambda: _fetched(jwks, "the key set of the issuer")
    path = Path(jwks).expanduser()
    return lambda: _read(path)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise Unavailable(f"the key set {path} cannot be read: {error.strerror}", path=str(path)) from error


def _discovered_url(issuer: str) -> str:
    url = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
    try:
        document = msgspec.json.decode(_fetched(url, "the discovery document of the issuer"), type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Unavailable(f"the discovery document {url} is not a JSON object: {error}") from error
    # A document of another issuer would make the keys of that issuer valid for tokens of this one.
    if document.get("issuer") != issuer or not isinstance(document.get("jwks_uri"), str):
        raise Unavailable(f"{url} is not the discovery document of {issuer}: set jwks to where the keys are")
    return _trusted(str(document["jwks_uri"]), "jwks_uri")


def _trusted(url: str, what: str) -> str:
    """`url`, if keys from there can be trusted: over https, or from this machine."""
    parts = urlsplit(url)
    if parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname or "")):
        return url
    raise Invalid(f"{what} {url!r} must be a file or an https URL: whoever can change the keys can sign in")


def _fetched(url: str, what: str) -> bytes:
    library = http_library("keys of an issuer need", "server")
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
        raise Unavailable(f"{what} at {url} cannot be fetched: {type(error).__name__}") from error


WORLDS, ACTORS, RIGHTS, VERBS = "foveal_worlds", "foveal_actors", "foveal_rights", "foveal_verbs"
ANY = "*"
_SCOPE = "foveal:"


def granted(claims: Mapping[str, Any], world: str) -> Caller:
    """The caller that a token describes. A token grants only what it states.

    Without `foveal_worlds` it is for `world` only, without `foveal_actors` for the memory of its subject only;
    "*" means any. Rights come from `foveal_rights`, and from `foveal:read`, `foveal:write` and `foveal:admin` in
    the `scope` or `scp`.

    >>> granted({"iss": "https://id", "sub": "ada", "scope": "openid foveal:read"}, "default").actors
    ('ada',)
    """
    subject = claims.get("sub")
    if not isinstance(subject, str) or not subject:
        raise Unauthenticated("the token names no subject")
    scopes = [*_names(claims, "scope"), *_names(claims, "scp")]
    names = {*_names(claims, RIGHTS), *(scope.removeprefix(_SCOPE) for scope in scopes if scope.startswith(_SCOPE))}
    rights = tuple(right for right in Right if right in names)
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


def _granted(claims: Mapping[str, Any], name: str, default: tuple[str, ...] | None) -> tuple[str, ...] | None:
    if name not in claims:
        return default
    values = tuple(_names(claims, name))
    return None if ANY in values else values


def _names(claims: Mapping[str, Any], name: str) -> list[str]:
    """The names in a claim: a list, or words separated by spaces."""
    claim = claims.get(name)
    if claim is None:
        return []
    if isinstance(claim, str):
        return claim.split()
    if isinstance(claim, list) and all(isinstance(item, str) for item in cast(list[Any], claim)):
        return cast(list[str], claim)
    raise Unauthenticated(f"the claim {name} of the token is not a list of names")


HOW = "send the header `Authorization: Bearer <key>`; `foveal key add` makes a key"


# How long a key set is fresh, and how soon an unknown key id may cause another fetch.
GOOD, AGAIN = timedelta(minutes=10), timedelta(seconds=10)
# How long the last good key set is used while the issuer does not answer.
STALE = timedelta(hours=24)


class Issuer:
    """The issuer of tokens. Its keys are fetched when first needed, and again for an unknown key id.

    A token is valid if a key of the issuer signed it with an accepted algorithm, and it names the issuer and the
    audience and has not expired. It cannot be revoked, so the issuer should make short-lived ones.
    """

    def __init__(self, serving: Serving, fetch: Callable[[], bytes], *, world: str = "default") -> None:
        self._serving = serving
        self._fetch = fetch
        self._world = world
        self._fetching = threading.Lock()
        self._keys: KeySet | None = None
        self._fetched: datetime | None = None
        self._tried: datetime | None = None

    def caller(self, token: str, now: datetime) -> Caller:
        """The caller that a token describes; `Unauthenticated` if the token is not valid."""
        return granted(self._claims(token, now), self._world)

    def _claims(self, token: str, now: datetime) -> Mapping[str, Any]:
        try:
            from joserfc import jwt
            from joserfc.errors import ExpiredTokenError, InvalidKeyIdError, JoseError
        except ImportError as error:
            raise Unsupported(f"tokens need joserfc: pip install 'foveal[server]' ({error})") from error
        serving = self._serving
        checks = jwt.JWTClaimsRegistry(
            now=int(now.timestamp()),
            leeway=int(serving.leeway),
            iss={"essential": True, "value": serving.issuer or ""},
            aud={"essential": True, "value": serving.audience or ""},
            exp={"essential": True},
            sub={"essential": True},
        )
        try:
            try:
                decoded = jwt.decode(token, self._current_keys(now), algorithms=serving.algorithms)
            except InvalidKeyIdError:
                decoded = jwt.decode(token, self._current_keys(now, refresh=True), algorithms=serving.algorithms)
            checks.validate(decoded.claims)
        except ExpiredTokenError:
            raise Unauthenticated("the token is over: get a new one from its issuer") from None
        # Besides its own errors, the library raises these for a malformed header or a key of the wrong kind.
        except (JoseError, ValueError, TypeError, KeyError) as error:
            raise Unauthenticated(f"the token is not accepted ({type(error).__name__}): {HOW}") from None
        return decoded.claims

    def _current_keys(self, now: datetime, *, refresh: bool = False) -> KeySet:
        """The keys of the issuer; while it does not answer, the cached ones, for at most a day."""
        keys = self._keys
        if keys is not None and not refresh and _within(self._fetched, now, GOOD):
            return keys
        # While another thread fetches, use the cached keys: a slow issuer must not block every request.
        if not self._fetching.acquire(blocking=keys is None):
            return keys  # pyright: ignore[reportReturnType]
        try:
            return self._refreshed(now)
        finally:
            self._fetching.release()

    def _refreshed(self, now: datetime) -> KeySet:
        # Neither made-up key ids nor an unreachable issuer may cause a fetch at every request.
        keys = self._keys if _within(self._fetched, now, STALE) else None
        if _within(self._tried, now, AGAIN):
            if keys is None:
                raise Unavailable("the key set of the issuer could not be fetched: try again later")
            return keys
        self._tried = now
        try:
            self._keys = keys = _parsed_keys(self._fetch())
            self._fetched = now
        except Unavailable:
            if keys is None:
                raise
        return keys


def _within(since: datetime | None, now: datetime, span: timedelta) -> bool:
    return since is not None and timedelta(0) <= now - since < span


def _parsed_keys(content: bytes) -> KeySet:
    from joserfc.errors import JoseError
    from joserfc.jwk import KeySet

    try:
        return KeySet.import_key_set(msgspec.json.decode(content))
    except (JoseError, msgspec.DecodeError, ValueError, TypeError, KeyError) as error:
        raise Unavailable(f"the key set of the issuer cannot be read: {type(error).__name__} {error}") from error
