"""LangChain's standard tests against our retriever and our vector store."""

# pyright: basic, reportMissingImports=false
from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest
from langchain_core.vectorstores import VectorStore
from langchain_tests.integration_tests import RetrieversIntegrationTests, VectorStoreIntegrationTests

from foveal import Memory
from foveal.integrations.langchain import FovealRetriever, FovealVectorStore


class TestRetriever(RetrieversIntegrationTests):
    @property
    def retriever_constructor(self) -> type[FovealRetriever]:
        return FovealRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        view = Memory(":memory:").view(actor_id="ada")
        view.write_many([f"Ada drinks {kind} tea" for kind in ("green", "black", "white", "red", "mint")])
        return {"memory": view, "min_relevance": 0.0}

    @property
    def retriever_query_example(self) -> str:
        return "Which tea does Ada drink?"


class TestVectorStore(VectorStoreIntegrationTests):
    @pytest.fixture
    def vectorstore(self) -> Generator[VectorStore, None, None]:
        with Memory(":memory:") as memory:
            yield FovealVectorStore(memory.view(actor_id="ada"))
