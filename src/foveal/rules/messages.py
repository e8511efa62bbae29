"""Conversion between turns and the message lists of OpenAI and Anthropic. Calls stay paired with their results."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar, cast

from foveal.errors import Invalid, TooLarge
from foveal.model.crystal import Call, Form, Role, Turn
from foveal.rules.windows import Spoken

Message = Mapping[str, Any]
R = TypeVar("R")

_ROLES = {"developer": Role.SYSTEM, "function": Role.TOOL, **{role.value: role for role in Role}}
_OPENAI = {Role.OTHER: "user"}
_TEXTS = ("text", "input_text", "output_text")


def from_openai(messages: Iterable[Message]) -> list[Spoken]:
    """The turns in a list of chat messages, or in a list of items of the Responses API.

    >>> [turn.role.value for turn in from_openai([{"role": "developer", "content": "Be brief."}])]
    ['system']
    """
    return [_parsed(_from_openai, message, place) for place, message in enumerate(messages)]


def _parsed(parse: Callable[[Message, int], R], message: Message, place: int) -> R:
    try:
        return parse(message, place)
    except (KeyError, TypeError, AttributeError) as error:
        raise Invalid(f"message {place} does not have the form of a message: {error!r}", index=place) from None


def _from_openai(message: Message, place: int) -> Spoken:
    match message.get("type"):
        case "function_call":
            call = Call(id=message["call_id"], name=message["name"], arguments=message.get("arguments") or "{}")
            return Spoken(role=Role.ASSISTANT, content="", calls=(call,))
        case "function_call_output":
            return Spoken(role=Role.TOOL, content=_text(message.get("output")), answers=message["call_id"])
        case _:
            pass
    role = _role(message, place)
    calls = tuple(
        Call(id=call["id"], name=call["function"]["name"], arguments=call["function"].get("arguments") or "{}")
        for call in message.get("tool_calls") or ()
    )
    known = ("role", "content", "tool_calls", "tool_call_id", "type")
    metadata: dict[str, Any] = {"more": {name: value for name, value in message.items() if name not in known}}
    if message.get("role") != role.value:
        metadata["role"] = message["role"]
    content = message.get("content")
    if not isinstance(content, str):
        metadata["content"] = content
    return Spoken(
        role=role,
        content=_text(content),
        calls=calls,
        answers=message.get("tool_call_id"),
        metadata={name: value for name, value in metadata.items() if value != {}},
    )


def to_openai(turns: Iterable[Turn]) -> list[dict[str, Any]]:
    """The turns as chat messages; a result without its call becomes text."""
    messages: list[dict[str, Any]] = []
    called: set[str] = set()
    for turn in turns:
        called |= {call.id for call in turn.calls}
        whole = turn.form is Form.WHOLE
        role = turn.metadata.get("role") or _OPENAI.get(turn.role, turn.role.value)
        content = turn.metadata["content"] if whole and "content" in turn.metadata else turn.content
        message: dict[str, Any] = {"role": role, "content": content}
        if turn.calls:
            message["content"] = content or None
            message["tool_calls"] = [
                {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
                for call in turn.calls
            ]
        if turn.role is Role.TOOL and turn.answers in called:
            message["tool_call_id"] = turn.answers
        elif turn.role is Role.TOOL:
            message = {"role": "user", "content": f"[result of a tool] {turn.content}"}
        messages.append(message | (turn.metadata.get("more", {}) if whole else {}))
    return messages


def from_anthropic(messages: Iterable[Message], system: str | Sequence[Message] | None = None) -> list[Spoken]:
    """The turns in a list of messages, after the separate system prompt.

    >>> [turn.content for turn in from_anthropic([{"role": "user", "content": "hi"}], "Be brief.")]
    ['Be brief.', 'hi']
    """
    turns = [Spoken(role=Role.SYSTEM, content=_text(system))] if system else []
    for place, message in enumerate(messages):
        turns += _parsed(_from_anthropic, message, place)
    return turns


def _from_anthropic(message: Message, place: int) -> list[Spoken]:
    role, content = _role(message, place), message.get("content")
    if isinstance(content, str):
        return [Spoken(role=role, content=content)]
    blocks = cast(Sequence[Message], content or ())
    turns = [
        Spoken(
            role=Role.TOOL,
            content=_text(block.get("content")),
            answers=block["tool_use_id"],
            metadata={"block": dict(block), **({"error": True} if block.get("is_error") else {})},
        )
        for block in blocks
        if block.get("type") == "tool_result"
    ]
    rest = [dict(block) for block in blocks if block.get("type") != "tool_result"]
    calls = tuple(
        Call(id=block["id"], name=block["name"], arguments=json.dumps(block.get("input") or {}, ensure_ascii=False))
        for block in rest
        if block.get("type") == "tool_use"
    )
    if rest or not turns:
        # Text beside results goes back into the message of the results.
        joined = {"joined": True} if turns else {}
        turns.append(Spoken(role=role, content=_text(rest), calls=calls, metadata={"blocks": rest, **joined}))
    return turns


def to_anthropic(turns: Sequence[Turn]) -> tuple[str, list[dict[str, Any]]]:
    """The system prompt, and the turns as messages.

    The results of calls are together in the message after the calls, as the API requires.
    """
    head = next((place for place, turn in enumerate(turns) if turn.role is not Role.SYSTEM), len(turns))
    called: set[str] = set()
    messages: list[dict[str, Any]] = []
    results = False
    for turn in turns[head:]:
        called |= {call.id for call in turn.calls}
        result = turn.role is Role.TOOL and turn.answers in called
        if results and (result or turn.metadata.get("joined")):
            messages[-1]["content"] += _blocks(turn, result)
        else:
            role = "assistant" if turn.role is Role.ASSISTANT else "user"
            plain = not result and not turn.calls and "blocks" not in turn.metadata
            messages.append({"role": role, "content": _plain(turn) if plain else _blocks(turn, result)})
        results = result
    return "\n\n".join(turn.content for turn in turns[:head]), messages


# How many messages one call may hold.
MOST_MESSAGES = 1000
_BLOCKS = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking", "image", "document"})


def turns_from(messages: object, details: frozenset[str]) -> tuple[list[dict[str, Any]], list[int]]:
    """What people pass as a conversation, as items for `write_many`; and the positions of messages without a text.

    It takes a string, chat messages of OpenAI or Anthropic with tool calls and parts, items of the Responses API,
    and mappings with a `text` and details of their own. `details` names those that may also stand beside a role.

    >>> turns_from([{"role": "user", "content": "hi", "name": "Ada"}, {"role": "tool", "content": ""}], frozenset())
    ([{'text': 'hi', 'source': 'user', 'speaker': 'Ada'}], [1])
    """
    if isinstance(messages, str):
        return [{"text": messages}], []
    if isinstance(messages, Mapping):
        return turns_from([cast(Message, messages)], details)
    if not isinstance(messages, Sequence) or isinstance(messages, bytes):
        raise Invalid(f"messages must be a string or a list of messages, not {type(messages).__name__}")
    listed = cast(Sequence[object], messages)
    if len(listed) > MOST_MESSAGES:
        raise TooLarge(
            f"{len(listed):,} messages are too many for one call; the limit is {MOST_MESSAGES:,}: send several"
        )
    items: list[dict[str, Any]] = []
    empty: list[int] = []
    for place, message in enumerate(listed):
        found = _items(message, place, details)
        items += found
        if not found:
            empty.append(place)
    return items, empty


def spoken(said: object, details: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The text of what is said, and its details. A chat message says its text, and who said it.

    >>> spoken({"role": "user", "content": "I sail.", "name": "Ada"}, {"tags": ["sea"]})
    ('I sail.', {'source': 'user', 'speaker': 'Ada', 'tags': ['sea']})
    """
    if not isinstance(said, Mapping):
        return cast(str, said), dict(details)
    items, _ = turns_from([cast(Message, said)], frozenset())
    if not items:
        raise Invalid("the message holds no text")
    text = "\n".join(str(item["text"]) for item in items)
    return text, {**{name: value for name, value in items[0].items() if name != "text"}, **details}


