"""The tools of a knowledge graph: what they store, find and forget, and for whom."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from mcp_types import CallToolResult
from msgspec.structs import replace

from foveal import Memory
from foveal.doors.mcp import graph, mcp_server
from foveal.doors.mcp.graph_tools import BY_NAME
from foveal.doors.mcp.server import META
from foveal.doors.mcp.tools import Principal, own_principal
from foveal.doors.service import Caller, Service
from foveal.errors import Invalid
from foveal.importers import FORMATS, Source, take

from .conftest import words

DATA = Path(__file__).parents[3] / "data" / "imports"
Use = Callable[..., CallToolResult]
READERS = {"read_graph", "search_nodes", "open_nodes"}


def _use(memory: Memory, principal: Principal) -> Use:
    def run(name: str, **said: Any) -> CallToolResult:
        async def story() -> CallToolResult | MCPError:
            async with Client(mcp_server(Service(memory), lambda request: principal, "graph")) as client:
                try:
                    return await client.call_tool(name, said)
                except MCPError as error:
                    return error

        answer = anyio.run(story)
        if isinstance(answer, MCPError):
            raise answer
        return answer

    return run


def _own(actor: str = "ada", *, node: str = "/", read_only: bool = False) -> Principal:
    return own_principal({"actor_id": actor, "world": "default", "node": node}, read_only=read_only)


@pytest.fixture
def use(memory: Memory) -> Use:
    return _use(memory, _own())


def entity(name: str, kind: str, *observations: str) -> dict[str, Any]:
    return {"name": name, "entityType": kind, "observations": list(observations)}


def relation(start: str, end: str, kind: str) -> dict[str, str]:
    return {"from": start, "to": end, "relationType": kind}


ADA, ACME = entity("Ada", "person", "likes tea"), entity("Acme", "company")
WORKS, FOUNDED, PAYS = (
    relation("Ada", "Acme", "works at"),
    relation("Ada", "Acme", "founded"),
    relation("Acme", "Ada", "pays"),
)


def test_a_graph_is_made_and_read(use: Use) -> None:
    made = use("create_entities", entities=[ADA, ACME])
    assert json.loads(words(made)) == [ADA, ACME]
    assert made.structured_content == {"entities": [ADA, ACME]}
    again = [entity("Ada", "other", "x"), entity("Bo", "person", "sails", "sails", " ")]
    assert use("create_entities", entities=again).structured_content == {
        "entities": [entity("Bo", "person", "sails")]
    }
    links = [WORKS, FOUNDED, PAYS]
    assert use("create_relations", relations=links).structured_content == {"relations": links}
    assert use("create_relations", relations=[WORKS]).structured_content == {"relations": []}
    added = use("add_observations", observations=[{"entityName": "Ada", "contents": ["likes tea", "rows"]}])
    assert added.structured_content == {"results": [{"entityName": "Ada", "addedObservations": ["rows"]}]}
    whole = use("read_graph")
    bo, ada = entity("Bo", "person", "sails"), entity("Ada", "person", "likes tea", "rows")
    assert json.loads(words(whole)) == whole.structured_content
    assert sorted(whole.structured_content["entities"], key=str) == sorted([ada, ACME, bo], key=str)
    assert sorted(whole.structured_content["relations"], key=str) == sorted(links, key=str)
    opened = use("open_nodes", names=["Acme", "nobody"]).structured_content
    assert (opened["entities"], len(opened["relations"])) == ([ACME], 3)


def test_a_search_finds_parts_of_words_and_what_means_the_same(use: Use) -> None:
    use("create_entities", entities=[entity("Ada", "person", "drinks green tea"), entity("Zwolle", "city")])
    for query in ("ADA", "perso", "een te"):
        assert [one["name"] for one in use("search_nodes", query=query).structured_content["entities"]] == ["Ada"]
    asked = use("search_nodes", query="what tea does Ada drink?").structured_content["entities"]
    assert asked[0]["name"] == "Ada"
    assert len(use("search_nodes", query="").structured_content["entities"]) == 2


def test_what_is_deleted_is_hidden_until_undone_and_can_be_made_again(use: Use, memory: Memory) -> None:
    use("create_entities", entities=[ADA, ACME])
    use("create_relations", relations=[WORKS, FOUNDED])
    said = {"entityName": "Ada", "observations": ["likes tea", "no"]}
    gone = use("delete_observations", deletions=[said, {**said, "entityName": "nobody"}])
    assert words(gone) == "Observations deleted successfully"
    assert gone.structured_content == {"success": True, "message": "Observations deleted successfully"}
    use("add_observations", observations=[{"entityName": "Ada", "contents": ["likes tea"]}])
    assert use("open_nodes", names=["Ada"]).structured_content["entities"] == [ADA]
    use("delete_relations", relations=[FOUNDED, relation("Ada", "nobody", "knows")])
    assert use("read_graph").structured_content["relations"] == [WORKS]
    assert words(use("delete_entities", entityNames=["Ada", "nobody"])) == "Entities deleted successfully"
    assert use("read_graph").structured_content == {"entities": [ACME], "relations": []}
    ada = memory.view(actor_id="ada")
    ada.lifecycle.undo(ada.lifecycle.journal()[0].id)
    assert use("open_nodes", names=["Ada"]).structured_content == {"entities": [ADA], "relations": [WORKS]}
    use("delete_entities", entityNames=["Ada"])
    assert use("create_entities", entities=[ADA]).structured_content == {"entities": [ADA]}
    assert use("open_nodes", names=["Ada"]).structured_content == {"entities": [ADA], "relations": []}


def test_what_is_pinned_stays_and_is_told(use: Use, memory: Memory) -> None:
    use("create_entities", entities=[ADA])
    memory.pin("mcp-memory:Ada", actor_id="ada")
    kept = use("delete_entities", entityNames=["Ada"])
    assert kept.is_error and (kept.meta or {})[META]["code"] == "pinned"


def test_an_imported_graph_and_a_live_one_are_the_same(memory: Memory) -> None:
    source = Source(DATA / "mcp-memory.jsonl")
    known = FORMATS["mcp-memory"]
    take(memory.view(actor_id="ada"), known.read(source))
    imported = _use(memory, _own())("read_graph").structured_content
    assert imported is not None
    assert relation("Ada", "Zwolle", "lives in") in imported["relations"]
    ben = _use(memory, _own("ben"))
    ben("create_entities", entities=imported["entities"])
    ben("create_relations", relations=imported["relations"])
    for actor in ("ada", "ben"):
        view = memory.view(actor_id=actor)
        ids = {record.id for record in view.browse.page().records}
        assert "mcp-memory:Ada:lives in Zwolle" in ids
    assert ben("create_entities", entities=imported["entities"]).structured_content == {"entities": []}
    assert take(memory.view(actor_id="ben"), known.read(source)).records == 0


def test_errors_are_named_and_nothing_is_half_done(use: Use, monkeypatch: pytest.MonkeyPatch) -> None:
    use("create_entities", entities=[ADA])
    more = [{"entityName": "Ada", "contents": ["x"]}, {"entityName": "Zed", "contents": ["x"]}]
    missing = use("add_observations", observations=more)
    assert missing.is_error and words(missing) == "Entity with name Zed not found"
    assert (missing.meta or {})[META]["code"] == "not_found"
    assert words(use("create_relations", relations=[relation("Ada", "Zed", "knows")])) == words(missing)
    assert use("read_graph").structured_content == {"entities": [ADA], "relations": []}
    for given in ({}, {"entities": "x"}, {"entities": [{"name": "x"}]}, {"entities": [entity(" ", "x")]}):
        assert (use("create_entities", **given).meta or {})[META]["code"] == "invalid", given
    monkeypatch.setattr(graph, "MOST_SENT", 2)
    for tool, given in (
        ("create_entities", {"entities": [entity("x", "y", "1", "2")]}),
        ("delete_entities", {"entityNames": ["a", "b", "c"]}),
        ("open_nodes", {"names": ["a", "b", "c"]}),
    ):
        assert (use(tool, **given).meta or {})[META]["code"] == "too_large", tool
    monkeypatch.setattr(graph, "MOST_READ", 1)
    monkeypatch.setattr(graph, "PAGE", 1)
    use("create_entities", entities=[ACME])
    assert (use("read_graph").meta or {})[META]["code"] == "too_large"
    with pytest.raises(MCPError, match="there is no tool"):
        use("memory_add", text="x")


def test_nobody_reaches_the_graph_of_another(use: Use, memory: Memory) -> None:
    ben = _use(memory, _own("ben"))
    use("create_entities", entities=[ADA, ACME])
    use("create_relations", relations=[WORKS])
    nothing: dict[str, Any] = {"entities": [], "relations": []}
    assert ben("read_graph", actor_id="ada").structured_content == nothing
    assert ben("search_nodes", query="tea").structured_content == nothing
    assert ben("open_nodes", names=["Ada"]).structured_content == nothing
    assert ben("add_observations", observations=[{"entityName": "Ada", "contents": ["x"]}]).is_error
    ben("delete_entities", entityNames=["Ada"])
    ben("delete_relations", relations=[WORKS])
    ben("create_entities", entities=[entity("Ada", "ship")])
    assert use("open_nodes", names=["Ada"]).structured_content == {"entities": [ADA], "relations": [WORKS]}


def test_a_node_sees_what_reaches_it_and_adds_its_own(use: Use, memory: Memory) -> None:
    use("create_entities", entities=[ADA])
    planner = _use(memory, _own(node="/planner"))
    planner("add_observations", observations=[{"entityName": "Ada", "contents": ["plans"]}])
    planner("create_entities", entities=[ACME])
    planner("create_relations", relations=[WORKS])
    whole = planner("read_graph").structured_content
    # All at one moment of this clock, which are in the order of their ids.
    assert whole == {"entities": [ACME, entity("Ada", "person", "likes tea", "plans")], "relations": [WORKS]}


def test_a_caller_gets_the_tools_of_its_rights_and_verbs(memory: Memory) -> None:
    def listed(principal: Principal) -> set[str]:
        async def story() -> set[str]:
            async with Client(mcp_server(Service(memory), lambda request: principal, "graph")) as client:
                return {tool.name for tool in (await client.list_tools()).tools}

        return anyio.run(story)

    reader = _own(read_only=True)
    assert listed(_own()) == set(BY_NAME) and len(BY_NAME) == 9
    assert listed(reader) == READERS
    assert (_use(memory, reader)("create_entities", entities=[ADA]).meta or {})[META]["code"] == "forbidden"
    limited = replace(_own(), caller=Caller(name="k", actors=("ada",), verbs=("page", "forget", "write_many")))
    use = _use(memory, limited)
    assert "open_nodes" not in listed(limited) and "delete_entities" in listed(limited)
    use("create_entities", entities=[ADA])
    assert (use("open_nodes", names=["Ada"]).meta or {})[META]["code"] == "forbidden"


def test_there_are_two_sets_of_tools(memory: Memory) -> None:
    with pytest.raises(Invalid, match="use memory or graph"):
        mcp_server(Service(memory), lambda request: _own(), "graphs")
