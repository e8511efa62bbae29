"""The door of MCP over HTTP, as an app to mount at `/mcp`."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import anyio.to_thread
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from foveal.doors.mcp.seat import Seat, asked_seat
from foveal.doors.mcp.server import mcp_server
from foveal.doors.service import Caller, Service
from foveal.errors import FovealError, Unauthenticated, Unavailable
from foveal.wire.problems import MEDIA, problem, status_of

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
# Where a request carries its seat between the door and the tools.
SEAT = "foveal.seat"

Authenticate = Callable[[str | None], Caller]
"""From the header `Authorization` of a request to who calls; `Unauthenticated` for nobody. It may block."""


class McpApp:
    """An ASGI app for one path, and what must run while it serves."""

    def __init__(
        self, service: Service, authenticate: Authenticate, hosts: Sequence[str], *, sessions: bool
    ) -> None:
        self._service = service
        self._authenticate = authenticate
        self._guard = _guard(hosts)
        self._sessions = sessions
        self._running: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def lifespan(self) -> AsyncGenerator[None]:
        """Enter it in the lifespan of the app that this one is mounted in: mounting alone does not."""
        made = StreamableHTTPSessionManager(
            mcp_server(self._service, _seat_of),
            json_response=True,
            stateless=not self._sessions,
            security_settings=self._guard,
        )
        async with made.run():
            self._running = made
            try:
                yield
            finally:
                self._running = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; or, served alone, the lifespan."""
        if scope["type"] == "lifespan":
            await self._alone(receive, send)
        elif scope["type"] == "http":
            try:
                await self._answer(scope, receive, send)
            except FovealError as error:
                await _refusal(error)(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._running is None:
            raise Unavailable("the door of MCP is not open: its lifespan has not begun, or is over")
        # Not every server of HTTP takes the blanks off the end of a header, and MCP compares headers with the body.
        trimmed = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        request = Request({**scope, "headers": trimmed})
        caller = await anyio.to_thread.run_sync(self._authenticate, request.headers.get("authorization"))
        seat = asked_seat(caller, dict(request.query_params))
        # By this the sessions know their owner: with another key, a session is not found.
        owner = AuthenticatedUser(AccessToken(token="", client_id=caller.name, scopes=[]))
        await self._running.handle_request({**request.scope, "user": owner, SEAT: seat}, receive, send)

    async def _alone(self, receive: Receive, send: Send) -> None:
        await receive()
        async with self.lifespan():
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})


def mcp_app(
    service: Service,
    authenticate: Authenticate,
    *,
    hosts: Sequence[str] = LOOPBACK,
    sessions: bool = True,
) -> McpApp:
    """MCP over HTTP for whom `authenticate` lets in, to be mounted at `/mcp`.

    `hosts` are the names that this server is reached by: requests to any other, and from pages of any other, are
    refused, so that no web page can reach a server on this machine by a name of its own. Without `sessions` every
    request stands alone, as several worker processes need it. The viewpoint is in the query of the URL:
    `/mcp?actor_id=ada&node=/planner`.
    """
    return McpApp(service, authenticate, hosts, sessions=sessions)


def _guard(hosts: Sequence[str]) -> TransportSecuritySettings:
    named = [form for host in hosts for form in (host, f"{host}:*")]
    pages = [f"{scheme}://{one}" for scheme in ("http", "https") for one in named]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True, allowed_hosts=named, allowed_origins=pages
    )


def _seat_of(request: Any) -> Seat:
    return request.scope[SEAT]


def _refusal(error: FovealError) -> JSONResponse:
    status = int(status_of(type(error)).http)
    headers = Headers({"WWW-Authenticate": "Bearer"}) if isinstance(error, Unauthenticated) else None
    return JSONResponse(problem(error), status, headers, MEDIA)
