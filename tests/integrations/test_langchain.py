"""LangChain chains keep their messages and documents in Foveal, and recall from it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    convert_to_openai_messages,
)
from langchain_core.runnables import RunnableLambda
from openai import OpenAI

from foveal import Memory
from foveal.integrations.langchain import FovealChatMessageHistory, FovealRetriever, FovealVectorStore
from foveal.testing import ModelServer


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(":memory:") as memory:
        yield memory


def _history(memory: Memory, session: str = "s1", actor_id: str = "ada") -> FovealChatMessageHistory:
    return FovealChatMessageHistory(session, memory.view(actor_id=actor_id))


def _store(memory: Memory, collection: str = "default", actor_id: str = "ada") -> FovealVectorStore:
    return FovealVectorStore(memory.view(actor_id=actor_id), collection=collection)


def _ask(memory: Memory, url: str, said: str, *, session: str, actor_id: str = "ada") -> str:
    """One question to a chain with a history, whose prompt has what the retriever found."""
    view = memory.view(actor_id=actor_id)
    model = OpenAI(base_url=url, api_key="none", max_retries=0)
    history = FovealChatMessageHistory(session, view)

    def prompt(known: list[Document]) -> list[Any]:
        lines = "\n".join(document.page_content for document in known)
        return convert_to_openai_messages([SystemMessage(lines), *history.messages, HumanMessage(said)])  # type: ignore[return-value]

    def answer(messages: list[Any]) -> str:
        return model.chat.completions.create(model="scripted", messages=messages).choices[0].message.content or ""

    replied = (FovealRetriever(memory=view) | RunnableLambda(prompt) | RunnableLambda(answer)).invoke(said)
    history.add_messages([HumanMessage(said), AIMessage(replied)])
    return replied


def test_a_fact_is_recalled_in_the_next_session_with_its_new_value_and_only_for_its_user(tmp_path: Path) -> None:
    def answer(asked: Any) -> str:
        said = asked["messages"][-1]["content"]
        return (asked["messages"][0]["content"].split("\n")[0] or "Unknown.") if "?" in said else "Noted."

    path = tmp_path / "chain.db"
    with ModelServer(answer=answer) as model:
        with Memory(path) as memory:
            _ask(memory, model.url, "My flat is in Lisbon", session="monday")
        with Memory(path) as memory:
            assert _ask(memory, model.url, "Where is my flat?", session="tuesday") == "My flat is in Lisbon"
            _ask(memory, model.url, "I moved, my flat is in Porto now", session="wednesday")
            assert "Porto" in _ask(memory, model.url, "Where is my flat now?", session="friday")
            assert _ask(memory, model.url, "Where is my flat?", session="monday", actor_id="ben") == "Unknown."
            assert [message.text for message in _history(memory, "monday").messages] == [
                "My flat is in Lisbon",
                "Noted.",
            ]


MESSAGES: list[BaseMessage] = [
    SystemMessage("Be brief."),
    HumanMessage([{"type": "text", "text": "What is the weather?"}], name="Ada"),
    AIMessage("", tool_calls=[{"name": "weather", "args": {"city": "Lisbon"}, "id": "c1"}]),
    ToolMessage("sunny", tool_call_id="c1"),
    AIMessage("Sunny.", additional_kwargs={"more": [1, 2]}),
    HumanMessage("x " * 100_000),
]


def test_messages_come_back_as_they_were_in_their_order(memory: Memory) -> None:
    history = _history(memory)
    history.add_messages(MESSAGES)
    history.add_user_message("Thanks")
    assert history.messages == [*MESSAGES, HumanMessage("Thanks")]
    assert asyncio.run(history.aget_messages()) == history.messages
    assert _history(memory, "s2").messages == [] == _history(memory, "s1", "ben").messages
    _history(memory, "s2").add_user_message("Other")
    history.clear()
    assert history.messages == []
    assert _history(memory, "s2").messages == [HumanMessage("Other")]


def test_one_bad_message_is_a_value_error_and_none_is_added(memory: Memory) -> None:
    history = _history(memory)
    with pytest.raises(ValueError, match="NUL"):
        history.add_messages([HumanMessage("good"), HumanMessage("a\0b")])
    with pytest.raises(ValueError, match="not JSON"):
        history.add_messages([HumanMessage("good"), HumanMessage("bad", additional_kwargs={"x": object()})])
    assert history.messages == []


def test_the_retriever_tells_how_sure_it_is_and_when_it_was_said(memory: Memory) -> None:
    memory.write("Ada likes green tea", actor_id="ada", speaker="Ada", tags=["drink"])
    memory.write("The harbour opens at nine", actor_id="ada")
    retriever = FovealRetriever(memory=memory.view(actor_id="ada"), k=1)
    [found] = retriever.invoke("What does Ada drink?")
    assert found.page_content == "Ada likes green tea"
    assert found.metadata["relevance"] > 0.1
    assert found.metadata["speaker"] == "Ada" and found.metadata["tags"] == ["drink"]
    assert asyncio.run(retriever.ainvoke("What does Ada drink?"))[0].id == found.id
    with pytest.raises(ValueError, match="filter field"):
        FovealRetriever(memory=memory.view(actor_id="ada"), filters={"nonsense": 1}).invoke("tea")


def test_documents_are_found_replaced_and_erased_by_their_ids(memory: Memory) -> None:
    store = _store(memory)
    store.add_texts(["Ada lives in Lisbon", "The harbour opens at nine"], [{"n": 1}, {"n": 2}], ids=["a", "b"])
    assert store.similarity_search("Where does Ada live?", k=1) == [
        Document(id="a", page_content="Ada lives in Lisbon", metadata={"n": 1})
    ]
    [(found, score)] = store.similarity_search_with_relevance_scores("harbour", k=2, filter={"n": {"gt": 1}})
    assert found.id == "b" and 0 < score <= 1
    store.add_documents([Document(id="a", page_content="Ada lives in Porto")])
    assert [document.page_content for document in store.get_by_ids(["b", "a", "c"])] == [
        "The harbour opens at nine",
        "Ada lives in Porto",
    ]
    store.delete(["a", "missing"])
    assert store.get_by_ids(["a"]) == []
    store.add_texts(["", "again"], ids=["empty", "a"])
    assert store.get_by_ids(["empty"])[0].page_content == ""
    store.delete()
    assert store.similarity_search("Ada", k=5) == []


def test_collections_and_actors_are_apart(memory: Memory) -> None:
    _store(memory).add_texts(["tea"], ids=["1"])
    for other in (_store(memory, "other"), _store(memory, "default", "ben")):
        assert other.similarity_search("tea") == [] == other.get_by_ids(["1"])
        other.delete(["1"])
        other.add_texts(["coffee"], ids=["1"])
    assert [document.page_content for document in _store(memory).get_by_ids(["1"])] == ["tea"]


def test_a_document_that_a_person_forgot_can_be_added_again(memory: Memory) -> None:
    store = _store(memory)
    for text in ("one", "two"):
        store.add_texts([text], ids=["k"])
        [record] = memory.timeline(actor_id="ada")
        memory.forget(record.id, actor_id="ada")
        assert store.get_by_ids(["k"]) == []
    store.add_texts(["three"], ids=["k"])
    assert store.get_by_ids(["k"])[0].page_content == "three"


def test_bad_documents_are_value_errors(memory: Memory) -> None:
    view = memory.view(actor_id="ada")
    with pytest.raises(ValueError, match="2 texts and 1 metadatas"):
        _store(memory).add_texts(["a", "b"], [{}])
    with pytest.raises(ValueError, match="own encoder"):
        FovealVectorStore.from_texts(["a"], DeterministicFakeEmbedding(size=3), memory=view)
    with pytest.raises(ValueError, match="memory is missing"):
        FovealVectorStore.from_texts(["a"], None)
    with pytest.raises(ValueError, match="not JSON"):
        _store(memory).add_texts(["a"], [{"x": object()}])
    assert FovealVectorStore.from_texts(["a"], None, memory=view).similarity_search("a", k=9) != []
