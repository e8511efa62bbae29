"""A crew's memory is kept in Foveal."""

# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false, reportArgumentType=false
from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from crewai import LLM
from crewai import Memory as CrewMemory
from crewai.memory.storage.backend import EmbeddingDimensionMismatchError, StorageBackend
from crewai.memory.types import MemoryRecord

from foveal import Memory
from foveal.integrations.crewai import FovealStorage, embed
from foveal.testing import ModelServer


@pytest.fixture
def storage(tmp_path: Path):
    with Memory(tmp_path / "crew.db") as memory:
        yield FovealStorage(memory.view(actor_id="ada"))


def _entry(content: str, **details: Any) -> MemoryRecord:
    return MemoryRecord(content=content, embedding=embed([content])[0], **details)


def _crew(memory: Memory, url: str, actor_id: str = "ada") -> CrewMemory:
    llm = LLM(model="openai/scripted", base_url=url, api_key="none")
    return CrewMemory(storage=FovealStorage(memory.view(actor_id=actor_id)), embedder=embed, llm=llm)


def _told(crew: CrewMemory, content: str) -> None:
    crew.remember(content, scope="/users/ada", categories=["home"], importance=0.7)
    crew.drain_writes()


def test_a_fact_is_recalled_in_the_next_session_with_its_new_value_and_only_for_its_user(tmp_path: Path) -> None:
    path = tmp_path / "crew.db"
    with ModelServer() as model:
        with Memory(path) as memory:
            _told(_crew(memory, model.url), "The flat of the user is in Lisbon")
        with Memory(path) as memory:
            crew = _crew(memory, model.url)
            [found] = crew.recall("Where is the flat?", depth="shallow")
            assert found.record.content == "The flat of the user is in Lisbon"
            assert crew.update(found.record.id, content="The flat of the user is in Porto")
            [changed] = crew.recall("Where is the flat?", depth="shallow")
            assert changed.record.content == "The flat of the user is in Porto"
            assert _crew(memory, model.url, "ben").recall("Where is the flat?", depth="shallow") == []
            [record] = memory.timeline(actor_id="ada")
            versions = memory.history(record.id, actor_id="ada")
            assert [version.text[-6:] for version in versions] == ["Lisbon", " Porto"]


def test_an_entry_comes_back_as_it_was(storage: FovealStorage) -> None:
    entry = _entry(
        "Tea is green",
        scope="/team/ada",
        categories=["drink"],
        metadata={"n": [1, {"x": None}]},
        importance=0.25,
        source="ada",
        private=True,
    )
    storage.save([entry, _entry("")])
    back = storage.get_record(entry.id)
    assert back is not None
    assert back.model_dump() == entry.model_dump()
    assert back.embedding == pytest.approx(entry.embedding)
    assert storage.get_record("none") is None
    assert isinstance(storage, StorageBackend)
    assert storage.count() == 2


def test_scopes_are_compared_by_whole_names(storage: FovealStorage) -> None:
    for scope in ("/", "/a", "/a/b", "/ab"):
        storage.save([_entry(f"Tea of {scope}", scope=scope, categories=[scope])])
    assert storage.count("/a") == 2 == storage.get_scope_info("/a").record_count
    assert storage.list_scopes() == ["/a", "/ab"] and storage.list_scopes("/a/") == ["/a/b"]
    assert storage.list_categories("/a") == {"/a": 1, "/a/b": 1}
    assert {entry.scope for entry, _ in storage.search(embed(["tea"])[0], scope_prefix="/a/")} == {"/a", "/a/b"}
    storage.reset("/a")
    assert storage.count() == 2
    storage.reset()
    assert storage.count() == 0


def test_what_is_nearest_comes_first_and_filters_hold(storage: FovealStorage) -> None:
    storage.save(
        [
            _entry("Ada drinks green tea", categories=["drink"], metadata={"n": 1}),
            _entry("The harbour opens at nine", categories=["place"], metadata={"n": 2}),
        ]
    )
    query = embed(["What tea does Ada drink?"])[0]
    found = storage.search(query)
    assert [entry.content for entry, _ in found][0] == "Ada drinks green tea"
    assert found[0][1] > found[1][1] >= 0
    assert [entry.metadata["n"] for entry, _ in storage.search(query, categories=["place"])] == [2]
    assert [entry.metadata["n"] for entry, _ in storage.search(query, metadata_filter={"n": 2})] == [2]
    assert asyncio.run(storage.asearch(query, limit=1))[0][0].metadata["n"] == 1
    assert storage.search(query, min_score=0.99) == []


def test_entries_are_deleted_by_id_age_and_category(storage: FovealStorage) -> None:
    old = _entry("Old tea", created_at=datetime(2020, 1, 1, tzinfo=UTC), categories=["old"])
    new = _entry("New tea")
    storage.save([old, new])
    assert [entry.content for entry in storage.list_records()] == ["New tea", "Old tea"]
    assert storage.delete(older_than=datetime.now(UTC) - timedelta(days=1)) == 1
    assert storage.get_record(old.id) is None
    storage.save([old])
    assert storage.delete(categories=["old"], record_ids=[new.id]) == 0
    assert asyncio.run(storage.adelete(record_ids=[new.id])) == 1
    assert [entry.content for entry in storage.list_records(limit=5)] == ["Old tea"]


def test_bad_input_is_an_error_of_the_framework(storage: FovealStorage) -> None:
    storage.save([_entry("Tea")])
    with pytest.raises(EmbeddingDimensionMismatchError):
        storage.search([1.0, 0.0])
    with pytest.raises(EmbeddingDimensionMismatchError):
        storage.save([MemoryRecord(content="x", embedding=[1.0, 0.0])])
    with pytest.raises(ValueError, match="NUL"):
        storage.save([_entry("a\0b")])
    assert storage.count() == 1
