"""A client starts `foveal mcp` and has a memory: real processes, real pipes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult

from foveal import Memory

ROOT = Path(__file__).parents[2]
VARIABLES = {**os.environ, "PYTHONPATH": str(ROOT / "src")}


def _started(path: Path, *words: str, **variables: str) -> StdioServerParameters:
    command = ["-m", "foveal.doors.cli", "mcp", "--url", str(path), *words]
    return StdioServerParameters(command=sys.executable, args=command, env={**VARIABLES, **variables})


def _told(story: Callable[[Client], Awaitable[Any]], started: StdioServerParameters, mode: str = "auto") -> Any:
    async def run() -> Any:
        async with Client(stdio_client(started), mode=mode) as client:
            return await story(client)

    return anyio.run(run)


def _answer(result: CallToolResult) -> Any:
    assert not result.is_error, result.content
    return result.structured_content


def test_a_newcomer_initializes_lists_adds_searches_and_recalls(tmp_path: Path) -> None:
    async def story(client: Client) -> None:
        assert client.server_info is not None
        assert client.server_info.name == "foveal"
        assert "memory_context" in (client.instructions or "")
        assert len((await client.list_tools()).tools) == 10
        known = _answer(await client.call_tool("memory_add", {"text": "The door code is 4711.", "kind": "fact"}))
        found = _answer(await client.call_tool("memory_search", {"query": "what is the door code?"}))
        assert found["records"][0]["id"] == known["id"]
        context = _answer(await client.call_tool("memory_context", {"query": "door code", "token_budget": 200}))
        assert "4711" in context["text"]
        assert (await client.list_resources()).resources[0].name == known["id"]

    path = tmp_path / "new" / "memory.db"
    _told(story, _started(path, "--node", "/planner", FOVEAL_ACTOR_ID="ada"), mode="legacy")
    with Memory(path) as memory:
        [record] = memory.timeline(actor_id="ada", node="/planner")
    assert (record.node, record.source) == ("/planner", "assistant")


def test_two_servers_share_one_file_and_see_each_other_at_once(tmp_path: Path) -> None:
    started = _started(tmp_path / "memory.db", "--actor-id", "ada")
    each = 25

    async def add(client: Client, who: str) -> None:
        for number in range(each):
            _answer(await client.call_tool("memory_add", {"text": f"{who} saw ship number {number}"}))

    async def run() -> None:
        async with Client(stdio_client(started)) as one, Client(stdio_client(started)) as other:
            first = _answer(await one.call_tool("memory_add", {"text": "the kettle is in the attic"}))
            found = _answer(await other.call_tool("memory_search", {"query": "where is the kettle?"}))
            assert found["records"][0]["id"] == first["id"]
            async with anyio.create_task_group() as both:
                both.start_soon(add, one, "Ben")
                both.start_soon(add, other, "Cleo")
            for client in (one, other):
                page = _answer(await client.call_tool("memory_timeline", {"limit": 100}))
                assert len(page["records"]) == 2 * each + 1
            changed = {"id": first["id"], "text": "the kettle is in the cellar", "expected_version": 1}
            assert not (await one.call_tool("memory_update", changed)).is_error
            assert (await other.call_tool("memory_update", changed)).is_error

    anyio.run(run)
    with Memory(tmp_path / "memory.db") as memory:
        assert memory.stats(actor_id="ada").records == 2 * each + 1
        assert memory.admin.check() == []


def test_a_client_of_the_reference_memory_server_keeps_its_graph_here(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    ada = {"name": "Ada", "entityType": "person", "observations": ["likes tea"]}
    oslo: dict[str, Any] = {"name": "Oslo", "entityType": "city", "observations": []}
    lives = {"from": "Ada", "to": "Oslo", "relationType": "lives in"}

    async def keep(client: Client) -> None:
        assert len((await client.list_tools()).tools) == 9
        assert "memory_context" not in (client.instructions or "")
        _answer(await client.call_tool("create_entities", {"entities": [ada, oslo]}))
        _answer(await client.call_tool("create_relations", {"relations": [lives]}))

    async def look(client: Client) -> Any:
        return _answer(await client.call_tool("read_graph", {}))

    _told(keep, _started(path, "--tools", "graph", "--actor-id", "ada"), mode="legacy")
    read = _told(look, _started(path, "--tools", "graph", "--actor-id", "ada", "--read-only"))
    assert read == {"entities": [ada, oslo], "relations": [lives]}
    assert _told(look, _started(path, "--tools", "graph", "--actor-id", "ben"))["entities"] == []
    with Memory(path) as memory:
        assert memory.search("what does Ada like?", actor_id="ada")[0].text == "Ada: likes tea"


def test_standard_output_carries_the_protocol_and_nothing_else(tmp_path: Path) -> None:
    asked = [
        *("not json", "", "[1]"),
        _request(1, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=ME),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        _request(2, "tools/call", name="memory_add", arguments={"text": "x" * 10_000}),
        _request(3, "tools/call", name="memory_get", arguments={"id": "nobody"}),
        _request(4, "no/such/method"),
    ]
    words = [sys.executable, "-m", "foveal.doors.cli", "mcp", "--url", str(tmp_path / "memory.db")]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=VARIABLES
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write("\n".join(asked) + "\n")
        server.stdin.flush()
        left = {1, 2, 3, 4}
        while left:
            # Any line that is not of the protocol fails here.
            answer = json.loads(server.stdout.readline())
            assert answer["jsonrpc"] == "2.0"
            left.discard(answer.get("id"))
        rest, complaints = server.communicate()
    assert (rest, server.returncode) == ("", 0), complaints


ME = {"name": "test", "version": "1"}


def _request(number: int, method: str, **said: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": said})


def test_without_the_package_the_command_says_what_to_install(tmp_path: Path) -> None:
    # As if it were not installed.
    script = """
import sys
sys.modules["mcp"] = sys.modules["mcp_types"] = None
from foveal.doors.cli.app import app
app(["mcp", "--url", sys.argv[1]])
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "memory.db")],
        capture_output=True,
        text=True,
        env=VARIABLES,
        check=False,
    )
    assert done.returncode == 8, done.stderr
    assert done.stderr == "Error: MCP needs the package mcp, 2.3 or later: pip install 'foveal[mcp]'\n"
    assert done.stdout == ""
    assert not (tmp_path / "memory.db").exists()
