"""Converts calls to HTTP requests, and back."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, cast
from urllib.parse import quote

import msgspec
from msgspec import Struct

from foveal.errors import Invalid, Unsupported
from foveal.wire.calls import Call
from foveal.wire.shapes import (
    AddressText,
    Boolean,
    Choice,
    Duration,
    Either,
    Integer,
    ListOf,
    Nullable,
    Number,
    Shape,
    Text,
    Timestamp,
)

WORDS = {"true": True, "false": False}


class Request(Struct, frozen=True, kw_only=True):
    """An HTTP request: `query` follows the path; `body` is a JSON object, or None for a GET."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    body: dict[str, Any] | None = None


def route(call: Call) -> tuple[str, str]:
    """The method and the path of a verb; `Unsupported` if it has none."""
    if call.verb.http is None:
        raise Unsupported(f"{call.verb.name} does not go over HTTP: it works where the memory is")
    method, path = call.verb.http.split(" ")
    return method, path


def requested(call: Call, arguments: Mapping[str, Any]) -> Request:
    """The request for a verb with arguments in plain JSON, as `Call.named` returns them.

    >>> from foveal.wire.calls import call_of
    >>> requested(call_of("history"), {"record_id": "a/b", "actor_id": "ada"})
    Request(method='GET', path='/v1/records/a%2Fb/history', query=(('actor_id', 'ada'),), body=None)
    """
    method, template = route(call)
    left = dict(arguments)
    parts = [_part(part, left) if part.startswith("{") else part for part in template.split("/")]
    if method != "GET":
        _check(left, call.verb.name)
        return Request(method=method, path="/".join(parts), body=left)
    # Null is left out: every nullable parameter of a GET has null as its default.
    query = [pair for name, value in left.items() if value is not None for pair in _items(name, value)]
    return Request(method=method, path="/".join(parts), query=tuple(query))


def asked(
    call: Call, path: Mapping[str, str], query: Iterable[tuple[str, str]] = (), body: object = None
) -> dict[str, Any]:
    """The arguments of a verb in a request, in plain JSON, as `Call.run` takes them.

    A name may appear in one place only. A query holds lists as a repeated name, and objects as JSON text.

    >>> from foveal.wire.calls import call_of
    >>> asked(call_of("page"), {}, [("limit", "2"), ("newest_first", "false"), ("filters", '{"kind":"fact"}')])
    {'limit': 2, 'newest_first': False, 'filters': {'kind': 'fact'}}
    """
    shapes = {field.name: field.shape for field in call.fields}
    listed: dict[str, list[str]] = {}
    for name, text in query:
        listed.setdefault(name, []).append(text)
    if body is not None and not isinstance(body, Mapping):
        raise Invalid(f"the body of {call.verb.name} must be a JSON object")
    arguments: dict[str, Any] = {}
    for place in ({name: [text] for name, text in path.items()}, listed):
        _add(arguments, {name: _value(shapes.get(name, Text()), texts, name) for name, texts in place.items()})
    _add(arguments, cast(Mapping[str, Any], body or {}))
    return arguments


def _add(arguments: dict[str, Any], more: Mapping[str, Any]) -> None:
    twice = [name for name in more if name in arguments]
    if twice:
        raise Invalid(f"{twice[0]} is said twice: in the path, the query or the body, not in two of them")
    arguments |= more


def _part(part: str, left: dict[str, Any]) -> str:
    name = part.strip("{}")
    value = left.pop(name, None)
    if value is None or value == "":
        raise Invalid(f"{name} must not be empty")
    text = _quoted(_text(value), name)
    # `.` and `..` would be resolved as steps in the path.
    return text.replace(".", "%2E") if text in (".", "..") else text


def _items(name: str, value: Any) -> list[tuple[str, str]]:
    _check(value, name)
    if isinstance(value, list) and value and not (len(value) == 1 and str(value[0])[:1] in ("[", "{")):  # pyright: ignore[reportUnknownArgumentType]
        return [(name, _text(item)) for item in cast(list[Any], value)]
    return [(name, _text(value))]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _quoted(text: str, name: str) -> str:
    try:
        return quote(text, safe="")
    except UnicodeEncodeError as error:
        raise Invalid(f"{name} is not valid text: it holds half a character") from error


def _check(value: Any, where: str) -> None:
    """Refuse values that JSON cannot express, instead of sending something else."""
    match value:
        case str() if not value.isascii():
            _quoted(value, where)
        case float() if not math.isfinite(value):
            raise Invalid(f"{where} must be a finite number")
        case dict():
            for name, item in cast(dict[str, Any], value).items():
                _check(name, where)
                _check(item, name)
        case list():
            for item in cast(list[Any], value):
                _check(item, where)
        case _:
            pass


def _value(shape: Shape, texts: list[str], name: str) -> Any:
    match shape:
        case Nullable():
            return _value(shape.inner, texts, name)
        case ListOf():
            if len(texts) == 1 and texts[0].startswith("["):
                return _json(texts[0], name)
            return [_value(shape.inner, [text], name) for text in texts]
        case _ if len(texts) > 1:
            raise Invalid(f"{name} is said {len(texts)} times: it is one value")
        case Boolean():
            return WORDS.get(texts[0], texts[0])
        case Integer() | Number() | Duration():
            return _number(texts[0])
        case Text() | Choice() | Timestamp() | AddressText():
            return texts[0]
        case Either() if Text() in shape.inner:
            return texts[0]
        case _:
            return _json(texts[0], name)


def _number(text: str) -> Any:
    try:
        return msgspec.json.decode(text, type=int | float)
    except msgspec.DecodeError:
        # The text goes on to `from_json`, whose error says what it should be.
        return text


def _json(text: str, name: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise Invalid(f"{name} must be JSON: {error}") from error
