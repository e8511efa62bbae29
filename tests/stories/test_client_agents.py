"""The small agents keep what they promise through a client."""

from datetime import timedelta

import pytest

from foveal import Memory, MemoryClient
from foveal.agents import ContextManagerAgent, KnowledgeBaseAgent, SessionMemoryAgent
from foveal.errors import Invalid, NotFound
from foveal.testing import ManualClock


@pytest.fixture
def client(memory: Memory) -> MemoryClient:
    client = MemoryClient(memory)
    client.set_user_id("ada")
    return client


def test_a_fact_told_again_supersedes_the_one_before(client: MemoryClient, memory: Memory) -> None:
    base = KnowledgeBaseAgent(client)
    base.add_fact("password policy", "A password has 12 characters.", source="handbook", tags=["it"])
    base.add_fact("lunch", "Lunch is at noon.")
    first = base.get_fact("password policy")
    again = base.add_fact("password policy", "A password has 16 characters.")
    assert (again["memory_id"], again["version"]) == (first["memory_id"], 2)
    assert base.add_fact("password policy", "A password has 16 characters.")["version"] == 2
    assert base.search("how long is a password?", 1)[0]["content"] == "A password has 16 characters."
    assert len(memory.history(again["memory_id"], actor_id="ada")) == 2
    base.forget_fact("lunch")
    with pytest.raises(NotFound):
        base.get_fact("lunch")


def test_facts_are_one_users_own(client: MemoryClient) -> None:
    base = KnowledgeBaseAgent(client)
    base.add_fact("door", "The door code is 4711.")
    client.set_user_id("eve")
    assert base.search("door code") == []
    with pytest.raises(NotFound):
        base.get_fact("door")


def test_a_session_gives_its_turns_in_order_and_recalls_those_before(client: MemoryClient) -> None:
    sessions = SessionMemoryAgent(client)
    with pytest.raises(Invalid, match="begin"):
        sessions.say("too early")
    sessions.begin("ada")
    sessions.say("My cat is called Minka.")
    sessions.say("A lovely name.", role="assistant")
    assert [one["metadata"]["role"] for one in sessions.turns()] == ["user", "assistant"]
    sessions.begin("ada")
    sessions.say("What is the weather like?")
    assert [one["content"] for one in sessions.turns()] == ["What is the weather like?"]
    assert all("Minka" not in one["content"] for one in sessions.recall("what is my cat called?"))
    assert sessions.recall("what is my cat called?", everywhere=True)[0]["content"] == "My cat is called Minka."
    sessions.end()
    with pytest.raises(Invalid):
        sessions.turns()


def test_a_context_is_shared_by_sessions_and_read_once(client: MemoryClient) -> None:
    contexts, other = ContextManagerAgent(client), ContextManagerAgent(client)
    contexts.add("move", "The van comes on Friday.")
    contexts.add("garden", "Tomatoes need water.")
    assert [one["content"] for one in contexts.get("move")] == ["The van comes on Friday."]
    other.add("move", "Boxes are in the cellar.")
    assert len(contexts.get("move")) == 1
    assert len(contexts.get("move", refresh=True)) == 2
    contexts.add("move", "Keys go to the neighbour.")
    assert len(contexts.get("move")) == 3
    # What is deleted or changed, by whomever, is so at once.
    first = contexts.get("move")[0]["memory_id"]
    client.update_memory(first, {"content": "The van comes on Saturday."})
    assert contexts.get("move")[0]["content"] == "The van comes on Saturday."
    client.update_memory(first, {"content": "The van comes on Friday."})
    client.delete_memory(contexts.get("move")[2]["memory_id"])
    assert len(contexts.get("move")) == 2
    assert contexts.find("when does the van come?", 1)[0]["content"] == "The van comes on Friday."
    assert contexts.find("when does the van come?", name="garden")[0]["metadata"]["context"] == "garden"


def test_what_a_context_has_is_cached_for_a_while_only(client: MemoryClient) -> None:
    clock = ManualClock()
    contexts, other = ContextManagerAgent(client, clock=clock), ContextManagerAgent(client)
    contexts.add("move", "The van comes on Friday.")
    assert len(contexts.get("move")) == 1
    other.add("move", "Boxes are in the cellar.")
    clock.turn(timedelta(minutes=4))
    assert len(contexts.get("move")) == 1
    clock.turn(timedelta(minutes=1))
    assert len(contexts.get("move")) == 2
