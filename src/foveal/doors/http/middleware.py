"""Request ids, callers, limits, errors as problem documents, and the refusal of foreign origins."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from threading import Event
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from foveal.doors.service import Caller
from foveal.errors import (
    Forbidden,
    FovealError,
    Invalid,
    NotFound,
    RateLimited,
    TimedOut,
    TooLarge,
    Unauthenticated,
)
from foveal.model.ids import new_id
from foveal.model.server import Serving
from foveal.ports.waiting import abandoned_by
from foveal.rules.validation import is_loopback
from foveal.wire.problems import MEDIA, TYPE, problem, status_of
from foveal.wire.verbs import LONG


def require_own_origin(headers: Headers, serving: Serving) -> None:
    """Raise `Forbidden` for a request that a page of another site made a browser send.

    Either its `Origin` is neither this server nor an allowed one, or its `Host` is a foreign name, which a server
    that listens only on this machine never has.

    >>> require_own_origin(Headers({"host": "127.0.0.1:8001", "origin": "http://evil.example"}), Serving())
    Traceback (most recent call last):
    ...
    foveal.errors.Forbidden: pages of 'http://evil.example' may not call: name it in the setting server.cors
    """
    host = headers.get("host", "")
    name = _parts(f"//{host}", "Host").hostname or ""
    if is_loopback(serving.host) and not is_loopback(name) and name not in serving.hosts:
        raise Forbidden(f"this server is not {name!r}: name it in the setting server.hosts")
    origin = headers.get("origin")
    if origin is None or origin in serving.cors or _parts(origin, "Origin").netloc == host:
        return
    raise Forbidden(f"pages of {origin[:80]!r} may not call: name it in the setting server.cors")


def _parts(address: str, header: str) -> SplitResult:
    try:
        return urlsplit(address)
    except ValueError as error:
        raise Invalid(f"the header {header} is not an address: {error}") from None


# Replaces a slash inside a name while the route is matched; a private-use character that texts do not contain.
_STAND_IN = "\ue000"


def keep_slashes(scope: Scope) -> None:
    """Hide the slashes inside names from the router, so that they do not separate path segments."""
    raw: bytes | None = scope.get("raw_path")
    if raw is not None and b"%2f" in raw.lower():
        path = raw.partition(b"?")[0].decode("latin-1")
        marked = path.replace("%2F", "%2f").replace("%2f", _STAND_IN)
        scope["path"] = unquote(marked)


def said_in(parts: Mapping[str, Any]) -> dict[str, Any]:
    """The path parameters, with the slashes inside names restored.

    >>> said_in({"record_id": "a\ue000history"})
    {'record_id': 'a/history'}
    """
    return {name: value.replace(_STAND_IN, "/") for name, value in parts.items()}


Refused = Callable[[str, BaseException, str | None], None]

log = logging.getLogger("foveal.http")

_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
# Pages may load only the files of this server, and may not be framed.
SECURITY = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
}


# The path of an import, which is spooled to disk before anything is stored, and its maximum size.
IMPORT, LARGEST = "/v1/import", 1 << 30
# How much of the body of a refused request is read, and for how many seconds, so that its sender sees the answer.
DISCARDED, DISCARDING = 1 << 20, 1.0


def _sends_body(headers: Headers) -> bool:
    return "transfer-encoding" in headers or headers.get("content-length", "0") != "0"


class LimitedBody:
    """Receives the body of a request: at most `limit` bytes, in `longest` seconds, never silent for `idle`."""

    def __init__(self, receive: Receive, headers: Headers, *, limit: int, longest: float, idle: float) -> None:
        self._receive = receive
        self._headers = headers
        self._limit = limit
        self._longest, self._idle = longest, idle
        self._until = asyncio.get_running_loop().time() + longest
        self._size = 0
        self._complete = False
        self._late = False

    async def __call__(self) -> Message:
        """The next message of the client."""
        if self._complete:
            return await self._receive()
        length = self._headers.get("content-length", "0")
        if length.isdecimal() and int(length[:20]) > self._limit:
            raise self._too_large()
        now = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout_at(min(self._until, now + self._idle)):
                message = await self._receive()
        except TimeoutError:
            self._late = True
            raise TimedOut(
                f"the body may take {self._longest:g} s, and no part of it more than {self._idle:g} s"
            ) from None
        self._size += len(message.get("body", b""))
        self._complete = not message.get("more_body", False)
        if self._size > self._limit:
            raise self._too_large()
        return message

    def _too_large(self) -> TooLarge:
        return TooLarge(f"the body is over {self._limit} bytes: send less, or in parts", limit=self._limit)

    @property
    def outstanding(self) -> bool:
        """Whether the client may still be sending."""
        return _sends_body(self._headers) and not self._complete

    async def discard(self) -> None:
        """Read the rest of the body, if it is short and comes soon: a client may not look for the answer before."""
        # Who asks first whether to send the body sends none after a refusal, and who was late is not waited for.
        if "expect" in self._headers or self._late:
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(DISCARDING):
                while self.outstanding and self._size <= DISCARDED:
                    message = await self._receive()
                    self._size += len(message.get("body", b""))
                    self._complete = not message.get("more_body", False)


# Paths whose bodies are read without a caller: a one-time ticket is a credential itself, and MCP asks for one.
CREDENTIAL_PATHS = frozenset({"/memory-console/session", "/mcp"})


class CallerMiddleware:
    """Authenticates the caller before a byte of the body is read. A request without a body does so at its verb."""

    def __init__(self, app: ASGIApp, *, authenticate: Callable[[Request], Caller]) -> None:
        self._app = app
        self._authenticate = authenticate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        # Without a body, somebody who receives only waits for the client to leave.
        if scope["type"] != "http" or scope["path"] in CREDENTIAL_PATHS or not _sends_body(Headers(scope=scope)):
            await self._app(scope, receive, send)
            return
        known = False

        async def from_caller() -> Message:
            nonlocal known
            if not known:
                await run_in_threadpool(self._authenticate, Request(scope))
                known = True
            return await receive()

        await self._app(scope, from_caller, send)


class ErrorMiddleware:
    """Gives each request an id, limits its size and duration, and turns errors into problem documents."""

    def __init__(self, app: ASGIApp, *, serving: Serving, refused: Refused | None = None) -> None:
        self._app = app
        self._refused = refused
        self._longest = serving.request_timeout
        self._serving = serving

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        requested_id = headers.get("x-request-id", "")
        request_id = requested_id if _ID.fullmatch(requested_id) else new_id(datetime.now(UTC))
        scope.setdefault("state", {})["request_id"] = request_id
        body = self._body(scope, receive, headers)
        began, over = False, Event()

        async def answer(message: Message) -> None:
            nonlocal began
            if message["type"] == "http.response.start":
                began = True
                ours = MutableHeaders(scope=message)
                ours["X-Request-Id"] = request_id
                for name, value in SECURITY.items():
                    ours.setdefault(name, value)
                await body.discard()
                if body.outstanding:
                    ours["Connection"] = "close"
            # A client that takes nothing of a long answer must not hold it for ever.
            async with asyncio.timeout(self._longest):
                await _deliver(send, message)

        try:
            require_own_origin(headers, self._serving)
            keep_slashes(scope)
            # A caller that leaves in the middle of its body is no error, and nobody hears an answer.
            with abandoned_by(over), suppress(ClientDisconnect):
                async with asyncio.timeout(None if _streams(scope) else self._longest):
                    await self._app(scope, body, answer)
        except TimeoutError:
            failure: FovealError = TimedOut(f"the request took longer than {self._longest:g} s")
        except FovealError as error:
            failure = error
        except Exception:
            log.exception("a request failed", extra={"request_id": request_id})
            failure = FovealError("an internal error occurred; see this request id in the log of the server")
        else:
            return
        finally:
            # A thread that still works for this request stops: nobody waits for it.
            over.set()
        if self._refused is not None and not scope["state"].get("asked"):
            self._refused("http", failure, request_id)
        if not began:
            await told(failure, request_id)(scope, receive, answer)

    def _body(self, scope: Scope, receive: Receive, headers: Headers) -> LimitedBody:
        if scope["path"] == IMPORT:
            return LimitedBody(receive, headers, limit=LARGEST, longest=LONG.total_seconds(), idle=self._longest)
        return LimitedBody(
            receive, headers, limit=self._serving.body_limit, longest=self._longest, idle=self._longest
        )


async def _deliver(send: Send, message: Message) -> None:
    """Send a part of an answer. A connection that the client has closed takes no more, which is no error."""
    try:
        await send(message)
    except RuntimeError as error:
        # So says the event loop until the server has heard that the connection is closed.
        if "handler is closed" not in str(error):
            raise


def told(error: FovealError, request_id: str) -> Response:
    """An error as an HTTP response."""
    headers = {"Cache-Control": "no-store"}
    if isinstance(error, RateLimited) or "retry_after" in error.data:
        headers["Retry-After"] = str(max(1, round(float(str(error.data.get("retry_after", 1))))))
    if isinstance(error, Unauthenticated):
        headers["WWW-Authenticate"] = "Bearer"
    body = msgspec.json.encode(problem(error, request_id))
    return Response(body, status_of(type(error)).http, headers, MEDIA)


async def no_route(request: Request, error: Exception) -> Response:
    """An error of the router as a problem document."""
    assert isinstance(error, HTTPException)
    request_id: str = request.state.request_id
    if error.status_code == 404:
        return told(NotFound(f"there is no {request.url.path}: see /openapi.json for all paths"), request_id)
    if error.status_code == 413:
        return told(TooLarge(str(error.detail)), request_id)
    document: dict[str, Any] = {
        "type": TYPE + "method_not_allowed",
        "title": "This path does not take that method.",
        "status": error.status_code,
        "detail": f"{request.method} is not for {request.url.path}: see /openapi.json",
        "code": "method_not_allowed",
        "retry": False,
        "data": {},
        "request_id": request_id,
    }
    return Response(msgspec.json.encode(document), error.status_code, dict(error.headers or {}), MEDIA)


def json_of(body: bytes) -> dict[str, object]:
    """The JSON object in a body; an empty body is an empty object."""
    if not body:
        return {}
    try:
        content = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Invalid(f"the body is not JSON: {error}") from error
    if not isinstance(content, dict):
        raise Invalid("the body must be a JSON object")
    return content  # pyright: ignore[reportUnknownVariableType]


def _streams(scope: Scope) -> bool:
    """Whether the response may take as long as it needs."""
    path: str = scope["path"]
    return path in ("/v1/stream", "/v1/export", IMPORT, "/api/agent/chat") or path.startswith("/mcp")
