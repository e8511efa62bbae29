"""The same calls to mem0's own `Memory` and to ours: signatures, results and errors agree.

mem0 needs an embedding model and a vector store for what it stores as it is: a function and its own Qdrant on disk.
"""

# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import mem0
import pytest
from mem0.embeddings.base import EmbeddingBase
from mem0.exceptions import MemoryError as Mem0Error

from foveal.integrations import mem0 as ours
from foveal.testing import ModelServer

METHODS = ("add", "search", "get", "get_all", "update", "delete", "delete_all", "history", "reset")
SAID = [
    {"role": "system", "content": "You are helpful."},
    {"role": "user", "content": "I drink green tea", "name": "Ada"},
    {"role": "assistant", "content": "Noted."},
]
# Fields that the ranking of each gives in its own way.
OWN = ("id", "memory_id", "hash", "created_at", "updated_at", "score")
WHERE = {"filters": {"user_id": "ada"}}


@pytest.fixture
def theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with ModelServer() as model:
        provider = {"model": "scripted", "openai_base_url": model.url, "api_key": "none"}
        config: dict[str, Any] = {
            "llm": {"provider": "openai", "config": provider},
            "embedder": {"provider": "openai", "config": {**provider, "embedding_dims": 32}},
            "vector_store": {
                "provider": "qdrant",
                "config": {"path": str(tmp_path / "qdrant"), "embedding_model_dims": 32, "on_disk": True},
            },
            "history_db_path": str(tmp_path / "history.db"),
        }
        memory = mem0.Memory.from_config(config)
        assert isinstance(memory.embedding_model, EmbeddingBase)
        yield memory
        memory.close()


@pytest.fixture
def own() -> Iterator[ours.Memory]:
    with ours.Memory(":memory:") as memory:
        yield memory


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("kind", ["Memory", "AsyncMemory"])
def test_a_method_takes_the_same_arguments_with_the_same_defaults(kind: str, name: str) -> None:
    def shape(owner: Any) -> list[tuple[str, Any, Any]]:
        listed = inspect.signature(getattr(owner, name)).parameters.values()
        # `llm` of the asynchronous `add` is a model for procedures, which ours needs none for.
        shown = [one for one in listed if one.name != "llm"]
        return [(one.name, one.kind, None if type(one.default) is object else one.default) for one in shown]

    assert shape(getattr(ours, kind)) == shape(getattr(mem0, kind))
    assert inspect.iscoroutinefunction(getattr(ours, kind).__dict__[name]) == (kind == "AsyncMemory")


def _shared(answer: Any) -> Any:
    """An answer without what each of the two chooses in its own way."""
    match answer:
        case dict():
            return {name: _shared(value) for name, value in answer.items() if name not in OWN}
        case list():
            return [_shared(value) for value in answer]
        case _:
            return answer


def _names(answer: Any) -> Any:
    match answer:
        case dict():
            return {name: _names(value) if isinstance(value, list) else None for name, value in answer.items()}
        case list():
            return [_names(value) for value in answer]
        case _:
            return None


def _first(memory: Any, **options: Any) -> str:
    added = memory.add(SAID, user_id="ada", infer=False, metadata={"topic": "tea"}, **options)
    return added["results"][0]["id"]


STEPS: dict[str, Callable[[Any], Any]] = {
    "add": lambda m: m.add(SAID, user_id="ada", agent_id="x", run_id="r", infer=False, metadata={"n": 1}),
    "get": lambda m: m.get(_first(m, agent_id="x", run_id="r")),
    "get_missing": lambda m: m.get("7a0d9ad4-27cf-4b55-8b0e-0d8c2b3a9f10"),
    "get_all": lambda m: (_first(m), sorted(m.get_all(**WHERE)["results"], key=lambda item: item["memory"]))[1],
    "get_all_of_another": lambda m: (_first(m), m.get_all(filters={"user_id": "ben"}))[1],
    "get_all_by_agent": lambda m: (_first(m, agent_id="x"), len(m.get_all(filters={"agent_id": "x"})["results"]))[
        1
    ],
    "get_all_by_role": lambda m: (_first(m), m.get_all(filters={"user_id": "ada", "role": "user"}))[1],
    "search": lambda m: (_first(m), m.search("green tea", top_k=1, **WHERE))[1],
    "search_top_0": lambda m: (_first(m), len(m.search("green tea", top_k=1, **WHERE)["results"]))[1],
    "update": lambda m: m.update(_first(m), "I drink black tea"),
    "history": lambda m: (identity := _first(m), m.update(identity, "I drink black tea"), m.history(identity))[2],
    "delete": lambda m: m.delete(_first(m)),
    "deleted": lambda m: (identity := _first(m), m.delete(identity), m.get(identity))[2],
    "delete_all": lambda m: (_first(m), m.delete_all(user_id="ada"), m.get_all(**WHERE))[1:],
    "reset": lambda m: (_first(m), m.reset(), m.get_all(**WHERE))[1:],
    "expired": lambda m: (_first(m, expiration_date="2020-01-01"), m.get_all(**WHERE))[1],
    "shown": lambda m: (
        _first(m, expiration_date="2020-01-01"),
        sorted(item["memory"] for item in m.get_all(**WHERE, show_expired=True)["results"]),
    )[1],
}


@pytest.mark.parametrize("step", STEPS)
def test_a_call_gives_the_same_answer(theirs: Any, own: ours.Memory, step: str) -> None:
    left, right = STEPS[step](theirs), STEPS[step](own)
    assert _shared(right) == _shared(left)
    assert _names(right) == _names(left)


BAD: dict[str, Callable[[Any], Any]] = {
    "no_scope": lambda m: m.add("x"),
    "blank_user": lambda m: m.add("x", user_id=" ", infer=False),
    "spaced_user": lambda m: m.add("x", user_id="a b", infer=False),
    "bad_messages": lambda m: m.add(7, user_id="ada", infer=False),
    "bad_type": lambda m: m.add("x", user_id="ada", memory_type="odd"),
    "bad_date": lambda m: m.add("x", user_id="ada", expiration_date="soon", infer=False),
    "top_level": lambda m: m.search("x", user_id="ada"),
    "no_filters": lambda m: m.search("x"),
    "no_filters_for_all": lambda m: m.get_all(),
    "blank_query": lambda m: m.search(" ", **WHERE),
    "negative": lambda m: m.search("x", top_k=-1, **WHERE),
    "threshold": lambda m: m.search("x", threshold=2, **WHERE),
    "operator": lambda m: m.search("x", filters={"user_id": "ada", "n": {"regex": "."}}),
    "unknown_update": lambda m: m.update("7a0d9ad4-27cf-4b55-8b0e-0d8c2b3a9f10", "x"),
    "empty_update": lambda m: m.update("7a0d9ad4-27cf-4b55-8b0e-0d8c2b3a9f10"),
    "unknown_delete": lambda m: m.delete("7a0d9ad4-27cf-4b55-8b0e-0d8c2b3a9f10"),
    "delete_all": lambda m: m.delete_all(),
}


@pytest.mark.parametrize("call", BAD)
def test_both_refuse_the_same_input(theirs: Any, own: ours.Memory, call: str) -> None:
    with pytest.raises((ValueError, Mem0Error)):
        BAD[call](theirs)
    with pytest.raises(ValueError, match="."):
        BAD[call](own)
