"""The distributed memory system: the client API, its agents, its configuration file and its errors."""

from pathlib import Path

import apsw
import pytest
from tests.seeds.snippets import require_call, run

from foveal import Memory, MemoryClient, Tier, agents
from foveal.config import load_settings
from foveal.errors import Invalid, StoreUnavailable

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


# The values of the system's own file, with the two sections that the document names and the file lacked.
CONFIGURATION = """
tiers:
  short: {decay: 0.2, max_age_days: 14}
  medium: {decay: 0.04, max_age_days: 60}
  long: {decay: 0.02, archive_below: 0.15, archive_after_days: 120}
types:
  interaction: {tier: short, importance: 0.7, reinforcement: 1.2}
  recipe: {tier: medium, importance: 0.9, reinforcement: 1.4}
cache: {ttl: 1800, max: 1000}
scheduler: {decay: 24, consolidation: 12, cleanup_days: 7, health_check: "03:30"}
consolidation: {min_related: 4, similarity: 0.7}
cleanup: {archive: true, delete: false}
database: {path: unified_memory.db, timeout: 10, connections: 12}
redis: {host: localhost, port: 6380, db: 1}
circuit_breaker: {failure_threshold: 5, reset_timeout: 30}
logging: {level: INFO}
"""


def test_the_configuration_file_sets_what_it_says(folder: Path) -> None:
    Path(folder, "memory_config.yaml").write_text(CONFIGURATION)
    settings = load_settings()
    memory, scheduler = settings.memory, settings.scheduler
    assert memory.decay == {"short": 0.2, "medium": 0.04, "long": 0.02}
    assert (memory.l2.retention_hours, memory.l3.retention_hours) == (14 * 24, 60 * 24)
    assert (scheduler.faded_below, scheduler.faded_days) == (0.15, 120)
    assert (memory.kind("recipe").tier, memory.kind("recipe").importance) == (Tier.EPISODIC, 0.9)
    assert (settings.cache_seconds, settings.kept_rankings) == (1800, 1000)
    assert (scheduler.decay, scheduler.consolidation, scheduler.cleanup) == (24, 12, 168)
    assert scheduler.health_check == 3.5
    assert (memory.smallest_cluster, memory.similarity) == (4, 0.7)
    assert (settings.url, settings.store_timeout, settings.postgres.pool_size) == ("unified_memory.db", 10, 12)
    assert settings.redis == "redis://localhost:6380/1"
    assert (settings.breaker.failures, settings.breaker.seconds) == (5, 30)
    assert settings.logging.level == "info"


def test_the_file_changes_how_a_memory_behaves(folder: Path) -> None:
    text = "tiers: {medium: {decay: 0.5}}\ntypes: {recipe: {tier: medium, importance: 0.9}}\n"
    Path(folder, "memory_config.yaml").write_text(text + "database: {path: own.db, timeout: 0.05}\n")
    with Memory() as memory:
        written = memory.write("Simmer for an hour.", kind="recipe", actor_id="ada")
        assert memory.get(written.id, actor_id="ada").vitals.importance == 0.9
        assert memory.runtime.config.decay == {"medium": 0.5}
        other = apsw.Connection("own.db")
        other.execute("begin immediate")
        with pytest.raises(StoreUnavailable):
            memory.write("Stir.", actor_id="ada")
        other.close()
    assert Path(folder, "own.db").exists()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("tiers: {short: {threshold: 0.4}}", "tiers.short.threshold has no effect"),
        ("cache: {default: {ttl: 9}, nlu_results: {ttl: 600}}", "cache.nlu_results has no effect"),
        ("database: {backup_days: 7}", "foveal backup"),
    ],
)
def test_a_key_without_meaning_here_is_named_with_the_reason(folder: Path, text: str, why: str) -> None:
    Path(folder, "memory_config.yaml").write_text(text)
    with pytest.warns(UserWarning, match=why):
        load_settings()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("tiers: {shrt: {decay: 0.1}}", "did you mean short"),
        ("tiers: {short: {deca: 0.1}}", "there is no short.deca"),
        ("circuit_breaker: {failure_treshold: 3}", "did you mean failure_threshold"),
        ("cleanup: {delete: true}", "deletes nothing"),
        ("logging: {level: LOUD}", "level"),
        ("database: {timeout: -1}", "store_timeout"),
    ],
)
def test_a_mistake_in_the_file_is_refused_by_name(folder: Path, text: str, why: str) -> None:
    Path(folder, "memory_config.yaml").write_text(text)
    with pytest.raises(Invalid, match=why):
        load_settings()


def test_the_breaker_opens_after_the_failures_that_the_file_allows(folder: Path) -> None:
    Path(folder, "memory_config.yaml").write_text("circuit_breaker: {failure_threshold: 2, reset_timeout: 30}")
    client = MemoryClient("http://127.0.0.1:9", ghost=False)
    status = client.get_circuit_breaker_status()
    assert (status["failure_threshold"], status["reset_timeout"]) == (2, 30)


@pytest.mark.parametrize("name", ["KnowledgeBaseAgent", "SessionMemoryAgent", "ContextManagerAgent"])
def test_the_agents_of_the_document_work_through_the_client(name: str, memory: Memory) -> None:
    client = MemoryClient(memory)
    client.set_user_id("ada")
    agent = getattr(agents, name)(client)
    if name == "KnowledgeBaseAgent":
        agent.add_fact("wifi", "The password is on the fridge.")
        assert agent.search("wifi password")[0]["content"] == "The password is on the fridge."
    elif name == "SessionMemoryAgent":
        agent.begin("ada")
        agent.say("Tea at four.")
        assert [turn["content"] for turn in agent.turns()] == ["Tea at four."]
    else:
        agent.add("trip", "The ferry leaves at nine.")
        assert agent.find("when does the ferry leave?")[0]["content"] == "The ferry leaves at nine."
