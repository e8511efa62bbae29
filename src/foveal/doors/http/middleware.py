"""Request ids, errors as problem documents, and the refusal of foreign origins."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
from foveal.rules.validation import is_loopback
from foveal.wire.problems import MEDIA, TYPE, problem, status_of


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
    name = urlsplit(f"//{host}").hostname or ""
    if is_loopback(serving.host) and not is_loopback(name) and name not in serving.hosts:
        raise Forbidden(f"this server is not {name!r}: name it in the setting server.hosts")
    origin = headers.get("origin")
    if origin is None or origin in serving.cors or urlsplit(origin).netloc == host:
        return
    raise Forbidden(f"pages of {origin[:80]!r} may not call: name it in the setting server.cors")


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


class ErrorMiddleware:
    """Gives each request an id, limits its duration, and turns errors into problem documents."""

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
        requested_id = Headers(scope=scope).get("x-request-id", "")
        request_id = requested_id if _ID.fullmatch(requested_id) else new_id(datetime.now(UTC))
        scope.setdefault("state", {})["request_id"] = request_id
        began = False

        async def answer(message: Message) -> None:
            nonlocal began
            if message["type"] == "http.response.start":
                began = True
                headers = MutableHeaders(scope=message)
                headers["X-Request-Id"] = request_id
                for name, value in SECURITY.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            require_own_origin(Headers(scope=scope), self._serving)
            keep_slashes(scope)
            async with asyncio.timeout(None if _streams(scope) else self._longest):
                await self._app(scope, receive, answer)
        except TimeoutError:
            failure: FovealError = TimedOut(f"the request took longer than {self._longest:g} s")
        except FovealError as error:
            failure = error
        except Exception:
            log.exception("a request failed", extra={"request_id": request_id})
            failure = FovealError("an internal error occurred; see this request id in the log of the server")
        else:
            return
        if self._refused is not None and not scope["state"].get("asked"):
            self._refused("http", failure, request_id)
        if not began:
            await told(failure, request_id)(scope, receive, answer)


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


async def body_of(request: Request, limit: int) -> bytes:
    """The body of a request, if it is not over the limit."""
    length = request.headers.get("content-length", "0")
    if length.isdigit() and int(length) > limit:
        raise TooLarge(f"the body has {length} bytes; {limit} are allowed", limit=limit)
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > limit:
            raise TooLarge(f"the body is over {limit} bytes", limit=limit)
        parts.append(part)
    return b"".join(parts)


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
    return path in ("/v1/stream", "/v1/export", "/v1/import", "/api/agent/chat") or path.startswith("/mcp")
