"""A server of MCP for Ada in this process, and a client of either era that asks it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeVar

import anyio
import pytest
from mcp import Client, MCPError
from mcp.server import Server
from mcp_types import CallToolResult, TextContent

from foveal import Memory
from foveal.doors.mcp import mcp_server
from foveal.doors.mcp.tools import own_principal
from foveal.doors.service import Service
from foveal.testing import ManualClock

Told = TypeVar("Told")
Talk = Callable[[Callable[[Client], Awaitable[Told]]], Told]
Use = Callable[..., CallToolResult]


@pytest.fixture
def memory(clock: ManualClock) -> Iterator[Memory]:
    with Memory(":memory:", clock=clock) as memory:
        yield memory


@pytest.fixture
def clock() -> ManualClock:
    from datetime import UTC, datetime

    return ManualClock(datetime(2026, 1, 5, 9, tzinfo=UTC))


@pytest.fixture
def server(memory: Memory) -> Server[Any]:
    principal = own_principal({"actor_id": "ada", "world": "default"})
    return mcp_server(Service(memory), lambda request: principal)


@pytest.fixture(params=["legacy", "auto"])
def talk(request: pytest.FixtureRequest, server: Server[Any]) -> Talk[Any]:
    """Let a client say something to the server: one that begins with `initialize`, and one that does not."""

    def run(said: Callable[[Client], Awaitable[Any]]) -> Any:
        async def story() -> tuple[Any, MCPError | None]:
            async with Client(server, mode=request.param) as client:
                try:
                    return await said(client), None
                except MCPError as error:
                    # Raised from here, it would leave inside a group of exceptions.
                    return None, error

        told, error = anyio.run(story)
        if error is not None:
            raise error
        return told

    return run


@pytest.fixture
def use(talk: Talk[Any]) -> Use:
    """Use a tool."""

    def run(name: str, **said: Any) -> CallToolResult:
        return talk(lambda client: client.call_tool(name, said))

    return run


def words(result: CallToolResult) -> str:
    """What a model reads of a result."""
    [block] = result.content
    assert isinstance(block, TextContent)
    return block.text
