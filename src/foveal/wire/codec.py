"""Converts model values to plain JSON and back, and their shapes to JSON Schema."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from enum import IntEnum
from functools import partial
from typing import Any, cast

import msgspec
from msgspec import Struct

from foveal.errors import Invalid, TooLarge
from foveal.model.ids import Address
from foveal.rules.validation import MAX_DEPTH, depth_of, local_moment
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
    summary_of,
)


def from_json(shape: Shape, given: Any, where: str = "value", *, lenient: bool = False) -> Any:
    """The value that plain JSON stands for. `Invalid` says where the JSON does not fit.

    `lenient` ignores unknown fields, which a newer server may send.

    >>> from_json(ListOf(Text()), ["a", "b"], "tags")
    ['a', 'b']
    >>> from_json(ListOf(Text()), ["a", 1], "tags")
    Traceback (most recent call last):
    ...
    foveal.errors.Invalid: tags[1] must be a string, not a number
    """
    read = partial(from_json, lenient=lenient)
    match shape:
        case Nullable():
            return None if given is None else read(shape.inner, given, where)
        case ListOf() if _is_list(given):
            items = [read(shape.inner, item, f"{where}[{at}]") for at, item in enumerate(given)]
            return tuple(items) if shape.fixed else items
        case TupleOf() if _is_list(given) and len(given) == len(shape.inner):
            pairs = enumerate(zip(shape.inner, given, strict=True))
            return tuple(read(inner, item, f"{where}[{at}]") for at, (inner, item) in pairs)
        case MapOf() if isinstance(given, Mapping):
            entries = cast(Mapping[str, Any], given)
            return {name: read(shape.inner, value, f"{where}.{name}") for name, value in entries.items()}
        case Value() if isinstance(given, Mapping):
            return _struct(shape, cast(Mapping[str, Any], given), where, lenient)
        case Either():
            return read(_chosen(shape, given, where), given, where)
        case Anything() if not lenient and depth_of(given) > MAX_DEPTH:
            raise TooLarge(f"{where} is nested more than {MAX_DEPTH} levels deep: make it flatter", limit=MAX_DEPTH)
        case _:
            return _single(shape, given, where)


def _struct(shape: Value, given: Mapping[str, Any], where: str, lenient: bool) -> Any:
    fields = {field.name: field for field in fields_of(shape.kind)}
    unknown = [name for name in given if name not in fields]
    if unknown and not lenient:
        raise Invalid(f"{where} has no field {unknown[0]!r}: it has {', '.join(fields)}", where=where)
    missing = [name for name, field in fields.items() if field.required and name not in given]
    if missing:
        raise Invalid(f"{where} needs {', '.join(missing)}", where=where)
    return shape.kind(
        **{
            name: from_json(fields[name].shape, value, f"{where}.{name}", lenient=lenient)
            for name, value in given.items()
            if name in fields
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
    raise Invalid(f"{where} must be {_wanted(shape)}, not {_described(given)}", where=where)


def _read(shape: Shape, given: str, where: str) -> Any:
    if isinstance(shape, AddressText):
        return Address.parse(given)
    try:
        value = msgspec.convert(given, datetime if isinstance(shape, Timestamp) else timedelta)
        if isinstance(value, datetime) and value.tzinfo is None:
            raise Invalid(f"{where} has no time zone: end it with Z or an offset such as +02:00", where=where)
        return value
    except msgspec.ValidationError as error:
        raise Invalid(f"{where} must be {_wanted(shape)}, not {given[:40]!r}", where=where) from error


def _member(shape: Choice, name: str) -> Any:
    assert shape.kind is not None
    return shape.kind[name.upper()] if issubclass(shape.kind, IntEnum) else shape.kind(name)


def _chosen(shape: Either, given: Any, where: str) -> Shape:
    # A text that spells a timestamp is one, whatever the order in the type hint.
    for inner in sorted(shape.inner, key=lambda inner: not isinstance(inner, Timestamp)):
        match inner:
            case Timestamp() if isinstance(given, str) and _is_moment(given):
                return inner
            case Text() if isinstance(given, str):
                return inner
            case ListOf() | TupleOf() if _is_list(given):
                return inner
            case MapOf() | Value() if isinstance(given, Mapping):
                return inner
            case Number() | Integer() | Duration() if isinstance(given, int | float) and not isinstance(
                given, bool
            ):
                return inner
            case Anything():
                return inner
            case _:
                pass
    wanted = " or ".join(dict.fromkeys(_wanted(inner) for inner in shape.inner))
    raise Invalid(f"{where} must be {wanted}, not {_described(given)}", where=where)


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


def _described(given: Any) -> str:
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


_Converter = Callable[[Any], Any]

# The types that JSON has as they are.
_AS_IS = frozenset((bool, int, float, str, type(None)))
# The converter of each type seen so far: an answer of thousands of values has only a few types.
_CONVERTERS: dict[type, _Converter] = {}


def to_json(value: object) -> Any:
    """`value` as plain JSON: addresses and tiers as text, timestamps in ISO 8601.

    >>> to_json({"address": Address(world="default", region="agent:me", digits="01")})
    {'address': 'default/agent:me#01@d2t0'}
    """
    kind = type(value)
    if kind in _AS_IS:
        return value
    convert = _CONVERTERS.get(kind)
    if convert is None:
        convert = _CONVERTERS[kind] = _converter(kind)
    return convert(value)


def _converter(kind: type) -> _Converter:
    """The function that converts values of a type to plain JSON."""
    if issubclass(kind, Address | str):
        return str
    if issubclass(kind, IntEnum):
        return lambda value: value.name.lower()
    if issubclass(kind, date):
        return lambda value: local_moment(value).isoformat()
    if issubclass(kind, timedelta):
        return msgspec.to_builtins
    if issubclass(kind, msgspec.Struct):
        return partial(_fields_as_json, names=kind.__struct_fields__)
    if issubclass(kind, Mapping):
        return lambda value: {str(name): to_json(item) for name, item in value.items()}
    if issubclass(kind, Iterable):
        return lambda value: [to_json(item) for item in value]
    return lambda value: value


def _fields_as_json(value: Struct, names: tuple[str, ...]) -> dict[str, Any]:
    try:
        return {name: to_json(getattr(value, name)) for name in names}
    except RecursionError:
        # Earlier releases stored values of any depth.
        return {name: to_json(flattened(getattr(value, name))) for name in names}


def flattened(value: object, levels: int = MAX_DEPTH + 1) -> Any:
    """A value with at most so many levels; what is nested more deeply is given as JSON text.

    >>> flattened({"a": {"b": {"c": 1}}}, 2)
    {'a': {'b': '{"c":1}'}}
    """
    if not isinstance(value, Mapping | list | tuple):
        return value
    if levels == 0:
        try:
            return msgspec.json.encode(value).decode()
        except RecursionError:
            return "(nested too deeply to show)"
    if isinstance(value, Mapping):
        entries = cast(Mapping[str, Any], value)
        return {name: flattened(item, levels - 1) for name, item in entries.items()}
    return [flattened(item, levels - 1) for item in cast(list[Any], value)]


def document(value: object, *, indent: bool) -> str:
    """One JSON document; a list has one element per line, so that line tools can process it.

    >>> print(document([{"a": 1}, {"a": 2}], indent=False))
    [
    {"a":1},
    {"a":2}
    ]
    """
    plain = to_json(value)
    if indent:
        return msgspec.json.format(msgspec.json.encode(plain), indent=2).decode()
    if isinstance(plain, list) and plain:
        lines = [msgspec.json.encode(item).decode() for item in cast(list[object], plain)]
        return "[\n" + ",\n".join(lines) + "\n]"
    return msgspec.json.encode(plain).decode()


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
    """The schema of a shape; model classes become references.

    >>> schema_of(Nullable(ListOf(Text())))
    {'anyOf': [{'type': 'array', 'items': {'type': 'string'}}, {'type': 'null'}]}
    """
    match shape:
        case Nullable():
            return {"anyOf": [schema_of(shape.inner, refs=refs), {"type": "null"}]}
        case ListOf():
            return {"type": "array", "items": schema_of(shape.inner, refs=refs)}
        case TupleOf():
            inner = [schema_of(item, refs=refs) for item in shape.inner]
            return {"type": "array", "prefixItems": inner, "minItems": len(inner), "maxItems": len(inner)}
        case MapOf():
            return {"type": "object", "additionalProperties": schema_of(shape.inner, refs=refs)}
        case Choice():
            return {"type": "string", "enum": list(shape.names)}
        case Value():
            return {"$ref": refs + shape.kind.__name__}
        case Either():
            return {"anyOf": [schema_of(inner, refs=refs) for inner in shape.inner]}
        case _:
            return dict(SINGLE[type(shape)])


def object_of(fields: Iterable[Field], *, closed: bool = True, refs: str = "#/components/schemas/") -> Schema:
    """The schema of an object with these fields."""
    listed = list(fields)
    schema: Schema = {"type": "object", "properties": {field.name: _property(field, refs) for field in listed}}
    required = [field.name for field in listed if field.required]
    if required:
        schema["required"] = required
    if closed:
        schema["additionalProperties"] = False
    return schema


def component(kind: type[Struct]) -> Schema:
    """The schema of a model class."""
    return {"title": kind.__name__, "description": summary_of(kind), **object_of(fields_of(kind), closed=False)}


def _property(field: Field, refs: str) -> Schema:
    schema = schema_of(field.shape, refs=refs)
    if field.description:
        schema["description"] = field.description
    if field.default is not None and "$ref" not in schema:
        default = field.default
        schema["default"] = default.total_seconds() if isinstance(default, timedelta) else to_json(default)
    return schema
