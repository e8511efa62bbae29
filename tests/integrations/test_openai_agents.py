"""An agent of the OpenAI Agents SDK keeps its sessions in Foveal, and finds what was said in earlier ones."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from agents import Agent, OpenAIChatCompletionsModel, RunConfig, Runner, Session
from openai import AsyncOpenAI

from foveal import Memory
from foveal.integrations.openai_agents import FovealSession, search_tool
from foveal.testing import ModelServer

QUIET = RunConfig(tracing_disabled=True)


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(":memory:") as memory:
        yield memory


def _session(memory: Memory, name: str = "s1", actor_id: str = "ada", **options: Any) -> FovealSession:
    return FovealSession(name, memory.view(actor_id=actor_id), **options)


def _said(text: str, role: str = "user") -> Any:
    return {"role": role, "content": text}


def _ask(memory: Memory, url: str, said: str, *, session: str, actor_id: str = "ada") -> str:
    view = memory.view(actor_id=actor_id)

    async def run() -> str:
        async with AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:
            model = OpenAIChatCompletionsModel(model="scripted", openai_client=client)
            agent = Agent(name="helper", instructions="Help.", model=model, tools=[search_tool(view)])
            answer = await Runner.run(agent, said, session=FovealSession(session, view), run_config=QUIET)
            return str(answer.final_output)

    return asyncio.run(run())


def test_what_was_told_in_one_session_is_found_in_the_next_and_only_by_its_user(tmp_path: Path) -> None:
    def answer(asked: Any) -> Any:
        last = asked["messages"][-1]
        if last["role"] == "tool":
            return last["content"]
        return {"search_memory": {"query": last["content"]}} if last["content"].endswith("?") else "Noted."

    path = tmp_path / "agent.db"
    with ModelServer(answer=answer) as model:
        with Memory(path) as memory:
            assert _ask(memory, model.url, "My flat is in Lisbon", session="monday") == "Noted."
        with Memory(path) as memory:
            assert "My flat is in Lisbon" in _ask(memory, model.url, "Where is my flat?", session="tuesday")
            _ask(memory, model.url, "I moved, my flat is in Porto now", session="wednesday")
            found = _ask(memory, model.url, "Where is my flat now?", session="friday").splitlines()
            assert "Porto" in found[0]
            ben = _ask(memory, model.url, "Where is my flat?", session="monday", actor_id="ben")
            assert "Lisbon" not in ben


def test_a_session_continues_where_it_ended(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with ModelServer(["Hello Ada.", "You said hello."]) as model:
        with Memory(path) as memory:
            _ask(memory, model.url, "Hello", session="s1")
        with Memory(path) as memory:
            _ask(memory, model.url, "What did I say?", session="s1")
        contents = [message["content"] for message in model.asked[-1]["messages"] if message["role"] != "system"]
    assert contents == ["Hello", "Hello Ada.", "What did I say?"]


def test_it_is_a_session(memory: Memory) -> None:
    assert isinstance(_session(memory), Session)


ITEMS: list[Any] = [
    _said("What is the weather?"),
    {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": '{"city": "Lisbon"}'},
    {"type": "function_call_output", "call_id": "c1", "output": "sunny"},
    {"type": "reasoning", "id": "r1", "summary": [], "encrypted_content": "x" * 100},
    {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "Sunny.", "annotations": []}],
    },
    {"role": "user", "content": ""},
    _said("x " * 100_000),
]


def test_items_come_back_as_they_were_in_their_order(memory: Memory) -> None:
    session = _session(memory)
    items = ITEMS + [_said(f"line {n}") for n in range(300)]

    async def story() -> None:
        await session.add_items(items)
        assert await session.get_items() == items
        assert await session.get_items(3) == items[-3:]
        assert await session.get_items(0) == []
        assert await session.pop_item() == items[-1]
        assert (await session.get_items())[-1] == items[-2]
        await session.clear_session()
        assert await session.get_items() == []
        assert await session.pop_item() is None

    asyncio.run(story())


def test_sessions_and_actors_are_apart(memory: Memory) -> None:
    async def story() -> None:
        await _session(memory, "s1").add_items([_said("one")])
        await _session(memory, "s2").add_items([_said("two")])
        await _session(memory, "s1", "ben").add_items([_said("three")])
        await _session(memory, "s2").clear_session()
        assert await _session(memory, "s1").get_items() == [_said("one")]
        assert await _session(memory, "s1", "ben").get_items() == [_said("three")]

    asyncio.run(story())


def test_the_settings_limit_what_is_given(memory: Memory) -> None:
    session = _session(memory, session_settings={"limit": 2})

    async def story() -> list[Any]:
        await session.add_items([_said(str(n)) for n in range(5)])
        assert len(await session.get_items(4)) == 4
        return cast(list[Any], await session.get_items())

    assert asyncio.run(story()) == [_said("3"), _said("4")]
    with pytest.raises(TypeError, match="limitt"):
        _session(memory, session_settings={"limitt": 2})


@pytest.mark.parametrize("bad", [{"role": "user", "content": object()}, _said("x" * 1_100_000), _said("a\0b")])
def test_one_bad_item_is_a_value_error_and_none_is_added(memory: Memory, bad: Any) -> None:
    session = _session(memory)

    async def story() -> list[Any]:
        await session.add_items([_said("before")])
        with pytest.raises(ValueError, match="JSON|limit|NUL"):
            await session.add_items([_said("good"), bad])
        return cast(list[Any], await session.get_items())

    assert asyncio.run(story()) == [_said("before")]
