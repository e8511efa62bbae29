"""The distributed memory system: the client API, its agents, its configuration file and its errors."""

import pytest
from tests.seeds.snippets import require_call, run

from foveal import Memory, MemoryClient

# The signatures of the document, with a body so that Python can read them.
API = """
from typing import Any, Dict, List, Optional

# Identity Management
def set_agent_id(agent_id: str) -> None: ...
def set_session_id(session_id: str) -> None: ...

# Session Management
def create_session(user_id: str, session_type: str = "conversation", 
               session_metadata: Optional[Dict[str, Any]] = None) -> Dict[str, Any]: ...

# Memory Operations
def add_memory(content: str, memory_type: str = "general", memory_tier: str = "short", 
           importance: float = 0.5, metadata: Optional[Dict[str, Any]] = None, 
           tags: Optional[List[str]] = None, parent_id: Optional[str] = None) -> Dict[str, Any]: ...

def get_memory(memory_id: str) -> Dict[str, Any]: ...

def search_memory(query: str, memory_type: Optional[str] = None, 
              limit: int = 10, parent_id: Optional[str] = None) -> Dict[str, Any]: ...

def semantic_search(query: str, k: int = 5, 
                filters: Optional[Dict[str, Any]] = None) -> Dict[str, Any]: ...

def update_memory(memory_id: str, update_payload: Dict[str, Any]) -> Dict[str, Any]: ...

def delete_memory(memory_id: str, cascade: bool = True) -> Dict[str, Any]: ...

def get_children(parent_id: str, limit: int = 50, 
             sort_field: str = "created_at", 
             sort_order: str = "desc") -> Dict[str, Any]: ...

# Relationships
def add_relationship(source_id: str, target_id: str, relationship_type: str, 
                 strength: float = 1.0) -> Dict[str, Any]: ...

def get_related_memories(memory_id: str, relationship_type: Optional[str] = None) -> Dict[str, Any]: ...

# Memory Reinforcement
def reinforce_memory(memory_id: str, reinforcement_factor: float = 1.2) -> Dict[str, Any]: ...

# Batch Operations
def batch_add_memories(memories: List[Dict[str, Any]]) -> Dict[str, Any]: ...
def batch_get_memories(memory_ids: List[str]) -> Dict[str, Any]: ...

# Context Groups
def create_context_group(name: str, description: Optional[str] = None) -> Dict[str, Any]: ...
def add_to_group(memory_id: str, group_id: int) -> Dict[str, Any]: ...
def get_memories_by_group(group_id: int) -> Dict[str, Any]: ...

# Circuit Breaker Management
def get_circuit_breaker_status() -> Dict[str, Any]: ...
def reset_circuit_breaker() -> Dict[str, Any]: ...
"""
CALLS = {name: value for name, value in run(API).items() if callable(value) and name[0].islower()}


def test_the_document_has_twenty_calls_with_those_of_the_session() -> None:
    assert len(CALLS) == 20


@pytest.mark.parametrize("name", CALLS)
def test_a_call_of_the_client_has_the_parameters_and_defaults_of_the_document(name: str, memory: Memory) -> None:
    require_call(getattr(MemoryClient(memory), name), CALLS[name])


def test_every_call_of_the_client_answers(memory: Memory) -> None:
    client = MemoryClient(memory)
    client.create_session("ada", "conversation", {"channel": "voice"})
    client.set_agent_id("planner")
    parent = client.add_memory("Plan the trip to Oslo", "plan", "medium", 0.8, {"city": "Oslo"}, ["trip"])
    child = client.add_memory("Book the ferry", parent_id=parent["memory_id"])
    ids = [parent["memory_id"], child["memory_id"]]
    assert client.get_memory(ids[0])["memory"]["content"] == "Plan the trip to Oslo"
    assert client.search_memory("ferry", None, 10, ids[0])["memories"][0]["memory_id"] == ids[1]
    assert client.semantic_search("the journey to Norway", 5, {"city": "Oslo"})["count"] == 1
    assert client.update_memory(ids[1], {"content": "Book the night ferry"})["memory"]["content"].endswith("ferry")
    assert [one["memory_id"] for one in client.get_children(ids[0])["memories"]] == ids[1:]
    client.add_relationship(ids[1], ids[0], "serves", 0.9)
    assert client.get_related_memories(ids[1], "serves")["memories"][0]["memory_id"] == ids[0]
    assert client.reinforce_memory(ids[0], 1.1)["memory"]["importance"] == pytest.approx(0.88)  # pyright: ignore[reportUnknownMemberType]
    assert client.batch_add_memories([{"content": "Pack a coat"}])["count"] == 1
    assert client.batch_get_memories([*ids, "nothing"])["count"] == 2
    group = client.create_context_group("trip", "all about it")["group_id"]
    client.add_to_group(ids[0], group)
    assert client.get_memories_by_group(group)["memories"][0]["memory_id"] == ids[0]
    assert client.delete_memory(ids[0])["status"] == "success"
    assert client.get_circuit_breaker_status()["state"] == "CLOSED"
    assert client.reset_circuit_breaker()["failure_count"] == 0
