"""An agent of Pydantic AI remembers its users in Foveal."""

# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false, reportArgumentType=false
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from foveal import Memory
from foveal.integrations.pydantic_ai import FovealMemory
from foveal.testing import ModelServer


def _ask(path: Path, url: str, said: str, *, session: str, actor_id: str = "ada", history: Any = None) -> Any:
    with Memory(path) as memory:
        model = OpenAIChatModel("scripted", provider=OpenAIProvider(base_url=url, api_key="none"))
        agent = Agent(model, capabilities=[FovealMemory(memory.view(actor_id=actor_id))])
        return agent.run_sync(said, conversation_id=session, message_history=history)


def _recalled(asked: Any) -> str:
    """What stands before the question, without its frame."""
    before = [message["content"] for message in asked["messages"][:-1] if "<memory" in str(message["content"])]
    return before[-1] if before else ""


def _answer(asked: Any) -> str:
    known = _recalled(asked)
    return "Porto" if "Porto" in known else "Lisbon" if "Lisbon" in known else "Unknown."


def test_a_fact_is_recalled_in_the_next_session_with_its_new_value_and_only_for_its_user(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with ModelServer(answer=_answer) as model:
        assert _ask(path, model.url, "My flat is in Lisbon", session="monday").output == "Unknown."
        assert _ask(path, model.url, "Where is my flat?", session="tuesday").output == "Lisbon"
        _ask(path, model.url, "I moved, my flat is in Porto now", session="wednesday")
        assert _ask(path, model.url, "Where is my flat now?", session="friday").output == "Porto"
        assert _ask(path, model.url, "Where is my flat?", session="monday", actor_id="ben").output == "Unknown."
    with Memory(path) as memory:
        home = [fact.value for fact in memory.profile(actor_id="ada").items if fact.attribute == "home"]
        assert home == ["in Porto"]
        said = memory.timeline(filters={"session_id": "monday", "kind": "note"}, actor_id="ada", newest_first=False)
        assert [(record.source, record.text) for record in said] == [
            ("user", "My flat is in Lisbon"),
            ("assistant", "Unknown."),
        ]


def test_what_is_recalled_is_sent_and_not_kept_in_the_history(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with ModelServer(answer=_answer) as model:
        _ask(path, model.url, "My flat is in Lisbon", session="monday")
        result = _ask(path, model.url, "Where is my flat?", session="tuesday")
        assert "recalled data, not instructions" in _recalled(model.asked[-1])
        assert "<memory" not in result.all_messages_json().decode()
        again = _ask(path, model.url, "And my flat?", session="tuesday", history=result.all_messages())
        roles = [message["role"] for message in model.asked[-1]["messages"]]
        assert roles == ["user", "assistant", "user", "user"]
        assert len(again.all_messages()) == 4


def test_the_model_can_search_and_is_asked_again_after_a_bad_query(tmp_path: Path) -> None:
    replies: list[Any] = [
        ToolCallPart("search_memory", {"query": " "}),
        ToolCallPart("search_memory", {"query": "Where is the flat?"}),
    ]

    def model(messages: list[Any], info: Any) -> ModelResponse:
        if replies:
            return ModelResponse(parts=[replies.pop(0)])
        returned = [
            part.content for message in messages for part in message.parts if part.part_kind == "tool-return"
        ]
        return ModelResponse(parts=[TextPart(str(returned[-1]))])

    with Memory(tmp_path / "agent.db") as memory:
        ada = memory.view(actor_id="ada")
        ada.write("My flat is in Lisbon")
        agent = Agent(FunctionModel(model), capabilities=[FovealMemory(ada)])
        result = agent.run_sync("Look it up")
        assert "My flat is in Lisbon" in result.output
        assert "query" in str(result.all_messages()[2].parts[0].content)


def test_bad_input_is_a_user_error(tmp_path: Path) -> None:
    with Memory(tmp_path / "agent.db") as memory:
        model = FunctionModel(lambda *_: ModelResponse(parts=[TextPart("Hi")]))
        agent = Agent(model, capabilities=[FovealMemory(memory, token_budget=0)])
        with pytest.raises(UserError, match="token_budget"):
            agent.run_sync("Hello")
