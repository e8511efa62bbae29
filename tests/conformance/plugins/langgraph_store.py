"""Aims LangGraph's own tests of its in-memory store at ours."""

from __future__ import annotations

from typing import Any

import langgraph.store.memory

from foveal import Memory
from foveal.integrations.langgraph import FovealStore, Indexing


class Aimed(FovealStore):
    """Our store with the constructor that the tests call; the memory's own encoder is used instead of theirs."""

    def __init__(self, *, index: Any = None) -> None:
        self.index_config = index
        fields = Indexing(fields=index["fields"]) if index and "fields" in index else None
        super().__init__(Memory(":memory:").view(actor_id="ada"), index=fields)


langgraph.store.memory.InMemoryStore = Aimed  # type: ignore[misc,assignment]  # pyright: ignore
