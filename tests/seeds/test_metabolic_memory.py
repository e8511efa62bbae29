"""Metabolic memory L1-L4 and fractal scopes: the agent's configuration, and reading along the tree."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.seeds.snippets import require_class, run

from foveal import (
    AsyncFractalMemory,
    AsyncMemory,
    FractalMemory,
    Memory,
    MemoryConfig,
    MemoryScope,
    OpenAIEmbeddingProvider,
    OpenAIProvider,
)
from foveal.agents import Agent
from foveal.errors import Invalid, NotFound
from foveal.testing import ModelServer

SCOPES = """
class FractalMemory:
    async def read(self, entry_id, scopes=[MemoryScope.LOCAL, MemoryScope.SHARED]):
        # Tries to find entry in LOCAL, then SHARED, then asks Parent
        ...
"""

AGENT = """
from foveal.agents import Agent
from foveal import MemoryConfig, MemoryLayerConfig
from foveal import OpenAIProvider

llm = OpenAIProvider(api_key="your-api-key")

memory_config = MemoryConfig(
    # Metabolic Configuration
    l1=MemoryLayerConfig(capacity=20, retention_hours=1),
    l4=MemoryLayerConfig(capacity=1000, retention_hours=None),
)

agent = Agent.create(
    llm,
    node_id="memory-agent",
    system_prompt="You are a helpful assistant",
    memory_config=memory_config
)

# Optional: configure L4 vector store + embeddings
from foveal import InMemoryVectorStore
from foveal import OpenAIEmbeddingProvider

agent.memory.set_vector_store(InMemoryVectorStore())
agent.memory.set_embedding_provider(OpenAIEmbeddingProvider(api_key="your-api-key"))
"""


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ModelServer]:
    """A server that speaks like OpenAI, on this machine, and a user who has no memory yet."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with ModelServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        yield server


def test_the_agent_is_configured_without_a_call(model: ModelServer) -> None:
    names = run(AGENT)
    agent: Agent = names["agent"]
    assert model.asked == []
    stats = agent.memory.get_stats()
    assert (stats["max_l1_size"], stats["max_l4_size"]) == (20, 1000)
    assert agent.memory.stats().encoder in (None, "http:text-embedding-3-small")


def test_the_configured_agent_asks_the_model_and_the_encoder_that_were_named(model: ModelServer) -> None:
    agent: Agent = run(AGENT)["agent"]
    model.script = ["Then I shall bring oat milk."]
    answer = agent.chat("I am allergic to milk.")
    assert answer.text == "Then I shall bring oat milk."
    asked = {request["model"] for request in model.asked}
    assert asked == {"gpt-4o-mini", "text-embedding-3-small"}
    assert {headers["Authorization"] for headers in model.headers_seen} == {"Bearer your-api-key"}
    [question] = [request for request in model.asked if "messages" in request]
    assert question["messages"][0]["content"].startswith("You are a helpful assistant")
    assert agent.memory.search("allergic milk", k=1)[0].encoder == "http:text-embedding-3-small"


def test_a_provider_needs_a_key_for_openai_itself_and_takes_it_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, model: ModelServer
) -> None:
    assert OpenAIProvider().model == "gpt-4o-mini"
    monkeypatch.delenv("OPENAI_BASE_URL")
    for provider in (OpenAIProvider, OpenAIEmbeddingProvider):
        with pytest.raises(Invalid, match="OPENAI_API_KEY"):
            provider()
    monkeypatch.setenv("OPENAI_API_KEY", "sk-from-the-environment")
    encoder = OpenAIEmbeddingProvider(base_url=model.url)
    assert encoder.embed(["tea"]).shape == (1, 32)
    assert model.headers_seen[-1]["Authorization"] == "Bearer sk-from-the-environment"


def test_an_encoder_is_called_when_there_is_something_to_encode(model: ModelServer) -> None:
    with Memory(":memory:") as memory:
        memory.write("Tea at four.", actor_id="ada")
        done = memory.set_embedding_provider(OpenAIEmbeddingProvider(api_key="k"))
        assert (done.versions, done.encoder) == (1, "http:text-embedding-3-small")
    assert model.asked


def test_fractal_memory_has_the_call_of_the_document() -> None:
    theirs = run(SCOPES, MemoryScope=MemoryScope)["FractalMemory"]
    require_class(AsyncFractalMemory, theirs, built=False)


def test_a_read_tries_local_then_shared_then_the_parent() -> None:
    async def story() -> None:
        async with AsyncMemory(":memory:") as memory:
            root = AsyncFractalMemory(memory, actor_id="ada")
            planner = root.spawn_child("planner")
            child = AsyncFractalMemory(memory, node="/planner/cook", parent=planner)
            await planner.write("budget", "40 crowns", scope=MemoryScope.SHARED)
            assert (await child.read("budget")).scope is MemoryScope.INHERITED
            await child.write("budget", "35 crowns", scope=MemoryScope.SHARED)
            assert (await child.read("budget")).content == "35 crowns"
            await child.write("budget", "30 crowns")
            entry = await child.read(entry_id="budget", scopes=[MemoryScope.LOCAL, MemoryScope.SHARED])
            assert (entry.content, entry.scope) == ("30 crowns", MemoryScope.LOCAL)
            with pytest.raises(NotFound):
                await root.read("budget", scopes=[MemoryScope.LOCAL])
            assert (await root.read("budget")).content == "40 crowns"

    asyncio.run(story())


def test_fractal_memory_is_built_alike_for_both_kinds_of_callers(memory: Memory) -> None:
    plain = FractalMemory(memory, node="/planner", actor_id="ada")
    plain.write("city", "Oslo")
    same = AsyncFractalMemory(memory, node="/planner", actor_id="ada")
    below = AsyncFractalMemory(memory, node="/planner/cook", parent=plain)

    async def story() -> tuple[Any, str]:
        return (await same.read("city")).content, (await below.write("task", "soup")).created_by

    assert asyncio.run(story()) == ("Oslo", "/planner/cook")


# The table of the document: the capacity of each layer and how long it keeps a record.
LAYERS = {"l1": (10, 1), "l2": (50, 24), "l3": (200, 7 * 24), "l4": (None, None)}


@pytest.mark.parametrize("layer", LAYERS)
def test_the_layers_have_the_capacity_and_retention_of_the_table(layer: str) -> None:
    config = getattr(MemoryConfig(), layer)
    assert (config.capacity, config.retention_hours) == LAYERS[layer]


def test_stats_name_every_layer_and_count_what_was_pruned(memory: Memory) -> None:
    stats = memory.get_stats(actor_id="ada")
    assert {"l1_size", "l2_size", "l3_size", "l4_size", "l4_pruned_count", "l4_last_pruned_at"} <= stats.keys()
