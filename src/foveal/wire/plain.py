"""Values of the model as plain JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Any, cast

import msgspec

from foveal.model.address import Address


def plain(value: object) -> Any:
    """`value` as JSON knows it: addresses and names of tiers as text, moments in ISO 8601.

    >>> plain({"address": Address(world="default", region="agent:me", digits="01")})
    {'address': 'default/agent:me#01@d2t0'}
    """
    match value:
        case Address():
            return str(value)
        case IntEnum():
            return value.name.lower()
        case datetime():
            return value.isoformat()
        case timedelta():
            return msgspec.to_builtins(value)
        case msgspec.Struct():
            return {name: plain(getattr(value, name)) for name in value.__struct_fields__}
        case Mapping():
            return {str(name): plain(one) for name, one in cast(Mapping[object, object], value).items()}
        case str():
            return str(value)
        case Iterable():
            return [plain(one) for one in cast(Iterable[object], value)]
        case _:
            return value


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
