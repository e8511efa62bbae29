"""Values of the model from plain JSON: the way back from `plain`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Any, cast

import msgspec

from foveal.errors import Invalid
from foveal.model.ids import Address
from foveal.wire.shapes import (
    Anything,
    Choice,
    Either,
    Flag,
    Listed,
    Maybe,
    Moment,
    Named,
    Number,
    Place,
    Row,
    Shape,
    Span,
    Text,
    Value,
    Whole,
    fields_of,
)


def built(shape: Shape, given: Any, where: str = "value", *, lenient: bool = False) -> Any:
    """The value that `given` means. What does not fit is `Invalid`, and says where.

    `lenient` leaves out fields that are not known here: a newer server may send them.

    >>> built(Listed(Text()), ["a", "b"], "tags")
    ['a', 'b']
    >>> built(Listed(Text()), ["a", 1], "tags")
    Traceback (most recent call last):
    ...
    foveal.errors.Invalid: tags[1] must be a string, not a number
    """
    match shape:
        case Maybe():
            return None if given is None else built(shape.inner, given, where, lenient=lenient)
        case Listed() if _is_list(given):
            made = [built(shape.inner, one, f"{where}[{at}]", lenient=lenient) for at, one in enumerate(given)]
            return tuple(made) if shape.fixed else made
        case Row() if _is_list(given) and len(given) == len(shape.inner):
            pairs = enumerate(zip(shape.inner, given, strict=True))
            return tuple(built(inner, one, f"{where}[{at}]", lenient=lenient) for at, (inner, one) in pairs)
        case Named() if isinstance(given, Mapping):
            said = cast(Mapping[str, Any], given)
            return {name: built(shape.inner, one, f"{where}.{name}", lenient=lenient) for name, one in said.items()}
        case Value() if isinstance(given, Mapping):
            return _struct(shape, cast(Mapping[str, Any], given), where, lenient)
        case Either():
            return built(_chosen(shape, given, where), given, where, lenient=lenient)
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
        **{name: built(fields[name].shape, one, f"{where}.{name}", lenient=lenient) for name, one in said.items()}
    )


def _single(shape: Shape, given: Any, where: str) -> Any:
    match shape, given:
        case Anything(), _:
            return given
        case Text(), str():
            return given
        case Flag(), bool():
            return given
        case Whole(), bool():
            pass
        case Whole(), int():
            return given
        case Whole(), float() if given.is_integer():
            return int(given)
        case Number() | Span(), bool():
            pass
        case Number(), int() | float() if math.isfinite(given):
            return float(given)
        case Span(), int() | float() if math.isfinite(given):
            return timedelta(seconds=given) if abs(given) < timedelta.max.total_seconds() else timedelta.max
        case Moment() | Span() | Place(), str():
            return _read(shape, given, where)
        case Choice(), str() if given in shape.names:
            return given if shape.kind is None else _member(shape, given)
        case _:
            pass
    raise Invalid(f"{where} must be {_wanted(shape)}, not {_kind(given)}", where=where)


def _read(shape: Shape, given: str, where: str) -> Any:
    if isinstance(shape, Place):
        return Address.parse(given)
    try:
        return msgspec.convert(given, datetime if isinstance(shape, Moment) else timedelta)
    except msgspec.ValidationError as error:
        raise Invalid(f"{where} must be {_wanted(shape)}, not {given[:40]!r}", where=where) from error


def _member(shape: Choice, name: str) -> Any:
    assert shape.kind is not None
    return shape.kind[name.upper()] if issubclass(shape.kind, IntEnum) else shape.kind(name)


def _chosen(shape: Either, given: Any, where: str) -> Shape:
    # A text that spells a moment is one, whichever the hint names first.
    for one in sorted(shape.inner, key=lambda one: not isinstance(one, Moment)):
        match one:
            case Moment() if isinstance(given, str) and _is_moment(given):
                return one
            case Text() if isinstance(given, str):
                return one
            case Listed() | Row() if _is_list(given):
                return one
            case Named() | Value() if isinstance(given, Mapping):
                return one
            case Number() | Whole() | Span() if isinstance(given, int | float) and not isinstance(given, bool):
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
        case Row():
            return f"a list of {len(shape.inner)}"
        case _:
            return WANTED[type(shape)]


WANTED: dict[type[Shape], str] = {
    Text: "a string",
    Flag: "true or false",
    Whole: "a whole number",
    Number: "a number",
    Moment: "a moment in ISO 8601",
    Span: "seconds or an ISO 8601 duration",
    Place: "an address",
    Listed: "a list",
    Named: "an object",
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
