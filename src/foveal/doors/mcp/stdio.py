"""A server of MCP on standard input and output, for one client that starts it."""

from __future__ import annotations

from functools import partial

import anyio
from mcp.server.stdio import stdio_server

from foveal.doors.mcp.seat import Seat
from foveal.doors.mcp.server import mcp_server
from foveal.doors.service import Service


def serve_stdio(service: Service, seat: Seat) -> None:
    """Answer one client until it closes our standard input."""
    anyio.run(partial(_serve, service, seat))


async def _serve(service: Service, seat: Seat) -> None:
    server = mcp_server(service, lambda request: seat)
    async with stdio_server() as (heard, said):
        await server.run(heard, said, server.create_initialization_options())
