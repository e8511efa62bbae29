"""Edits one member of a configuration file, JSON with comments or TOML, and leaves the rest of it as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast

from foveal.errors import Conflict, Unsupported

Format = Literal["json", "toml"]

# What is never closed ends with the text: otherwise each beginning would be read to the end in vain.
_COMMENT = re.compile(r'("(?:\\.|[^"\\])*(?:"|\Z))|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_LAST_COMMA = re.compile(r'("(?:\\.|[^"\\])*(?:"|\Z))|,(?=\s*[}\]])', re.DOTALL)
_BLANK = re.compile(r"[^\n]")


class _Member(NamedTuple):
    """A member of an object in a text: its name, and where it and its value stand."""

    name: str
    start: int
    value: int
    end: int


def parsed(text: str, form: Format) -> dict[str, Any]:
    """The content of a configuration file; an empty one has none.

    >>> parsed('{"a": 1, // one\\n}', "json")
    {'a': 1}
    """
    if not text.strip():
        return {}
    content = _toml().parse(text).unwrap() if form == "toml" else json.loads(_plain(text))
    if not isinstance(content, dict):
        raise Conflict("the file is not an object with members: nothing was changed")
    return cast(dict[str, Any], content)


def with_member(text: str, form: Format, path: Sequence[str], value: Any) -> str:
    """The text with one member set; comments, order and spacing of everything else stay.

    >>> print(with_member('{ // mine\\n  "a": 1\\n}', "json", ["b"], 2))
    {
      "b": 2, // mine
      "a": 1
    }
    """
    edited = _toml_with(text, path, value) if form == "toml" else _json_with(text, path, value)
    return _checked(edited, form, _set(parsed(text, form), path, value))


def without_member(text: str, form: Format, path: Sequence[str]) -> str:
    """The text without one member, if it has it.

    >>> without_member('{"a": 1, "b": 2}', "json", ["b"])
    '{"a": 1}'
    """
    wanted = parsed(text, form)
    inner: Any = wanted
    for name in path[:-1]:
        inner = inner.get(name, {})
    if path[-1] not in inner:
        return text
    del inner[path[-1]]
    edited = _toml_without(text, path) if form == "toml" else _json_without(text, path)
    return _checked(edited, form, wanted)


def _checked(edited: str, form: Format, wanted: Mapping[str, Any]) -> str:
    # An edit of text that does not say what it should is refused, whatever the reason.
    if parsed(edited, form) != wanted:
        raise Conflict("the file has a form that cannot be edited safely: nothing was changed")
    return edited


def _set(content: dict[str, Any], path: Sequence[str], value: Any) -> dict[str, Any]:
    if not path:
        return value
    inner = content.get(path[0], {})
    if len(path) > 1 and not isinstance(inner, dict):
        raise Conflict(f"{path[0]} is not an object with members: nothing was changed")
    return {**content, path[0]: _set(cast(dict[str, Any], inner), path[1:], value) if path[1:] else value}


def _plain(text: str) -> str:
    """The text as plain JSON of the same length: comments and last commas become blanks."""
    text = _COMMENT.sub(lambda found: found[1] or _BLANK.sub(" ", found[0]), text)
    return _LAST_COMMA.sub(lambda found: found[1] or " ", text)


def _members(plain: str, start: int) -> list[_Member]:
    """The members of the object that begins at `start`."""
    decoder, members = json.JSONDecoder(), list[_Member]()
    at = _next(plain, start + 1)
    while plain[at] != "}":
        at = _next(plain, at + 1) if plain[at] == "," else at
        name, after = decoder.raw_decode(plain, at)
        value = _next(plain, _next(plain, after) + 1)
        end = decoder.raw_decode(plain, value)[1]
        members.append(_Member(name, at, value, end))
        at = _next(plain, end)
    return members


def _next(plain: str, at: int) -> int:
    while plain[at].isspace():
        at += 1
    return at


def _json_with(text: str, path: Sequence[str], value: Any) -> str:
    if not text.strip():
        return _indented(_set({}, path, value), 0) + "\n"
    plain = _plain(text)
    start = plain.index("{")
    for depth, name in enumerate(path):
        members = _members(plain, start)
        found = next((member for member in members if member.name == name), None)
        if found is None:
            rest = _set({}, path[depth + 1 :], value) if path[depth + 1 :] else value
            line = f"\n{'  ' * (depth + 1)}{json.dumps(name)}: {_indented(rest, depth + 1)}"
            tail = "," if members else "" if "\n" in plain[start : _next(plain, start + 1)] else f"\n{'  ' * depth}"
            return text[: start + 1] + line + tail + text[start + 1 :]
        if depth == len(path) - 1:
            return text[: found.value] + _indented(value, depth + 1) + text[found.end :]
        start = found.value
    return text


def _json_without(text: str, path: Sequence[str]) -> str:
    plain = _plain(text)
    start = plain.index("{")
    for name in path[:-1]:
        start = next(member.value for member in _members(plain, start) if member.name == name)
    members = _members(plain, start)
    place = next(number for number, member in enumerate(members) if member.name == path[-1])
    member = members[place]
    if place + 1 < len(members):
        return text[: member.start] + text[members[place + 1].start :]
    if not place:
        return text[: member.start] + text[member.end :]
    comma = plain.index(",", members[place - 1].end)
    return text[:comma] + text[comma + 1 : member.start].rstrip() + text[member.end :]


def _indented(value: Any, depth: int) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False).replace("\n", "\n" + "  " * depth)


def _toml_with(text: str, path: Sequence[str], value: Any) -> str:
    toml = _toml()
    document = toml.parse(text)
    inner: Any = document
    for name in path[:-1]:
        if name not in inner:
            inner[name] = toml.table(is_super_table=True)
        inner = inner[name]
    inner[path[-1]] = value
    return toml.dumps(document)


def _toml_without(text: str, path: Sequence[str]) -> str:
    toml = _toml()
    document = toml.parse(text)
    inner: Any = document
    for name in path[:-1]:
        inner = inner[name]
    del inner[path[-1]]
    return toml.dumps(document)


def _toml() -> Any:
    try:
        import tomlkit
    except ImportError:
        raise Unsupported("this file is TOML: pip install 'foveal[mcp]'") from None
    return tomlkit
