"""Model values to plain JSON and back, and their shapes as JSON Schema."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Any, cast

import msgspec
from msgspec import Struct

from foveal.errors import Invalid
from foveal.model.ids import Address
from foveal.wire.shapes import (
    AddressText,
    Anything,
    Boolean,
    Choice,
    Duration,
    Either,
    Field,
    Integer,
    ListOf,
    MapOf,
    Nullable,
    Number,
    Shape,
    Text,
    Timestamp,
    TupleOf,
    Value,
    fields_of,
)


def from_json(shape: Shape, given: Any, where: str = "value", *, lenient: bool = False) -> Any:
    """The value that `given` means. What does not fit is `Invalid`, and says where.

    `lenient` leaves out fields that are not known here: a newer server may send them.

    >>> from_json(ListOf(Text()), ["a", "b"], "tags")
    ['a', 'b']
    >>> from_json(ListOf(Text()), ["a", 1], "tags")
    Traceback (most recent call last):
    ...
    foveal.errors.Invalid: tags[1] must be a string, not a number
    """
    match shape:
        case Nullable():
            return None if given is None else from_json(shape.inner, given, where, lenient=lenient)
        case ListOf() if _is_list(given):
            made = [from_json(shape.inner, one, f"{where}[{at}]", lenient=lenient) for at, one in enumerate(given)]
            return tuple(made) if shape.fixed else made
        case TupleOf() if _is_list(given) and len(given) == len(shape.inner):
            pairs = enumerate(zip(shape.inner, given, strict=True))
            return tuple(from_json(inner, one, f"{where}[{at}]", lenient=lenient) for at, (inner, one) in pairs)
        case MapOf() if isinstance(given, Mapping):
            said = cast(Mapping[str, Any], given)
            return {
                name: from_json(shape.inner, one, f"{where}.{name}", lenient=lenient) for name, one in said.items()
            }
        case Value() if isinstance(given, Mapping):
            return _struct(shape, cast(Mapping[str, Any], given), where, lenient)
        case Either():
            return from_json(_chosen(shape, given, where), given, where, lenient=lenient)
        case _:
            return _single(shape, given, where)


def _struct(shape: Value, given: Mapping[str, Any], where: str, lenient: bool) -> Any:
    fields = {one.name: one for one in fields_of(shape.kind)}
    unknown = [name for name in given if name not in fields]
    if unknown and not lenient:
        raise Invalid(f"{where} has no field {unknown[0]!r}: it has {', '.join(fields)}", where=where)
    missing = [name for name, one in fields.items() if one.required and name not in given]
    if missing:
        raise Invalid(f"{where} needs {', '.join(missing)}", where=where)
    said = {name: one for name, one in given.items() if name in fields}
    return shape.kind(
        **{
            name: from_json(fields[name].shape, one, f"{where}.{name}", lenient=lenient)
            for name, one in said.items()
        }
    )


def _single(shape: Shape, given: Any, where: str) -> Any:
    match shape, given:
        case Anything(), _:
            return given
        case Text(), str():
            return given
        case Boolean(), bool():
            return given
        case Integer(), bool():
            pass
        case Integer(), int():
            return given
        case Integer(), float() if given.is_integer():
            return int(given)
        case Number() | Duration(), bool():
            pass
        case Number(), int() | float() if math.isfinite(given):
            return float(given)
        case Duration(), int() | float() if math.isfinite(given):
            return timedelta(seconds=given) if abs(given) < timedelta.max.total_seconds() else timedelta.max
        case Timestamp() | Duration() | AddressText(), str():
            return _read(shape, given, where)
        case Choice(), str() if given in shape.names:
            return given if shape.kind is None else _member(shape, given)
        case _:
            pass
    raise Invalid(f"{where} must be {_wanted(shape)}, not {_kind(given)}", where=where)


def _read(shape: Shape, given: str, where: str) -> Any:
    if isinstance(shape, AddressText):
        return Address.parse(given)
    try:
        return msgspec.convert(given, datetime if isinstance(shape, Timestamp) else timedelta)
    except msgspec.ValidationError as error:
        raise Invalid(f"{where} must be {_wanted(shape)}, not {given[:40]!r}", where=where) from error


def _member(shape: Choice, name: str) -> Any:
    assert shape.kind is not None
    return shape.kind[name.upper()] if issubclass(shape.kind, IntEnum) else shape.kind(name)


def _chosen(shape: Either, given: Any, where: str) -> Shape:
    # A text that spells a moment is one, whichever the hint names first.
    for one in sorted(shape.inner, key=lambda one: not isinstance(one, Timestamp)):
        match one:
            case Timestamp() if isinstance(given, str) and _is_moment(given):
                return one
            case Text() if isinstance(given, str):
                return one
            case ListOf() | TupleOf() if _is_list(given):
                return one
            case MapOf() | Value() if isinstance(given, Mapping):
                return one
            case Number() | Integer() | Duration() if isinstance(given, int | float) and not isinstance(
                given, bool
            ):
                return one
            case Anything():
                return one
            case _:
                pass
    wanted = " or ".join(dict.fromkeys(_wanted(one) for one in shape.inner))
    raise Invalid(f"{where} must be {wanted}, not {_kind(given)}", where=where)


def _is_moment(text: str) -> bool:
    try:
        msgspec.convert(text, datetime)
    except msgspec.ValidationError:
        return False
    return True


def _is_list(given: Any) -> bool:
    return isinstance(given, Sequence) and not isinstance(given, str | bytes)


def _wanted(shape: Shape) -> str:
    match shape:
        case Choice():
            return f"one of {', '.join(shape.names)}"
        case TupleOf():
            return f"a list of {len(shape.inner)}"
        case _:
            return WANTED[type(shape)]


WANTED: dict[type[Shape], str] = {
    Text: "a string",
    Boolean: "true or false",
    Integer: "a whole number",
    Number: "a number",
    Timestamp: "a moment in ISO 8601",
    Duration: "seconds or an ISO 8601 duration",
    AddressText: "an address",
    ListOf: "a list",
    MapOf: "an object",
    Value: "an object",
    Anything: "anything",
}


def _kind(given: Any) -> str:
    match given:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return f"{given[:40]!r}" if len(given) < 40 else "that string"
        case Mapping():
            return "an object"
        case _:
            return "a list"


_Way = Callable[[Any], Any]

# What JSON knows as it is.
_AS_IS = frozenset((bool, int, float, str, type(None)))
# How a value of each type that was met is made plain: few types make up an answer of thousands of values.
_WAYS: dict[type, _Way] = {}


def to_json(value: object) -> Any:
    """`value` as JSON knows it: addresses and names of tiers as text, moments in ISO 8601.

    >>> to_json({"address": Address(world="default", region="agent:me", digits="01")})
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
        return lambda value: {name: to_json(getattr(value, name)) for name in names}
    if issubclass(kind, Mapping):
        return lambda value: {str(name): to_json(one) for name, one in value.items()}
    if issubclass(kind, Iterable):
        return lambda value: [to_json(one) for one in value]
    return lambda value: value


