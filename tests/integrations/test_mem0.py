"""A program written for mem0 keeps its calls and gets a Foveal memory."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from openai import OpenAI

import foveal
from foveal.integrations.mem0 import AsyncMemory, Memory
from foveal.testing import ManualClock, ModelServer

CHAT = [
    {"role": "system", "content": "You are helpful."},
    {"role": "user", "content": "I am vegetarian and allergic to nuts", "name": "Ada"},
    {"role": "assistant", "content": "I will keep that in mind."},
]


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(":memory:") as memory:
        yield memory


def _texts(found: dict[str, list[dict[str, Any]]]) -> list[str]:
    return [item["memory"] for item in found["results"]]


def _talk(path: Path, url: str, user: str, said: str) -> str:
    """One session of the chat of mem0's own first example."""
    model = OpenAI(base_url=url, api_key="none", max_retries=0)
    with Memory(path) as memory:
        known = memory.search(said, filters={"user_id": user}, top_k=3)
        memories = "\n".join(f"- {entry['memory']}" for entry in known["results"])
        messages: list[Any] = [{"role": "system", "content": memories}, {"role": "user", "content": said}]
        answer = model.chat.completions.create(model="scripted", messages=messages).choices[0].message.content or ""
        memory.add([{"role": "user", "content": said}], user_id=user)
    return answer


