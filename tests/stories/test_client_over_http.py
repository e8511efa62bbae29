"""Every method that the client was promised with succeeds against a real server (C2)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.stories.processes import Process

from foveal import MemoryClient, Settings
from foveal.errors import NotFound


def test_c2_all_twenty_methods_succeed_against_the_server(tmp_path: Path) -> None:
    with Process(str(tmp_path / "memory.db")) as server:
        client = MemoryClient(server.url, ghost=False, settings=Settings(second_look="off"))
        session = client.create_session("ada", "planning", {"topic": "the trip"})["session_id"]
        client.set_agent_id("planner")
        client.set_session_id(session)
        trip = client.add_memory("The trip to Skagen.", "plan", "medium", 0.7, {"year": 2026}, ["travel"])[
            "memory_id"
        ]
        tent = client.add_memory("Pack the tent.", parent_id=trip)["memory_id"]
        pegs = client.add_memory("Pack the pegs of the tent.", parent_id=tent)["memory_id"]
        assert client.get_memory(trip)["memory"]["metadata"] == {"year": 2026}
        assert client.search_memory("tent", parent_id=trip)["memories"][0]["memory_id"] == tent
        assert client.semantic_search("where do we travel?", 1, {"tags": ["travel"]})["count"] == 1
        assert (
            client.update_memory(tent, {"content": "Pack the big tent."})["memory"]["content"]
            == "Pack the big tent."
        )
        assert [one["memory_id"] for one in client.get_children(trip, 50, "created_at", "asc")["memories"]] == [
            tent
        ]
        client.add_relationship(tent, pegs, "needs", 0.5)
        assert client.get_related_memories(tent, "needs")["memories"][0]["memory_id"] == pegs
        assert client.reinforce_memory(pegs)["memory"]["importance"] == pytest.approx(0.6)  # pyright: ignore[reportUnknownMemberType]
        batch = client.batch_add_memories([{"content": "Buy gas."}, {"content": "Buy bread."}])
        ids = [one["memory_id"] for one in batch["results"] if "memory_id" in one]
        assert client.batch_get_memories(ids)["count"] == 2
        group = client.create_context_group("shopping", "before we leave")["group_id"]
        client.add_to_group(ids[0], group)
        assert client.get_memories_by_group(group)["memories"][0]["content"] == "Buy gas."
        assert client.get_circuit_breaker_status()["state"] == "CLOSED"
        assert client.reset_circuit_breaker()["failure_count"] == 0
        # C1: the three levels go at once.
        assert set(client.delete_memory(trip)["deleted"]) == {trip, tent, pegs}
        with pytest.raises(NotFound):
            client.get_memory(pegs)
        # The error bus names the agent whose call failed.
        newest = client.get_errors()["errors"][0]
        assert (newest["agent"], newest["component"], newest["error_type"]) == ("/planner", "http", "not_found")
        asyncio.run(_spoken(client))


async def _spoken(client: MemoryClient) -> None:
    written = await client.write(actor_id="ben", text="Ben drinks tea.", tags=["taste"])
    found = await client.read(actor_id="ben", query="what does Ben drink?", token_budget=300)
    assert [str(one.address) for one in found.context] == [str(written.address)]
    assert "tea" in found.context[0].summary
    await client.close()
