"""The client has every method it was promised with, and each does what it says."""

import inspect
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from foveal import Memory, MemoryClient
from foveal.errors import Forbidden, Invalid, NotFound, Pinned
from foveal.testing import ManualClock

# Every method with the names and defaults of its parameters.
PROMISED: dict[str, dict[str, Any]] = {
    "set_agent_id": {"agent_id": ...},
    "set_session_id": {"session_id": ...},
    "create_session": {"user_id": ..., "session_type": "conversation", "session_metadata": None},
    "add_memory": {
        **{"content": ..., "memory_type": "general", "memory_tier": "short", "importance": 0.5},
        **{"metadata": None, "tags": None, "parent_id": None},
    },
    "get_memory": {"memory_id": ...},
    "search_memory": {"query": ..., "memory_type": None, "limit": 10, "parent_id": None},
    "semantic_search": {"query": ..., "k": 5, "filters": None},
    "update_memory": {"memory_id": ..., "update_payload": ...},
    "delete_memory": {"memory_id": ..., "cascade": True},
    "get_children": {"parent_id": ..., "limit": 50, "sort_field": "created_at", "sort_order": "desc"},
    "add_relationship": {"source_id": ..., "target_id": ..., "relationship_type": ..., "strength": 1.0},
    "get_related_memories": {"memory_id": ..., "relationship_type": None},
    "reinforce_memory": {"memory_id": ..., "reinforcement_factor": 1.2},
    "batch_add_memories": {"memories": ...},
    "batch_get_memories": {"memory_ids": ...},
    "create_context_group": {"name": ..., "description": None},
    "add_to_group": {"memory_id": ..., "group_id": ...},
    "get_memories_by_group": {"group_id": ...},
    "get_circuit_breaker_status": {},
    "reset_circuit_breaker": {},
}


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture(params=["ram", "sqlite"])
def client(request: pytest.FixtureRequest, tmp_path: Path, clock: ManualClock) -> Iterator[MemoryClient]:
    with Memory(":memory:" if request.param == "ram" else tmp_path / "m.db", clock=clock) as memory:
        client = MemoryClient(memory)
        client.create_session("ada")
        yield client


@pytest.mark.parametrize("name", PROMISED)
def test_a_method_takes_what_was_promised_in_its_order(name: str) -> None:
    method = getattr(MemoryClient, name)
    assert not inspect.iscoroutinefunction(method)
    found = list(inspect.signature(method).parameters.values())[1:]
    positional = {one.name: one.default for one in found if one.kind is not one.KEYWORD_ONLY}
    assert list(positional) == list(PROMISED[name])
    assert {
        key: ... if value is inspect.Parameter.empty else value for key, value in positional.items()
    } == PROMISED[name]
    assert all(one.default is not one.empty for one in found if one.kind is one.KEYWORD_ONLY)


def test_a_session_says_who_speaks(client: MemoryClient) -> None:
    begun = client.create_session("eve", "call", {"topic": "tea"})
    assert begun["session"]["session_type"] == "call"
    assert begun["session"]["metadata"] == {"topic": "tea"}
    client.set_agent_id("planner")
    memory = client.add_memory("Eve drinks tea")["memory"]
    assert (memory["session_id"], memory["agent_id"]) == (begun["session_id"], "/planner")
    client.set_session_id("another")
    assert client.add_memory("and coffee")["memory"]["session_id"] == "another"
    assert client.end_session(begun["session_id"])["session"]["ended_at"] is not None
    client.create_session("ada")
    with pytest.raises(NotFound):
        client.get_memory(memory["memory_id"])


