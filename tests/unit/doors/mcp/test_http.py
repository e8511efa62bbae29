"""Over HTTP, each request is for whom its key says, under a name that is ours."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import httpx2
import pytest

from foveal import Memory
from foveal.doors.mcp import McpApp, mcp_app
from foveal.doors.service import Caller, Service
from foveal.errors import Unauthenticated
from foveal.model.server import Right

KEYS = {
    "a": Caller(name="ada's", worlds=("default",), actors=("ada",)),
    "b": Caller(name="ben's", worlds=("default",), actors=("ben",)),
    "reader": Caller(name="reader", actors=("ada",), rights=(Right.READ,)),
    "all": Caller(name="all"),
}
Story = Callable[[httpx2.AsyncClient], Awaitable[Any]]


def authenticate(authorization: str | None) -> Caller:
    key = (authorization or "").removeprefix("Bearer ")
    if key not in KEYS:
        raise Unauthenticated
    return KEYS[key]


@pytest.fixture
def app(memory: Memory) -> McpApp:
    memory.write("Ada likes tea", actor_id="ada", id="tea")
    memory.write("Ben likes rum", actor_id="ben", id="rum")
    return mcp_app(Service(memory), authenticate)


def told(app: McpApp, story: Story) -> Any:
    async def run() -> Any:
        async with app.lifespan():
            transport = httpx2.ASGITransport(app=app)
            async with httpx2.AsyncClient(transport=transport, base_url="http://localhost:8001") as client:
                return await story(client)

    return anyio.run(run)


async def post(client: httpx2.AsyncClient, method: str, key: str | None = "a", **more: Any) -> httpx2.Response:
    url, headers = more.pop("url", "/mcp"), more.pop("headers", {})
    meta: dict[str, Any] = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    sent = {
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        **({"mcp-name": more["name"]} if "name" in more else {}),
        **({"authorization": f"Bearer {key}"} if key else {}),
        **headers,
    }
    body: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**more, "_meta": meta}}
    return await client.post(url, json=body, headers=sent)


async def get(client: httpx2.AsyncClient, record: str, key: str, url: str = "/mcp") -> str:
    answer = await post(client, "tools/call", key, url=url, name="memory_get", arguments={"id": record})
    return answer.json()["result"]["content"][0]["text"]


def test_a_key_opens_the_memory_of_its_actor_only(app: McpApp) -> None:
    async def story(client: httpx2.AsyncClient) -> None:
        assert "Ada likes tea" in await get(client, "tea", "a")
        assert "Ben likes rum" in await get(client, "rum", "b")
        assert (await get(client, "rum", "a")).startswith("not_found")
        assert (await get(client, "rum", "a", "/mcp?actor_id=ben")).startswith("forbidden")
        assert "Ben likes rum" in await get(client, "rum", "all", "/mcp?actor_id=ben")
        assert (await get(client, "tea", "all")).startswith("not_found")

    told(app, story)


def test_a_key_that_reads_lists_only_tools_that_can_read(app: McpApp) -> None:
    answer = told(app, lambda client: post(client, "tools/list", "reader"))
    names = [one["name"] for one in answer.json()["result"]["tools"]]
    assert names == ["memory_context", "memory_search", "memory_timeline", "memory_get", "memory_work"]


def test_a_key_that_reads_sees_the_work_of_agents_and_changes_none_of_it(app: McpApp) -> None:
    async def story(client: httpx2.AsyncClient) -> None:
        arguments: dict[str, Any] = {"verb": "get_active_goals"}
        seen = await post(client, "tools/call", "reader", name="memory_work", arguments=arguments)
        assert seen.json()["result"]["structuredContent"] == {"answer": []}
        arguments = {"verb": "store_goal", "arguments": {"description": "Ship it"}}
        refused = await post(client, "tools/call", "reader", name="memory_work", arguments=arguments)
        assert refused.json()["result"]["content"][0]["text"].startswith("forbidden")

    told(app, story)


@pytest.mark.parametrize("key", [None, "guessed"])
def test_without_a_key_nothing_is_told(key: str | None, app: McpApp) -> None:
    answer = told(app, lambda client: post(client, "tools/list", key))
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["code"] == "unauthenticated"


def test_a_url_that_says_something_else_is_refused(app: McpApp) -> None:
    answer = told(app, lambda client: post(client, "tools/list", url="/mcp?rights=admin"))
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example.com"}, 421),
        ({"host": "localhost.evil.example.com:80"}, 421),
        ({"origin": "http://evil.example.com"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://localhost:3000"}, 200),
        ({"host": "[::1]:8001"}, 200),
    ],
)
def test_pages_of_other_hosts_cannot_reach_it(headers: dict[str, str], status: int, app: McpApp) -> None:
    answer = told(app, lambda client: post(client, "tools/list", headers=headers))
    assert answer.status_code == status


def test_a_session_belongs_to_the_key_that_began_it(app: McpApp) -> None:
    begin = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    sent = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"}

    async def say(client: httpx2.AsyncClient, key: str, method: str, params: Any, **more: str) -> httpx2.Response:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return await client.post("/mcp", json=body, headers={**sent, "authorization": f"Bearer {key}", **more})

    async def story(client: httpx2.AsyncClient) -> None:
        begun = await say(client, "a", "initialize", begin)
        session = {"mcp-session-id": begun.headers["mcp-session-id"]}
        assert (await say(client, "a", "tools/list", {}, **session)).status_code == 200
        assert (await say(client, "b", "tools/list", {}, **session)).status_code == 404

    told(app, story)


def test_without_sessions_every_request_stands_alone(memory: Memory) -> None:
    app = mcp_app(Service(memory), authenticate, sessions=False)
    begin = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}

    async def story(client: httpx2.AsyncClient) -> httpx2.Response:
        body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": begin}
        sent = {"accept": "application/json, text/event-stream", "authorization": "Bearer a"}
        return await client.post("/mcp", json=body, headers=sent)

    answer = told(app, story)
    assert answer.status_code == 200
    assert "mcp-session-id" not in answer.headers


def test_before_its_lifespan_it_says_that_it_is_not_open(app: McpApp) -> None:
    async def run() -> httpx2.Response:
        transport = httpx2.ASGITransport(app=app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await post(client, "tools/list")

    answer = anyio.run(run)
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")


def test_a_url_asks_for_the_tools_of_a_graph(app: McpApp) -> None:
    async def story(client: httpx2.AsyncClient) -> None:
        listed = await post(client, "tools/list", url="/mcp?tools=graph")
        assert len(listed.json()["result"]["tools"]) == 9
        made: dict[str, Any] = {"entities": [{"name": "Ada", "entityType": "person", "observations": []}]}
        await post(client, "tools/call", url="/mcp?tools=graph", name="create_entities", arguments=made)
        found: dict[str, list[Any]] = {"a": made["entities"], "b": []}
        for key in found:
            read = await post(client, "tools/call", key, url="/mcp?tools=graph", name="read_graph", arguments={})
            assert read.json()["result"]["structuredContent"] == {"entities": found[key], "relations": []}
        refused = await post(client, "tools/list", url="/mcp?tools=all")
        assert (refused.status_code, refused.json()["code"]) == (422, "invalid")

    told(app, story)
