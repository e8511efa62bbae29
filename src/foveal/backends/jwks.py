"""Where the public keys of an issuer come from: a file, or a server."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

import msgspec

from foveal.errors import Invalid, Unavailable, Unsupported
from foveal.rules.validation import is_loopback

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