def _items(message: object, place: int, details: frozenset[str]) -> list[dict[str, Any]]:
    if isinstance(message, str):
        return [{"text": message}] if message.strip() else []
    if not isinstance(message, Mapping):
        raise Invalid(f"message {place} must be a string or a mapping, not {type(message).__name__}", index=place)
    own = cast(Message, message)
    if "text" in own and "role" not in own:
        return [dict(own)]
    if "role" not in own and own.get("type") not in ("function_call", "function_call_output"):
        raise Invalid(f"message {place} has neither a role with content nor a text", index=place)
    if "role" in own and "content" not in own and not own.get("tool_calls"):
        raise Invalid(f"message {place} has a role but no content", index=place)
    extra = {name: own[name] for name in details if name in own and name not in ("source", "id")}
    if isinstance(own.get("name"), str):
        extra.setdefault("speaker", own["name"])
    return [
        {"text": text, "source": _SOURCES[spoken.role], **extra}
        for spoken in _spoken(own, place)
        if (text := _told(spoken)).strip()
    ]


_SOURCES = {
    Role.OTHER: "user",
    **{role: role.value for role in (Role.USER, Role.ASSISTANT, Role.TOOL, Role.SYSTEM)},
}


def _spoken(message: Message, place: int) -> list[Spoken]:
    content = message.get("content")
    if isinstance(content, list | tuple):
        parts = cast(Sequence[object], content)
        if any(not isinstance(part, Mapping) for part in parts):
            raise Invalid(f"message {place} has content that is neither a text nor a list of parts", index=place)
        if any(cast(Message, part).get("type") in _BLOCKS for part in parts):
            return _parsed(_from_anthropic, message, place)
    elif content is not None and not isinstance(content, str):
        raise Invalid(f"message {place} has content that is neither a text nor a list of parts", index=place)
    return [_parsed(_from_openai, message, place)]


