"""A server of MCP for Ada cannot be made to show Ben's memory, nor that there is any."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from msgspec.structs import replace

from foveal import Memory
from foveal.doors.mcp import mcp_server
from foveal.doors.mcp.tools import TOOLS, asked_principal, own_principal, uri_of
from foveal.doors.service import Caller, Service
from foveal.errors import Forbidden, Invalid

SECRET = "zymurgy"
# Everything a model could try to reach further with.
WIDER: tuple[dict[str, Any], ...] = (
    {"actor_id": "ben"},
    {"actors": ["ben"]},
    {"world": "mars"},
    {"node": "/other"},
    {"session_id": "ben's"},
    {"scope": "global"},
    {"filters": {"actor_id": "ben"}},
    {"where": {"or": [{}, {}]}},
    {"_meta": {"actor_id": "ben"}},
)
NEEDED: dict[str, dict[str, Any]] = {
    "memory_context": {"query": SECRET},
    "memory_search": {"query": SECRET},
    "memory_timeline": {},
    "memory_get": {"id": "bens"},
    "memory_add": {"text": "hello"},
    "memory_update": {"id": "bens", "text": "mine now"},
    "memory_pin": {"id": "bens"},
    "memory_forget": {"ids": ["bens"]},
    "memory_work": {"verb": "semantic_search", "arguments": {"query": SECRET}},
    "memory_invoke": {"path": "self.memory.recall", "arguments": {"query": SECRET}},
}


@pytest.fixture(params=["ram", "sqlite"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    with Memory(":memory:" if request.param == "ram" else tmp_path / "memory.db") as memory:
        ben = memory.view(actor_id="ben")
        ben.write(f"Ben's word is {SECRET}", id="bens", scope="global", region=f"agent:{SECRET}")
        ben.ledger.store_goal(f"guard the {SECRET}")
        memory.write(f"Ada on mars: {SECRET}", actor_id="ada", world="mars", id="mars")
        memory.write(f"Ada's other node: {SECRET}", actor_id="ada", node="/other", id="other")
        memory.write("Ada likes tea", actor_id="ada", node="/planner", id="adas", region=f"agent:{SECRET}")
        yield memory


async def _everything(client: Client, memory: Memory) -> list[str]:
    """What the server says to everything that could be tried."""
    heard: list[str] = []
    for tool in TOOLS:
        said = NEEDED[tool.name]
        for wider in ({}, *WIDER):
            heard.append((await client.call_tool(tool.name, {**said, **wider})).model_dump_json())
        if tool.name == "memory_invoke":
            for wider in WIDER:
                within = {**said, "arguments": {"query": SECRET, **wider}}
                heard.append((await client.call_tool(tool.name, within)).model_dump_json())
        for key in ("bens", "mars", "other@/other"):
            if "id" in said or "ids" in said:
                named = {"ids": [key]} if "ids" in said else {**said, "id": key}
                ended = await client.call_tool(tool.name, named)
                assert ended.is_error or tool.name == "memory_forget", tool.name
                heard.append(ended.model_dump_json())
    heard.append((await client.list_resources()).model_dump_json())
    records = [
        memory.get("bens", actor_id="ben"),
        memory.get("mars", actor_id="ada", world="mars"),
        memory.get("other@/other", actor_id="ada", node="/other"),
    ]
    uris = [uri_of(one) for one in records]
    mine = memory.get("adas@/planner", actor_id="ada", node="/planner")
    uris += [uri_of(replace(mine, id=record.id)) for record in records]
    uris += [uri_of(replace(record, id=mine.id)) for record in records]
    uris += [f"memory:///{world}/agent%3A{SECRET}/" for world in ("default", "mars")]
    for uri in uris:
        try:
            heard.append((await client.read_resource(uri)).contents[0].model_dump_json())
        except MCPError as error:
            heard.append(f"{error.message}")
    for name, said in (("recall", {"query": SECRET}), ("handoff", {"task": SECRET}), ("handoff", {})):
        for wider in ({}, {"actor_id": "ben"}, {"world": "mars"}, {"node": "/other"}):
            try:
                heard.append((await client.get_prompt(name, {**said, **wider})).messages[0].model_dump_json())
            except MCPError as error:
                heard.append(error.message)
    return heard


def test_no_argument_of_any_tool_resource_or_prompt_shows_another_memory(memory: Memory) -> None:
    principal = own_principal({"actor_id": "ada", "world": "default", "node": "/planner"})
    heard: list[str] = []

    async def story() -> None:
        async with Client(mcp_server(Service(memory), lambda request: principal)) as client:
            heard.extend(await _everything(client, memory))

    anyio.run(story)
    assert any("Ada likes tea" in one for one in heard)
    # The word itself comes back where it was asked for, and in the name of Ada's own region.
    for told in heard:
        for theirs in ("Ben's word", "Ada on mars", "Ada's other node", "guard the"):
            assert theirs not in told, told
    assert memory.get("bens", actor_id="ben").version == 1
    assert not memory.get("bens", actor_id="ben").vitals.pinned


def test_what_is_hidden_is_told_as_what_is_not_there(memory: Memory) -> None:
    principal = own_principal({"actor_id": "ada", "world": "default", "node": "/planner"})

    async def story() -> list[str]:
        async with Client(mcp_server(Service(memory), lambda request: principal)) as client:
            return [
                (await client.call_tool("memory_get", {"id": key})).model_dump_json().replace(key, "ID")
                for key in ("bens", "gone")
            ]

    hidden, absent = anyio.run(story)
    assert json.loads(hidden) == json.loads(absent)


@pytest.mark.parametrize("said", [{"actor_id": "ben"}, {"world": "mars"}, {"actor_id": "", "world": "default"}])
def test_a_key_cannot_be_widened_by_the_url(said: dict[str, str], memory: Memory) -> None:
    caller = Caller(name="ada's", worlds=("default",), actors=("ada",))
    with pytest.raises(Forbidden):
        asked_principal(caller, said).ask(Service(memory), "search", {"query": SECRET})
    with pytest.raises(Invalid):
        asked_principal(caller, {"rights": "admin"})
