"""The shapes of values that every door can encode."""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from enum import Enum, IntEnum
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct

from foveal.model.ids import Address
from foveal.model.query import ChatMessage


class Shape(Struct, frozen=True):
    """The form that a value may have."""


class Text(Shape, frozen=True):
    """A string."""


class Boolean(Shape, frozen=True):
    """True or false."""


class Integer(Shape, frozen=True):
    """A whole number."""


class Number(Shape, frozen=True):
    """A number."""


class Timestamp(Shape, frozen=True):
    """A point in time, written in ISO 8601 with its offset."""


class Duration(Shape, frozen=True):
    """A length of time: in seconds, or as an ISO 8601 duration."""


class AddressText(Shape, frozen=True):
    """An address, written as text."""


class Anything(Shape, frozen=True):
    """Any JSON value."""


class Choice(Shape, frozen=True):
    """One of a few names."""

    names: tuple[str, ...]
    kind: type[Enum] | None = None


class Nullable(Shape, frozen=True):
    """A value, or null."""

    inner: Shape


class ListOf(Shape, frozen=True):
    """Any number of values of one shape; with `fixed`, a tuple."""

    inner: Shape
    fixed: bool = False


class TupleOf(Shape, frozen=True):
    """A tuple of values, each with its own shape."""

    inner: tuple[Shape, ...]


class MapOf(Shape, frozen=True):
    """An object whose values have one shape."""

    inner: Shape


class Value(Shape, frozen=True):
    """An instance of a model class."""

    kind: type[Struct]


class Either(Shape, frozen=True):
    """One of several shapes that can be distinguished in JSON."""

    inner: tuple[Shape, ...]


class Field(Struct, frozen=True, kw_only=True):
    """A field of a value, or a parameter of a verb."""

    name: str
    shape: Shape
    required: bool
    default: Any = None
    description: str = ""


SIMPLE: dict[object, Shape] = {
    str: Text(),
    bool: Boolean(),
    int: Integer(),
    float: Number(),
    datetime: Timestamp(),
    timedelta: Duration(),
    Address: AddressText(),
    Any: Anything(),
    object: Anything(),
}


@cache
def shape_of(hint: Any) -> Shape:
    """The shape of a type hint.

    >>> shape_of(list[str] | None)
    Nullable(inner=ListOf(inner=Text(), fixed=False))
    """
    if hint in SIMPLE:
        return SIMPLE[hint]
    origin, inside = get_origin(hint), get_args(hint)
    if origin is Literal:
        return Choice(tuple(str(name) for name in inside))
    if origin in (Union, types.UnionType):
        return _either(inside)
    if origin is tuple and inside[-1] is not Ellipsis:
        return TupleOf(tuple(shape_of(item) for item in inside))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return MapOf(shape_of(inside[1]))
    if isinstance(origin, type) and issubclass(origin, list | tuple | Sequence | Iterable):
        return ListOf(shape_of(inside[0]), fixed=origin is tuple)
    if isinstance(hint, type) and issubclass(hint, Enum):
        numbered = issubclass(hint, IntEnum)
        return Choice(tuple(member.name.lower() if numbered else str(member.value) for member in hint), hint)
    if isinstance(hint, type) and issubclass(hint, Struct):
        return Value(hint)
    raise TypeError(f"{hint!r} has no shape that a door can write down")


def alternatives(shape: Shape) -> tuple[Shape, ...]:
    """The shapes that a value may have, without null.

    >>> alternatives(shape_of(str | None))
    (Text(),)
    """
    match shape:
        case Nullable(inner=inner):
            return alternatives(inner)
        case Either(inner=several):
            return several
        case _:
            return (shape,)


def _either(inside: Sequence[Any]) -> Shape:
    # A client turns a message into its text, and a date into a moment, before it sends them.
    shapes = [shape_of(hint) for hint in inside if hint not in (types.NoneType, date, ChatMessage)]
    if Text() in shapes:
        # What can be given as text is: a snapshot by its label, a tier by its name.
        shapes = [
            shape for shape in shapes if not isinstance(shape, Value | Choice | AddressText | Integer | Duration)
        ]
    if Duration() in shapes:
        shapes = [shape for shape in shapes if shape != Number()]
    distinct = tuple(dict.fromkeys(shapes))
    found = distinct[0] if len(distinct) == 1 else Either(distinct)
    return Nullable(found) if types.NoneType in inside else found


@cache
def fields_of(kind: type[Struct]) -> tuple[Field, ...]:
    """The fields of a model class, in order."""
    hints = get_type_hints(kind)
    # An answer always has these, even where a caller who makes such a value may leave them out.
    always = {getattr(kind, "key", None), getattr(kind, "moment", None), *getattr(kind, "always", ())}
    return tuple(
        Field(
            name=field.name,
            shape=shape_of(hints[field.name]),
            required=field.required or field.name in always,
            default=None if field.default is msgspec.NODEFAULT else field.default,
        )
        for field in msgspec.structs.fields(kind)
    )


def shapes_in(shapes: Iterable[Shape]) -> Iterator[Shape]:
    """Every shape in some shapes and in the fields of their model classes, each once.

    >>> [type(shape).__name__ for shape in shapes_in([shape_of(list[str] | None)])]
    ['Nullable', 'ListOf', 'Text']
    """
    left, seen = list(shapes), set[Shape]()
    while left:
        shape = left.pop()
        if shape in seen:
            continue
        seen.add(shape)
        yield shape
        match shape:
            case Value(kind=kind):
                left += [field.shape for field in fields_of(kind)]
            case Nullable(inner=inner) | ListOf(inner=inner) | MapOf(inner=inner):
                left.append(inner)
            case TupleOf(inner=several) | Either(inner=several):
                left += several
            case _:
                pass


def summary_of(kind: type[Struct]) -> str:
    """What the docstring of a model class says first, in one line."""
    return (inspect.getdoc(kind) or "").split("\n\n")[0].replace("\n", " ")