def test_a_client_may_begin_with_its_agent_and_speaks_for_the_default_actor(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.db") as memory:
        client = MemoryClient(memory)
        client.set_agent_id("planner")
        added = client.add_memory("Pack the tent.")["memory"]
        assert added["agent_id"] == "/planner"
        assert memory.get(added["memory_id"], actor_id="me").text == "Pack the tent."
        assert MemoryClient(memory.view(actor_id="ada")).add_memory("hers")["status"] == "success"
        assert [record.text for record in memory.timeline(actor_id="ada")] == ["hers"]


def test_what_one_agent_adds_the_others_of_the_user_see(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.db") as memory:
        one, other, stranger = MemoryClient(memory), MemoryClient(memory), MemoryClient(memory)
        one.create_session("ada")
        one.set_agent_id("planner")
        other.create_session("ada")
        other.set_agent_id("writer")
        stranger.create_session("eve")
        trip = one.add_memory("The trip to Skagen is in June.")["memory_id"]
        tent = one.batch_add_memories([{"content": "Pack the tent.", "parent_id": trip}])["results"][0]
        group = one.create_context_group("summer")["group_id"]
        one.add_to_group(trip, group)
        assert other.get_memory(trip)["memory"]["agent_id"] == "/planner"
        assert other.search_memory("when is the trip?")["memories"][0]["memory_id"] == trip
        assert [memory["memory_id"] for memory in other.get_children(trip)["memories"]] == [tent.get("memory_id")]
        assert other.create_context_group("summer")["created"] is False
        assert [memory["memory_id"] for memory in other.get_memories_by_group(group)["memories"]] == [trip]
        assert stranger.search_memory("when is the trip?")["memories"] == []
        with pytest.raises(Forbidden, match="/planner"):
            other.update_memory(trip, {"content": "The trip is off."})
        private = one.add_memory("I am not sure of the date.", scope="local")["memory_id"]
        with pytest.raises(NotFound):
            other.get_memory(private)


def test_a_memory_comes_back_as_it_was_added(client: MemoryClient) -> None:
    parent = client.add_memory("the trip")["memory_id"]
    added = client.add_memory("book the train", "task", "medium", 0.9, {"by": "Ada"}, ["travel"], parent)
    assert client.get_memory(added["memory_id"]) == added
    memory = added["memory"]
    assert (memory["content"], memory["memory_type"], memory["memory_tier"]) == ("book the train", "task", "medium")
    assert (memory["importance"], memory["metadata"], memory["tags"]) == (0.9, {"by": "Ada"}, ["travel"])
    assert memory["parent_id"] == parent
    assert client.get_memory(parent)["memory"]["memory_tier"] == "short"


def test_a_search_stays_under_its_parent_and_children_keep_limit_and_order(
    client: MemoryClient, clock: ManualClock
) -> None:
    one, other = (client.add_memory(f"trip {n}")["memory_id"] for n in "ab")
    ids: list[str] = []
    for n, weight in enumerate((0.2, 0.9, 0.5)):
        clock.turn(timedelta(minutes=1))
        ids.append(client.add_memory(f"pack the tent {n}", importance=weight, parent_id=one)["memory_id"])
    client.add_memory("pack the tent elsewhere", parent_id=other)
    found = client.search_memory("pack the tent", parent_id=one)
    assert {memory["memory_id"] for memory in found["memories"]} == set(ids)
    assert client.search_memory("pack the tent", limit=2)["count"] == 2
    assert [memory["memory_id"] for memory in client.get_children(one)["memories"]] == ids[::-1]
    ranked = client.get_children(one, 2, "importance", "asc")["memories"]
    assert [memory["memory_id"] for memory in ranked] == [ids[0], ids[2]]
    with pytest.raises(Invalid, match="importance"):
        client.get_children(one, sort_field="importence")


def test_a_semantic_search_filters_by_fields_and_by_metadata(client: MemoryClient) -> None:
    red = client.add_memory("a red door", importance=0.9, metadata={"size": 3})["memory_id"]
    client.add_memory("a blue door", importance=0.1, metadata={"size": 1})
    for filters in (
        {"size__gte": 2},
        {"size": {"gt": 2}},
        {"metadata.size": 3},
        {"importance__gte": 0.5},
        {"memory_id": red},
        {"content__contains": "red"},
        {"not": {"size": 1}},
        {"or": [{"size": 3}, {"size": 7}]},
    ):
        found = client.semantic_search("door", filters=filters)
        assert [memory["memory_id"] for memory in found["memories"]] == [red], filters
        assert 0 < found["memories"][0].get("relevance", 0) <= 1


def test_an_update_adds_a_version_and_refuses_keys_it_does_not_know(client: MemoryClient) -> None:
    one = client.add_memory("tea", tags=["drink"])["memory_id"]
    changed = client.update_memory(one, {"content": "coffee", "importance": 0.8, "tier": "long"})["memory"]
    assert (changed["content"], changed["importance"], changed["memory_tier"]) == ("coffee", 0.8, "long")
    assert (changed["version"], changed["tags"]) == (2, ["drink"])
    assert client.update_memory(one, {"tags": ["new"]})["memory"]["content"] == "coffee"
    with pytest.raises(Invalid, match="importance"):
        client.update_memory(one, {"importence": 1})
    with pytest.raises(Invalid, match="says nothing"):
        client.update_memory(one, {})


def test_expires_at_is_honoured_however_it_is_said(client: MemoryClient, clock: ManualClock) -> None:
    end = (clock.now() + timedelta(hours=1)).isoformat()
    ids = [client.add_memory("said at once", expires_at=end)["memory_id"], client.add_memory("later")["memory_id"]]
    assert client.update_memory(ids[1], {"expires_at": end})["memory"]["expires_at"] == end
    [item] = client.batch_add_memories([{"content": "in a batch", "expires_at": end}])["results"]
    ids.append(item.get("memory_id", ""))
    kept = client.add_memory("for good after all", expires_at=end)["memory_id"]
    client.update_memory(kept, {"expires_at": None})
    assert client.batch_get_memories([*ids, kept])["count"] == 4
    clock.turn(timedelta(hours=1))
    assert [one["status"] for one in client.batch_get_memories([*ids, kept])["results"]] == [
        *["not_found"] * 3,
        "found",
    ]
    assert client.search_memory("what was said for good after all")["count"] == 1


def test_a_cascading_delete_of_three_levels_finishes(client: MemoryClient) -> None:
    top = client.add_memory("top")["memory_id"]
    middle = [client.add_memory(f"middle {n}", parent_id=top)["memory_id"] for n in range(3)]
    leaves = [client.add_memory(f"leaf of {one}", parent_id=one)["memory_id"] for one in middle]
    gone = client.delete_memory(top)
    assert set(gone["deleted"]) == {top, *middle, *leaves}
    assert client.search_memory("leaf")["count"] == 0


def test_a_delete_without_cascade_leaves_the_children(client: MemoryClient) -> None:
    top = client.add_memory("top")["memory_id"]
    child = client.add_memory("child", parent_id=top)["memory_id"]
    assert client.delete_memory(top, False)["deleted"] == [top]
    assert client.get_memory(child)["memory"]["parent_id"] == top


def test_relationships_have_a_type_and_a_strength(client: MemoryClient) -> None:
    a, b, c = (client.add_memory(text)["memory_id"] for text in "abc")
    drawn = client.add_relationship(a, b, "causes", 0.5)["relationship"]
    assert (drawn["relationship_type"], drawn["strength"]) == ("causes", 0.5)
    client.add_relationship(c, a, "mentions")
    found = client.get_related_memories(a)["memories"]
    assert [memory["memory_id"] for memory in found] == [c, b]
    assert found[1].get("relationship") == drawn
    assert [memory["memory_id"] for memory in client.get_related_memories(a, "causes")["memories"]] == [b]


def test_reinforcement_grows_to_one(client: MemoryClient) -> None:
    one = client.add_memory("matters")["memory_id"]
    assert client.reinforce_memory(one)["memory"]["importance"] == pytest.approx(0.6)  # pyright: ignore[reportUnknownMemberType]
    assert client.reinforce_memory(one, 9)["memory"]["importance"] == 1


def test_a_batch_answers_for_each_item(client: MemoryClient) -> None:
    done = client.batch_add_memories(
        [
            {"content": "one", "memory_id": "one"},
            {"content": ""},
            {"content": "two", "parent_id": "one", "memory_type": "task"},
            {"contents": "typo"},
            {"content": "orphan", "parent_id": "nobody"},
            "not a dictionary",  # pyright: ignore[reportArgumentType]
        ]
    )
    assert (done["status"], done["count"]) == ("partial", 2)
    assert [one["status"] for one in done["results"]] == ["added", "rejected", "added", *["rejected"] * 3]
    assert [one.get("code") for one in done["results"]] == [
        None,
        "invalid",
        None,
        "invalid",
        "not_found",
        "invalid",
    ]
    assert "did you mean 'content'" in done["results"][3].get("message", "")
    got = client.batch_get_memories(["one", "nobody"])
    assert [(one.get("memory_id"), one["status"]) for one in got["results"]] == [
        ("one", "found"),
        ("nobody", "not_found"),
    ]
    assert client.get_children("one")["count"] == 1


def test_groups_are_known_by_numbers_and_their_names_are_unique(client: MemoryClient) -> None:
    one = client.add_memory("pack")["memory_id"]
    group = client.create_context_group("summer", "the trip")
    assert (group["group_id"], group["created"], group["group"]["description"]) == (1, True, "the trip")
    again = client.create_context_group("summer")
    assert (again["group_id"], again["created"]) == (1, False)
    assert client.create_context_group("winter")["group_id"] == 2
    client.add_to_group(one, 1)
    assert [memory["memory_id"] for memory in client.get_memories_by_group(1)["memories"]] == [one]
    assert client.get_memories_by_group(2)["count"] == 0
    with pytest.raises(NotFound):
        client.add_to_group(one, 3)
    with pytest.raises(Invalid):
        client.get_memories_by_group("1")  # pyright: ignore[reportArgumentType]


def test_failure_is_raised_and_never_returned(client: MemoryClient) -> None:
    with pytest.raises(NotFound):
        client.get_memory("nobody")
    with pytest.raises(Invalid, match="tier"):
        client.add_memory("x", memory_tier="lukewarm")
    with Memory(":memory:") as memory:
        pinned = memory.write("kept", actor_id="ada", pin=True).id
        with pytest.raises(Pinned):
            MemoryClient(memory.view(actor_id="ada")).delete_memory(pinned)


def test_in_one_process_the_breaker_is_closed(client: MemoryClient) -> None:
    for answer in (client.get_circuit_breaker_status(), client.reset_circuit_breaker()):
        assert (answer["state"], answer["failure_count"], answer["failure_threshold"]) == ("CLOSED", 0, 3)


def test_clients_report_to_the_error_bus_and_hear_only_of_their_own_user(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.db") as memory:
        one, other = MemoryClient(memory), MemoryClient(memory)
        for client, agent in ((one, "planner"), (other, "writer")):
            client.create_session("ada")
            client.set_agent_id(agent)
        stranger, elsewhere = MemoryClient(memory), MemoryClient(memory.view(actor_id="ada", world="mars"))
        stranger.create_session("eve")
        with pytest.raises(NotFound):
            one.get_memory("the secret plan")
        with pytest.raises(Invalid):
            one.add_memory("the secret plan", importance=7)
        one.report_error("timed_out")
        told = other.get_errors()["errors"]
        assert [(error["error_type"], error["agent"], error["component"]) for error in told] == [
            ("timed_out", "/planner", "agent"),
            ("invalid", "/planner", "client"),
            ("not_found", "/planner", "client"),
        ]
        assert "secret" not in str(told)
        assert other.get_errors(1)["count"] == 1
        assert stranger.get_errors()["errors"] == elsewhere.get_errors()["errors"] == []
        with pytest.raises(Invalid, match="code"):
            one.report_error("the secret plan")
