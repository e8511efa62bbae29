"""What every client over HTTP shares: the library, its connections, retries, and messages without the key."""

from __future__ import annotations

import random
import re
import threading
import weakref
from collections.abc import Callable
from datetime import timedelta
from email.utils import parsedate_to_datetime
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar, cast
from urllib.parse import SplitResult, urlsplit

from msgspec import Struct

from foveal.errors import FovealError, Invalid, Unsupported

if TYPE_CHECKING:
    import httpx2

LONGEST_REASON = 300
R = TypeVar("R")


def http_library(needs: str, extra: str = "http") -> ModuleType:
    """The HTTP library, an optional dependency; `needs` begins the message if it is not installed."""
    try:
        return import_module("httpx2")
    except ImportError as error:
        raise Unsupported(f"{needs} httpx2: pip install 'foveal[{extra}]' ({error})") from error


class Pool:
    """The pooled connections to a server, opened at the first use. Safe to share between threads.

    `needs` begins the message if the HTTP library is not installed; `options` are those of its client.
    """

    def __init__(self, needs: str, key: str | None, options: Callable[[ModuleType], dict[str, Any]]) -> None:
        self._needs, self._key, self._options = needs, key, options
        self._lock = threading.Lock()
        self._open: httpx2.Client | None = None

    @property
    def library(self) -> ModuleType:
        """The HTTP library; `Unsupported` says how to install it."""
        return http_library(self._needs)

    def client(self) -> httpx2.Client:
        """The client of the HTTP library."""
        with self._lock:
            if self._open is None:
                client: httpx2.Client = self.library.Client(
                    headers=authorization(self._key), **self._options(self.library)
                )
                weakref.finalize(self, client.close)
                self._open = client
            return self._open

    def close(self) -> None:
        """Close the connections; the next call opens new ones."""
        with self._lock:
            if self._open is not None:
                self._open.close()
                self._open = None

    def clean(self, text: str) -> str:
        """A message of the server or the library, shortened and without the key."""
        if self._key:
            text = text.replace(self._key, "***")
        return " ".join(text.split())[:LONGEST_REASON]


def authorization(key: str | None) -> dict[str, str]:
    """The header that carries a key, if there is one."""
    return {"Authorization": f"Bearer {key}"} if key else {}


def can_be_sent(key: str | None) -> bool:
    """Whether a header can carry a key. The HTTP library would quote one that it cannot send, and with it the key.

    >>> can_be_sent("sk-1"), can_be_sent(" sk-1")
    (True, False)
    """
    return not key or (key.isascii() and key.isprintable() and key == key.strip())


def url_parts(url: str, kind: str, form: str) -> SplitResult:
    """The parts of the URL of a server; `kind` says in messages what it is, and `form` how to write the URL."""
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError as error:
        raise Invalid(f"the URL of the {kind} is not valid: {error}") from error
    # A password in the URL would end up in the logs of the HTTP library.
    if "@" in parts.netloc:
        raise Invalid(f"the URL of the {kind} holds a user or a password: give the key apart from it")
    if not valid:
        raise Invalid(f"{url!r} is not the URL of a {kind}: use http(s)://{form}")
    return parts


def retry_after(answer: httpx2.Response) -> dict[str, float]:
    """The number of seconds after which the server allows a retry, if it says so."""
    text = answer.headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text, re.ASCII):
        return {"retry_after": float(text)}
    try:
        # Compared with the server's own clock, from which the date was computed.
        span = parsedate_to_datetime(text) - parsedate_to_datetime(answer.headers.get("date", ""))
    except (ValueError, TypeError):
        return {}
    return {"retry_after": max(0.0, span.total_seconds())}


def pause(span: timedelta) -> None:
    """Sleep. This is the default way to wait between retries."""
    threading.Event().wait(span.total_seconds())


class Retries(Struct, frozen=True, kw_only=True):
    """How often a call is tried, the usual first pause, and the longest that is waited for."""

    attempts: int
    first: timedelta
    longest: timedelta

    def run(
        self,
        call: Callable[[], R],
        *,
        passing: Callable[[FovealError], bool],
        wait: Callable[[timedelta], None],
        jitter: Callable[[], float] = random.random,
    ) -> R:
        """The result of a call, which is repeated with growing, random pauses while it fails in a passing way."""
        for attempt in range(self.attempts - 1):
            try:
                return call()
            except FovealError as error:
                if not passing(error):
                    raise
                # Clients that failed together should not retry together, nor sooner than the server asked.
                asked = timedelta(seconds=cast(float, error.data.get("retry_after") or 0.0))
                span = max(asked, self.first * 2**attempt * (0.5 + jitter()))
                if span > self.longest:
                    raise
            wait(span)
        return call()
