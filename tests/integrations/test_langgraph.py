"""A LangGraph agent keeps its memory in Foveal."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langgraph.graph import START, StateGraph
from langgraph.store.base import BaseStore, InvalidNamespaceError, PutOp
from openai import OpenAI

from foveal import Memory
from foveal.integrations.langgraph import FovealStore
from foveal.testing import ManualClock, ModelServer


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(":memory:") as memory:
        yield memory


@pytest.fixture
def store(memory: Memory) -> FovealStore:
    return FovealStore(memory.view(actor_id="ada"))


class Talk(TypedDict, total=False):
    user: str
    said: str
    answer: str


def _agent(store: FovealStore, url: str) -> Any:
    """An agent that remembers what it is told, and shows the model what it remembers."""
    model = OpenAI(base_url=url, api_key="none", max_retries=0)

    def reply(state: Talk, *, store: BaseStore) -> Talk:
        user, said = state.get("user", ""), state.get("said", "")
        known = [item.value["text"] for item in store.search(("memories", user), query=said, limit=3)]
        messages: list[Any] = [{"role": "system", "content": "\n".join(known)}, {"role": "user", "content": said}]
        answer = model.chat.completions.create(model="scripted", messages=messages)
        store.put(("memories", user), f"said-{len(known)}-{said[:12]}", {"text": said})
        return {"answer": answer.choices[0].message.content or ""}

    graph = StateGraph(Talk)
    graph.add_node("reply", reply)
    graph.add_edge(START, "reply")
    return graph.compile(store=store)


def _first_known(asked: Any) -> str:
    return asked["messages"][0]["content"].split("\n")[0] or "I do not know."


def test_a_fact_told_in_one_session_is_recalled_in_the_next_and_only_for_its_user(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with ModelServer(answer=_first_known) as model:
        with Memory(path) as memory:
            agent = _agent(FovealStore(memory.view(actor_id="agent")), model.url)
            agent.invoke({"user": "ada", "said": "My flat is in Lisbon"})
        with Memory(path) as memory:
            agent = _agent(FovealStore(memory.view(actor_id="agent")), model.url)
            ada = agent.invoke({"user": "ada", "said": "Where is my flat?"})
            ben = agent.invoke({"user": "ben", "said": "Where is my flat?"})
    assert ada["answer"] == "My flat is in Lisbon"
    assert ben["answer"] == "I do not know."


def test_a_changed_fact_is_found_with_its_new_value(store: FovealStore) -> None:
    store.put(("users", "ada"), "city", {"text": "Ada lives in Lisbon"})
    store.put(("users", "ada"), "city", {"text": "Ada lives in Porto"})
    found = store.search(("users",), query="Where does Ada live?")
    assert [(item.key, item.value) for item in found] == [("city", {"text": "Ada lives in Porto"})]


def test_an_actor_does_not_see_the_items_of_another(memory: Memory, store: FovealStore) -> None:
    store.put(("notes",), "tea", {"text": "Ada likes tea"})
    other = FovealStore(memory.view(actor_id="ben"))
    assert other.get(("notes",), "tea") is None
    assert other.search((), query="tea") == []
    assert other.list_namespaces() == []


def test_two_nodes_put_the_same_key_without_learning_of_each_other(memory: Memory) -> None:
    stores = [FovealStore(memory.view(actor_id="ada", node=node)) for node in ("/", "/planner", "/coder")]
    for number, own in enumerate(stores):
        own.put(("notes",), "tea", {"text": f"Tea number {number}."})
        own.put(("notes",), "tea", {"text": f"Tea number {number}, again."})
    for number, own in enumerate(stores[1:], 1):
        item = own.get(("notes",), "tea")
        assert item is not None and item.value == {"text": f"Tea number {number}, again."}


def test_the_items_of_a_store_are_apart_from_the_other_records(memory: Memory, store: FovealStore) -> None:
    memory.write("Ada likes tea", actor_id="ada")
    store.put(("notes",), "tea", {"text": "Ada likes green tea"})
    assert [item.key for item in store.search((), query="tea")] == ["tea"]
    assert len(memory.search("tea", actor_id="ada")) == 2


def test_what_was_put_is_given_back_as_it_was(store: FovealStore) -> None:
    value = {"n": 1, "nested": {"list": [1, "two", None]}, "text": "日本"}
    before = datetime.now(UTC)
    store.put(("a_%", "b#c"), "key.with/signs", value)
    item = store.get(("a_%", "b#c"), "key.with/signs")
    assert item is not None
    assert (item.value, item.namespace, item.key) == (value, ("a_%", "b#c"), "key.with/signs")
    assert before <= item.created_at == item.updated_at
    store.put(("a_%", "b#c"), "key.with/signs", {"n": 2})
    changed = store.get(("a_%", "b#c"), "key.with/signs")
    assert changed is not None
    assert changed.created_at == item.created_at < changed.updated_at


def test_a_deleted_key_can_be_put_again(store: FovealStore) -> None:
    store.put(("n",), "k", {"v": 1})
    store.delete(("n",), "k")
    assert store.get(("n",), "k") is None
    store.put(("n",), "k", {"v": 2})
    assert [item.value for item in store.search(("n",))] == [{"v": 2}]


def test_a_key_whose_record_a_person_forgot_can_be_put_again(memory: Memory, store: FovealStore) -> None:
    for n in range(3):
        store.put(("n",), "k", {"v": n})
        [record] = memory.timeline(actor_id="ada")
        memory.forget(record.id, actor_id="ada")
        assert store.get(("n",), "k") is None
    store.put(("n",), "k", {"v": 9})
    item = store.get(("n",), "k")
    assert item is not None
    assert item.value == {"v": 9}


def test_an_item_that_is_not_indexed_comes_last_and_has_no_score(store: FovealStore) -> None:
    store.put(("n",), "hidden", {"text": "Ada likes tea"}, index=False)
    store.put(("n",), "shown", {"text": "Ada likes tea"})
    found = store.search(("n",), query="tea")
    assert [(item.key, item.score is None) for item in found] == [("shown", False), ("hidden", True)]
    store.put(("n",), "hidden", {"text": "Ada likes tea"})
    assert all(item.score is not None for item in store.search(("n",), query="tea"))


def test_only_the_named_fields_are_searched(memory: Memory) -> None:
    store = FovealStore(memory.view(actor_id="ada"), index={"fields": ["title"]})
    store.put(("n",), "a", {"title": "tea", "body": "harbour"})
    store.put(("n",), "b", {"title": "harbour", "body": "tea"})
    assert store.search(("n",), query="harbour")[0].key == "b"


def test_an_item_expires_unless_it_is_read() -> None:
    clock = ManualClock()
    with Memory(":memory:", clock=clock) as memory:
        store = FovealStore(memory.view(actor_id="ada"), clock=clock)
        store.put(("n",), "read", {"v": 1}, ttl=60)
        store.put(("n",), "unread", {"v": 1}, ttl=60)
        for _ in range(3):
            clock.turn(timedelta(minutes=40))
            assert store.get(("n",), "read") is not None
        assert store.get(("n",), "unread") is None
        clock.turn(timedelta(minutes=40))
        assert store.get(("n",), "read", refresh_ttl=False) is not None
        clock.turn(timedelta(minutes=40))
        assert store.get(("n",), "read") is None
        store.put(("n",), "read", {"v": 2})
        assert [item.value for item in store.search(("n",))] == [{"v": 2}]


@pytest.mark.parametrize(
    ("value", "reason"),
    [({"v": object()}, "not JSON"), ({"v": "x" * 70_000}, "65,536"), ({"v": float("nan")}, "not JSON")],
)
def test_a_value_that_cannot_be_stored_is_a_value_error(store: FovealStore, value: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        store.put(("n",), "k", value)
    assert store.get(("n",), "k") is None


@pytest.mark.parametrize("value", ["plain", ["a", "list"], 7])
def test_a_value_that_is_no_object_is_refused_and_leaves_the_others(store: FovealStore, value: Any) -> None:
    store.put(("notes",), "tea", {"text": "Ada drinks tea"})
    with pytest.raises(ValueError, match="'k' must be a JSON object, not"):
        store.put(("notes",), "k", value)
    assert store.get(("notes",), "k") is None
    assert [item.key for item in store.search(("notes",), query="tea")] == ["tea"]


def test_a_stored_value_that_is_no_object_hides_no_other_item(memory: Memory, store: FovealStore) -> None:
    store.put(("notes",), "odd", {"text": "Ada drinks tea"})
    store.put(("notes",), "tea", {"text": "Ada drinks green tea"})
    view = memory.view(actor_id="ada")
    odd = next(record for record in view.browse.page().records if record.metadata["key"] == "odd")
    view.supersede(odd.id, "plain tea", metadata={"key": "odd", "value": "plain", "ttl": None})
    assert store.get(("notes",), "odd") is None
    assert [item.key for item in store.search(("notes",), query="tea", limit=1)] == ["tea"]
    assert [item.key for item in store.search(("notes",))] == ["tea"]
    store.put(("notes",), "odd", {"text": "Ada drinks coffee"})
    assert store.get(("notes",), "odd") is not None


def test_bad_namespaces_and_operators_are_refused(store: FovealStore) -> None:
    with pytest.raises(InvalidNamespaceError):
        store.put((), "k", {"v": 1})
    with pytest.raises(InvalidNamespaceError):
        store.batch([PutOp(("a.b",), "k", {"v": 1})])
    store.put(("n",), "k", {"v": 1})
    with pytest.raises(ValueError, match="not an operator"):
        store.search(("n",), filter={"v": {"$regex": "x"}})
    with pytest.raises(ValueError, match="own encoder"):
        FovealStore(store._memory, index={"embed": None})  # type: ignore[typeddict-unknown-key]  # pyright: ignore


def test_the_asynchronous_calls_do_the_same(store: FovealStore) -> None:
    async def story() -> list[str]:
        await asyncio.gather(*(store.aput(("n",), f"k{n}", {"n": n}) for n in range(20)))
        await store.adelete(("n",), "k3")
        return sorted(item.key for item in await store.asearch(("n",), filter={"n": {"$lt": 5}}))

    assert asyncio.run(story()) == ["k0", "k1", "k2", "k4"]
