"""Values of the model as plain JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Any, cast

import msgspec

from foveal.model.ids import Address

_Way = Callable[[Any], Any]

# What JSON knows as it is.
_AS_IS = frozenset((bool, int, float, str, type(None)))
# How a value of each type that was met is made plain: few types make up an answer of thousands of values.
_WAYS: dict[type, _Way] = {}


def plain(value: object) -> Any:
    """`value` as JSON knows it: addresses and names of tiers as text, moments in ISO 8601.

    >>> plain({"address": Address(world="default", region="agent:me", digits="01")})
    {'address': 'default/agent:me#01@d2t0'}
    """
    kind = type(value)
    if kind in _AS_IS:
        return value
    way = _WAYS.get(kind)
    if way is None:
        way = _WAYS[kind] = _way(kind)
    return way(value)


def _way(kind: type) -> _Way:
    """How values of a type are made plain."""
    if issubclass(kind, Address | str):
        return str
    if issubclass(kind, IntEnum):
        return lambda value: value.name.lower()
    if issubclass(kind, datetime):
        return datetime.isoformat
    if issubclass(kind, timedelta):
        return msgspec.to_builtins
    if issubclass(kind, msgspec.Struct):
        names = kind.__struct_fields__
        return lambda value: {name: plain(getattr(value, name)) for name in names}
    if issubclass(kind, Mapping):
        return lambda value: {str(name): plain(one) for name, one in value.items()}
    if issubclass(kind, Iterable):
        return lambda value: [plain(one) for one in value]
    return lambda value: value


def document(value: object, *, indent: bool) -> str:
    """One JSON document; a list has one element a line, so that it can be cut by lines as well.

    >>> print(document([{"a": 1}, {"a": 2}], indent=False))
    [
    {"a":1},
    {"a":2}
    ]
    """
    found = plain(value)
    if indent:
        return msgspec.json.format(msgspec.json.encode(found), indent=2).decode()
    if isinstance(found, list) and found:
        lines = [msgspec.json.encode(one).decode() for one in cast(list[object], found)]
        return "[\n" + ",\n".join(lines) + "\n]"
    return msgspec.json.encode(found).decode()
