"""Messages come in and go out the same, and a call never loses its result."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.errors import Invalid
from foveal.model.crystal import ContextWindow, Form, Role, Turn
from foveal.model.record import Linearity
from foveal.rules.messages import from_anthropic, from_openai, to_anthropic, to_openai
from foveal.rules.summaries import summary
from foveal.rules.windows import Means, appended, compressed

OPENAI: list[dict[str, Any]] = [
    {"role": "developer", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "What is in"}, {"type": "image_url", "image_url": {}}]},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": '{"path":"."}'}},
            {"id": "c2", "type": "function", "function": {"name": "cat", "arguments": "not json"}},
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "a.txt"},
    {"role": "tool", "tool_call_id": "c2", "content": "hello"},
    {"role": "assistant", "content": "One file.", "name": "helper"},
]
ANTHROPIC: list[dict[str, Any]] = [
    {"role": "user", "content": "List the files."},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "text", "text": "Looking."},
            {"type": "tool_use", "id": "t1", "name": "ls", "input": {"path": "."}},
            {"type": "tool_use", "id": "t2", "name": "cat", "input": {"path": "a"}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "a.txt"}]},
            {"type": "tool_result", "tool_use_id": "t2", "content": "no such file", "is_error": True},
            {"type": "text", "text": "Go on."},
        ],
    },
    {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
]


def _window(said: Any) -> ContextWindow:
    return appended(ContextWindow(max_tokens=40), said, len)


def test_openai_messages_come_back_as_they_were() -> None:
    window = _window(from_openai(OPENAI))
    assert to_openai(window.turns) == OPENAI
    assert [turn.role.value for turn in window.turns] == [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
    ]
    assert window.turns[3].metadata["tool"] == "ls"


def test_anthropic_messages_come_back_as_they_were() -> None:
    window = _window(from_anthropic(ANTHROPIC, "Be brief."))
    assert to_anthropic(window.turns) == ("Be brief.", ANTHROPIC)


def test_items_of_the_responses_api_are_understood() -> None:
    said = from_openai(
        [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
            {"type": "function_call", "call_id": "c", "name": "ls", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "output": "a.txt"},
        ]
    )
    assert [(one.role, one.content, one.answers) for one in said] == [
        (Role.USER, "hi", None),
        (Role.ASSISTANT, "", None),
        (Role.TOOL, "a.txt", "c"),
    ]
    assert to_openai(_window(said).turns)[2]["tool_call_id"] == "c"


def test_a_thread_goes_from_one_form_to_the_other() -> None:
    system, there = to_anthropic(_window(from_openai(OPENAI)).turns)
    assert system == "Be brief."
    assert [block["type"] for block in there[1]["content"]] == ["tool_use", "tool_use"]
    assert [block["tool_use_id"] for block in there[2]["content"]] == ["c1", "c2"]
    assert there[1]["content"][1]["input"] == {"arguments": "not json"}
    back = to_openai(_window(from_anthropic(ANTHROPIC)).turns)
    assert [one["role"] for one in back] == ["user", "assistant", "tool", "tool", "user", "assistant"]


def test_a_result_without_its_call_is_told_as_text() -> None:
    turn = Turn(id="a", number=1, role=Role.TOOL, content="a.txt", tokens=1, answers="lost")
    late = Turn(id="b", number=2, role=Role.SYSTEM, content="note", tokens=1)
    assert to_openai([turn]) == [{"role": "user", "content": "[result of a tool] a.txt"}]
    assert to_anthropic([turn, late])[1] == [
        {"role": "user", "content": "[result of a tool] a.txt"},
        {"role": "user", "content": "[system] note"},
    ]


WRONG: list[Any] = [{"role": "alien", "content": "x"}, {"content": "x"}, "text", {"type": "function_call"}]


@pytest.mark.parametrize("message", WRONG, ids=repr)
def test_what_is_no_message_is_refused_with_its_place(message: Any) -> None:
    for read in (from_openai, from_anthropic):
        with pytest.raises(Invalid) as refused:
            read([{"role": "user", "content": "fine"}, message])
        assert refused.value.data["index"] == 1
    with pytest.raises(Invalid):
        from_openai([{"role": "assistant", "tool_calls": [dict[str, Any]()]}])


@given(st.lists(st.integers(0, 3), min_size=1, max_size=12), st.sampled_from([0.0, 0.2, 0.5]))
def test_compression_keeps_every_call_with_its_results(shape: list[int], target: float) -> None:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Go."}]
    for n, calls in enumerate(shape):
        made = [
            {"id": f"{n}.{c}", "type": "function", "function": {"name": "cat", "arguments": '{"path": "a"}'}}
            for c in range(calls)
        ]
        messages.append({"role": "assistant", "content": "looking " * 9, **({"tool_calls": made} if made else {})})
        messages += [{"role": "tool", "tool_call_id": one["id"], "content": "bytes " * 90} for one in made]
    means = Means(len, summary, lambda turns: "nowhere")
    window = compressed(_window(from_openai(messages)), means, above=0, target=target).window
    sent = to_openai(window.turns)
    for place, message in enumerate(sent):
        asked = [one["id"] for one in message.get("tool_calls", ())]
        answered = [one.get("tool_call_id") for one in sent[place + 1 : place + 1 + len(asked)]]
        assert asked == answered
    assert all(turn.linearity is Linearity.DROPPABLE for turn in window.turns if turn.form is Form.FOLDED)