def _told(spoken: Spoken) -> str:
    """The text of a turn; a call of a tool is told by its name and arguments."""
    calls = [f"[calls {call.name}] {call.arguments}" for call in spoken.calls]
    return "\n".join(part for part in (spoken.content, *calls) if part)


def _blocks(turn: Turn, result: bool) -> list[dict[str, Any]]:
    whole = turn.form is Form.WHOLE
    if result:
        if whole and "block" in turn.metadata:
            return [turn.metadata["block"]]
        failed = {"is_error": True} if turn.metadata.get("error") else {}
        return [{"type": "tool_result", "tool_use_id": turn.answers, "content": turn.content, **failed}]
    if whole and "blocks" in turn.metadata:
        return list(turn.metadata["blocks"])
    text = [{"type": "text", "text": _plain(turn)}] if turn.content else []
    return text + [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": _input(call.arguments)}
        for call in turn.calls
    ]


def _plain(turn: Turn) -> str:
    labels = {Role.SYSTEM: "[system] ", Role.TOOL: "[result of a tool] "}
    return labels.get(turn.role, "") + turn.content


def _input(arguments: str) -> dict[str, Any]:
    try:
        parsed = json.loads(arguments)
    except ValueError:
        return {"arguments": arguments}
    return cast(dict[str, Any], parsed) if isinstance(parsed, dict) else {"arguments": parsed}


def _role(message: Message, place: int) -> Role:
    role = message.get("role")
    if role not in _ROLES:
        raise Invalid(f"message {place} has the role {role!r}; known are {', '.join(_ROLES)}", index=place)
    return _ROLES[cast(str, role)]


def _text(content: object) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    parts: list[str] = []
    for block in cast(Sequence[Message], content):
        kind = block.get("type")
        if kind in _TEXTS:
            parts.append(str(block.get("text", "")))
        elif kind not in ("tool_use", "thinking", "redacted_thinking"):
            parts.append(f"[{kind}]")
    return "\n".join(parts)