def test_a_fact_is_recalled_in_the_next_session_with_its_new_value_and_only_for_its_user(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with ModelServer(answer=lambda asked: asked["messages"][0]["content"].split("\n")[0] or "Unknown.") as model:
        _talk(path, model.url, "ada", "My flat is in Lisbon")
        assert _talk(path, model.url, "ada", "Where is my flat?") == "- My flat is in Lisbon"
        _talk(path, model.url, "ada", "I moved, my flat is in Porto now")
        assert _talk(path, model.url, "ada", "Where is my flat now?") == "- I moved, my flat is in Porto now"
        assert _talk(path, model.url, "ben", "Where is my flat?") == "Unknown."


def test_a_memory_lives_under_its_id_from_add_to_delete(memory: Memory) -> None:
    added = memory.add(CHAT, user_id="ada", agent_id="chef", run_id="r1", metadata={"topic": "food", "size": 3})
    assert [(item["memory"], item["event"], item["role"]) for item in added["results"]] == [
        ("I am vegetarian and allergic to nuts", "ADD", "user"),
        ("I will keep that in mind.", "ADD", "assistant"),
    ]
    first = added["results"][0]["id"]
    item = memory.get(first)
    assert item is not None
    assert {name: item[name] for name in ("user_id", "agent_id", "run_id", "actor_id", "metadata")} == {
        "user_id": "ada",
        "agent_id": "chef",
        "run_id": "r1",
        "actor_id": "Ada",
        "metadata": {"topic": "food", "size": 3},
    }
    found = memory.search("What can she eat?", filters={"user_id": "ada"}, explain=True)["results"][0]
    assert found["id"] == first
    assert 0 < found["score"] <= 1 and found["score_details"]

    assert memory.update(first, "I am vegan", metadata={"size": 4}) == {"message": "Memory updated successfully!"}
    changed = memory.get(first)
    assert changed is not None
    assert changed["memory"] == "I am vegan" and changed["metadata"] == {"topic": "food", "size": 4}
    assert changed["created_at"] == item["created_at"] < changed["updated_at"]
    assert [(row["event"], row["old_memory"], row["new_memory"]) for row in memory.history(first)] == [
        ("ADD", None, "I am vegetarian and allergic to nuts"),
        ("UPDATE", "I am vegetarian and allergic to nuts", "I am vegan"),
    ]
    assert memory.delete(first) == {"message": "Memory deleted successfully!"}
    assert memory.get(first) is None
    assert [(row["event"], row["is_deleted"]) for row in memory.history(first)] == [("DELETE", True)]
    assert _texts(memory.get_all(filters={"user_id": "ada"})) == ["I will keep that in mind."]


def test_add_draws_facts_unless_it_is_told_not_to() -> None:
    with foveal.Memory(":memory:") as opened:
        memory = Memory(opened)
        memory.add("I live in Utrecht", user_id="ada")
        memory.add("I live in Utrecht", user_id="ben", infer=False)
        assert [fact.value for fact in opened.profile(actor_id="ada").items] == ["Utrecht"]
        assert not opened.profile(actor_id="ben").items
        assert _texts(memory.get_all(filters={"user_id": "ada"})) == ["I live in Utrecht"]


@pytest.mark.parametrize("infer", [True, False])
def test_messages_that_cannot_all_be_added_take_nothing_away(memory: Memory, infer: bool) -> None:
    said, too_long = {"role": "user", "content": "I live in Oslo."}, {"role": "user", "content": "x" * 1_000_001}
    [known] = memory.add([said], user_id="ada", timestamp=1_700_000_000, infer=infer)["results"]
    new = {"role": "user", "content": "I like tea."}
    with pytest.raises(ValueError, match="the limit is 1,000,000"):
        memory.add([said, new, too_long], user_id="ada", timestamp=1_700_000_000, infer=infer)
    assert _texts(memory.get_all(filters={"user_id": "ada"})) == ["I live in Oslo."]
    assert memory.get(known["id"]) is not None


def test_users_agents_and_runs_are_told_apart(memory: Memory) -> None:
    memory.add("Tea is green", user_id="ada", agent_id="x")
    memory.add("Tea is black", user_id="ben", agent_id="x", run_id="r1")
    memory.add("Tea is white", agent_id="x")
    memory.add("Tea is red", run_id="r1")

    def tea(**filters: Any) -> set[str]:
        listed = _texts(memory.get_all(filters=filters))
        assert set(_texts(memory.search("tea", filters=filters, threshold=0.0))) == set(listed)
        return {text.removeprefix("Tea is ") for text in listed}

    assert tea(user_id="ada") == {"green"}
    assert tea(user_id="ben", run_id="r1") == {"black"}
    assert tea(user_id="ada", agent_id="y") == set()
    assert tea(agent_id="x") == {"green", "black", "white"}
    assert tea(run_id="r1") == {"black", "red"}
    memory.delete_all(agent_id="x")
    assert tea(user_id="ada") == set() and tea(run_id="r1") == {"red"}
    memory.add("Tea is blue", user_id="ada")
    memory.delete_all(user_id="ada")
    assert tea(user_id="ada") == set()


def test_reset_erases_what_was_added_and_nothing_else() -> None:
    with foveal.Memory(":memory:") as opened:
        memory = Memory(opened)
        opened.write("Written elsewhere", actor_id="ada")
        memory.add("I live in Utrecht", user_id="ada")
        memory.add("I live in Zwolle", user_id="ben")
        memory.reset()
        assert [record.text for record in opened.timeline(actor_id="ada")] == ["Written elsewhere"]
        assert opened.timeline(actor_id="ben") == []


FILTERS: list[tuple[dict[str, Any], set[int]]] = [
    ({"n": 1}, {1}),
    ({"n": {"gte": 2, "lt": 3}}, {2}),
    ({"n": {"in": [1, 3]}}, {1, 3}),
    ({"n": {"nin": [1, 3]}}, {2}),
    ({"word": {"contains": "wo"}}, {2}),
    ({"odd": "*"}, {1, 3}),
    ({"OR": [{"n": 1}, {"word": "two"}]}, {1, 2}),
    ({"AND": [{"n": {"gt": 1}}, {"odd": True}]}, {3}),
    ({"NOT": [{"n": 1}, {"n": 2}]}, {3}),
    ({"n": {"ne": 1}, "role": "user"}, {2, 3}),
]


@pytest.mark.parametrize(("filters", "wanted"), FILTERS)
def test_filters_mean_what_they_mean_in_mem0(memory: Memory, filters: dict[str, Any], wanted: set[int]) -> None:
    for n, word in enumerate(("one", "two", "three"), 1):
        memory.add(
            f"{word} tea", user_id="ada", metadata={"n": n, "word": word, **({"odd": True} if n % 2 else {})}
        )
    found = memory.search("tea", filters={"user_id": "ada", **filters}, threshold=0.0)
    assert {item["metadata"]["n"] for item in found["results"]} == wanted
    assert {
        item["metadata"]["n"] for item in memory.get_all(filters={"user_id": "ada", **filters})["results"]
    } == wanted


def test_an_expired_memory_is_shown_on_request_only() -> None:
    clock = ManualClock()
    with foveal.Memory(":memory:", clock=clock) as opened:
        memory = Memory(opened, clock=clock)
        today = clock.now().date()
        [added] = memory.add("The code is 1234", user_id="ada", expiration_date=today.isoformat())["results"]
        assert _texts(memory.search("code", filters={"user_id": "ada"})) == ["The code is 1234"]
        clock.turn(timedelta(days=1))
        assert _texts(memory.search("code", filters={"user_id": "ada"})) == []
        assert _texts(memory.get_all(filters={"user_id": "ada"}, show_expired=True)) == ["The code is 1234"]
        memory.update(added["id"], expiration_date=None)
        assert _texts(memory.get_all(filters={"user_id": "ada"})) == ["The code is 1234"]


def test_what_was_said_earlier_keeps_its_time(memory: Memory) -> None:
    memory.add("We met in Faro", user_id="ada", timestamp=datetime(2025, 1, 2, tzinfo=UTC).timestamp())
    [item] = memory.get_all(filters={"user_id": "ada"})["results"]
    assert item["created_at"] == "2025-01-02T00:00:00+00:00"


def test_a_procedure_is_one_memory(memory: Memory) -> None:
    [added] = memory.add(CHAT, agent_id="chef", memory_type="procedural_memory")["results"]
    assert added["memory"].startswith("user: I am vegetarian")


BAD: list[tuple[Callable[[Any], Any], str]] = [
    (lambda m: m.add("x"), "at least one of"),
    (lambda m: m.add("x", user_id=" "), "whitespace-only"),
    (lambda m: m.add("x", user_id="a b"), "cannot contain whitespace"),
    (lambda m: m.add(7, user_id="ada"), "messages must be"),
    (lambda m: m.add([{"role": "user"}], user_id="ada"), "needs a role and a content"),
    (lambda m: m.add("a\0b", user_id="ada"), "NUL"),
    (lambda m: m.add("x", user_id="ada", memory_type="odd"), "memory_type"),
    (lambda m: m.add("x", user_id="ada", prompt="p"), "leave it out"),
    (lambda m: m.add("x", user_id="ada", expiration_date="soon"), "YYYY-MM-DD"),
    (lambda m: m.search("x", user_id="ada"), "belongs into the filters"),
    (lambda m: m.search("x"), "filters must contain"),
    (lambda m: m.search(" ", filters={"user_id": "ada"}), "query"),
    (lambda m: m.search("x", filters={"user_id": "ada"}, top_k=-1), "top_k"),
    (lambda m: m.search("x", filters={"user_id": "ada"}, threshold=2), "min_relevance"),
    (lambda m: m.search("x", filters={"user_id": "ada", "n": {"regex": "."}}), "operator"),
    (lambda m: m.search("x", filters={"user_id": "ada", "OR": []}), "non-empty list"),
    (lambda m: m.update("ada/none", "x"), "not found"),
    (lambda m: m.update("ada/none"), "At least one of"),
    (lambda m: m.delete("none"), "not found"),
    (lambda m: m.delete_all(), "At least one filter"),
]


@pytest.mark.parametrize(("call", "reason"), BAD)
def test_bad_input_is_a_value_error_that_says_what_to_do(memory: Memory, call: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        call(memory)
    assert memory.get_all(filters={"user_id": "ada"})["results"] == []


def test_the_asynchronous_memory_has_the_same_methods() -> None:
    async def story() -> list[str]:
        async with AsyncMemory(":memory:") as memory:
            await asyncio.gather(*(memory.add(f"Tea number {n}", user_id="ada") for n in range(5)))
            found = await memory.search("tea", filters={"user_id": "ada"}, threshold=0.0)
            await memory.delete(found["results"][0]["id"])
            with pytest.raises(ValueError, match="not found"):
                await memory.delete("ada/none")
            return _texts(await memory.get_all(filters={"user_id": "ada"}))

    assert len(asyncio.run(story())) == 4
    for name in ("add", "search", "get", "get_all", "update", "delete", "delete_all", "history", "reset"):
        assert inspect.signature(getattr(AsyncMemory, name)) == inspect.signature(getattr(Memory, name))