def document(value: object, *, indent: bool) -> str:
    """One JSON document; a list has one element a line, so that it can be cut by lines as well.

    >>> print(document([{"a": 1}, {"a": 2}], indent=False))
    [
    {"a":1},
    {"a":2}
    ]
    """
    found = to_json(value)
    if indent:
        return msgspec.json.format(msgspec.json.encode(found), indent=2).decode()
    if isinstance(found, list) and found:
        lines = [msgspec.json.encode(one).decode() for one in cast(list[object], found)]
        return "[\n" + ",\n".join(lines) + "\n]"
    return msgspec.json.encode(found).decode()


Schema = dict[str, Any]

SINGLE: dict[type[Shape], Schema] = {
    Text: {"type": "string"},
    Boolean: {"type": "boolean"},
    Integer: {"type": "integer"},
    Number: {"type": "number"},
    Timestamp: {"type": "string", "format": "date-time"},
    Duration: {"type": ["number", "string"], "description": "seconds, or an ISO 8601 duration"},
    AddressText: {"type": "string", "description": "world/region#digits@d<depth>t<slice>"},
    Anything: {},
}


def schema_of(shape: Shape, *, refs: str = "#/components/schemas/") -> Schema:
    """The schema of a shape; values of the model are referred to by name.

    >>> schema_of(Nullable(ListOf(Text())))
    {'anyOf': [{'type': 'array', 'items': {'type': 'string'}}, {'type': 'null'}]}
    """
    match shape:
        case Nullable():
            return {"anyOf": [schema_of(shape.inner, refs=refs), {"type": "null"}]}
        case ListOf():
            return {"type": "array", "items": schema_of(shape.inner, refs=refs)}
        case TupleOf():
            inner = [schema_of(one, refs=refs) for one in shape.inner]
            return {"type": "array", "prefixItems": inner, "minItems": len(inner), "maxItems": len(inner)}
        case MapOf():
            return {"type": "object", "additionalProperties": schema_of(shape.inner, refs=refs)}
        case Choice():
            return {"type": "string", "enum": list(shape.names)}
        case Value():
            return {"$ref": refs + shape.kind.__name__}
        case Either():
            return {"anyOf": [schema_of(one, refs=refs) for one in shape.inner]}
        case _:
            return dict(SINGLE[type(shape)])


def object_of(fields: Iterable[Field], *, closed: bool = True, refs: str = "#/components/schemas/") -> Schema:
    """The schema of an object with these fields."""
    listed = list(fields)
    schema: Schema = {"type": "object", "properties": {one.name: _property(one, refs) for one in listed}}
    required = [one.name for one in listed if one.required]
    if required:
        schema["required"] = required
    if closed:
        schema["additionalProperties"] = False
    return schema


def component(kind: type[Struct]) -> Schema:
    """The schema of a value of the model."""
    told = (inspect.getdoc(kind) or "").split("\n\n")[0].replace("\n", " ")
    return {"title": kind.__name__, "description": told, **object_of(fields_of(kind), closed=False)}


def kinds_in(shape: Shape | None) -> set[type[Struct]]:
    """The values of the model that a shape is made of, through and through."""
    found: set[type[Struct]] = set()
    left = [shape]
    while left:
        match left.pop():
            case Value(kind=kind) if kind not in found:
                found.add(kind)
                left += [one.shape for one in fields_of(kind)]
            case Nullable(inner=inner) | ListOf(inner=inner) | MapOf(inner=inner):
                left.append(inner)
            case TupleOf(inner=several) | Either(inner=several):
                left += several
            case _:
                pass
    return found


def _property(field: Field, refs: str) -> Schema:
    schema = schema_of(field.shape, refs=refs)
    if field.description:
        schema["description"] = field.description
    if field.default is not None and "$ref" not in schema:
        default = field.default
        schema["default"] = default.total_seconds() if isinstance(default, timedelta) else to_json(default)
    return schema
