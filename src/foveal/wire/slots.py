"""Shapes as fields of messages of protocol buffers: what each is called and what type it has."""

from __future__ import annotations

import re

from msgspec import Struct

from foveal.wire.shapes import (
    Anything,
    Choice,
    Either,
    Field,
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
)

OBJECT = Named(Anything())
# A moment that may be spelled in ISO 8601 as well is a moment; a text that may be a moment is either.
SPELLED = Either((Moment(), Text()))
SINGLE: dict[Shape, str] = {
    Text(): "string",
    Place(): "string",
    Flag(): "bool",
    Whole(): "int64",
    Number(): "double",
    Moment(): "google.protobuf.Timestamp",
    SPELLED: "google.protobuf.Timestamp",
    Span(): "google.protobuf.Duration",
    Anything(): "google.protobuf.Value",
    OBJECT: "google.protobuf.Struct",
}
SCALARS = ("string", "bool", "int64", "double")
# What the values of a row are called.
PLACES = ("first", "second", "third", "fourth")
PLURALS = {"related": "related", "branch": "branches"}


class Slot(Struct, frozen=True, kw_only=True):
    """A field of a message: its name and its type; `label` is "optional", "repeated" or nothing."""

    name: str
    type: str
    label: str = ""
    told: str = ""


def snake(name: str) -> str:
    """A name in small letters.

    >>> snake("ContextWindow")
    'context_window'
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def named(shape: Shape) -> str:
    """What a shape is called where it needs a message, or a field, of its own.

    >>> named(Either((Text(), Listed(Text()), OBJECT)))
    'ObjectOrTextOrTextList'
    """
    match shape:
        case Value():
            return shape.kind.__name__
        case Either():
            return "Or".join(sorted(named(one) for one in shape.inner))
        case Row():
            return "And".join(named(one) for one in shape.inner)
        case Listed():
            return f"{named(shape.inner)}List"
        case Named():
            return "Object" if shape == OBJECT else f"{named(shape.inner)}Map"
        case Anything():
            return "Json"
        case Choice() | Place():
            return "Text"
        case _:
            return type(shape).__name__


def single(shape: Shape) -> str:
    """The type of one value of a shape.

    >>> single(Span()), single(Row((Text(), Whole())))
    ('google.protobuf.Duration', 'TextAndWhole')
    """
    return "string" if isinstance(shape, Choice) else SINGLE.get(shape) or named(shape)


def is_many(shape: Shape) -> bool:
    """Whether values of a shape are a repeated field or a map, which cannot be told from nothing when empty."""
    return isinstance(shape, Listed) or (isinstance(shape, Named) and shape != OBJECT)


def slot_of(name: str, shape: Shape, told: str = "", *, optional: bool = False) -> Slot:
    """The field that holds values of a shape.

    >>> slot_of("tags", Listed(Text()))
    Slot(name='tags', type='string', label='repeated', told='')
    """
    match shape:
        case Maybe(inner=inner) if is_many(inner):
            return Slot(name=name, type=named(inner), told=told)
        case Maybe():
            return slot_of(name, shape.inner, told, optional=True)
        case Listed():
            return Slot(name=name, type=single(shape.inner), label="repeated", told=told)
        case Named() if is_many(shape):
            return Slot(name=name, type=f"map<string, {single(shape.inner)}>", told=told)
        case _:
            kind = single(shape)
            return Slot(name=name, type=kind, label="optional" if optional and kind in SCALARS else "", told=told)


def request_shape(field: Field) -> Shape:
    """The shape of a parameter in a request, where a list that is not given need not be told from null."""
    match field.shape:
        case Maybe(inner=inner) if is_many(inner):
            return inner
        case _:
            return field.shape


def clears(field: Field) -> bool:
    """Whether a parameter that is given as nothing is something else than one that is not given."""
    if field.required:
        return False
    if isinstance(field.shape, Maybe) and field.default is not None:
        return True
    return is_many(request_shape(field)) and field.default != []


def answer_name(shape: Shape) -> str:
    """What the field is called that holds an answer.

    >>> answer_name(Listed(Place())), answer_name(Whole())
    ('addresses', 'count')
    """
    match shape:
        case Maybe():
            return answer_name(shape.inner)
        case Value():
            return snake(shape.kind.__name__)
        case Listed():
            word = answer_name(shape.inner)
            return PLURALS.get(word) or (f"{word[:-1]}ies" if word.endswith("y") else f"{word}s")
        case Place():
            return "addresse"
        case Whole():
            return "count"
        case _:
            return snake(named(shape))
