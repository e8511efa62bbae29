"""The protobuf messages of verbs and values, with stable field numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from foveal.model.query import At, Details
from foveal.wire.calls import Call, call_of, told_of
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
    alternatives,
    fields_of,
    shapes_in,
    summary_of,
)
from foveal.wire.verbs import VERBS

PACKAGE = "foveal.memory.v1"
SERVICE = f"{PACKAGE}.MemoryService"

OBJECT = MapOf(Anything())
# A timestamp that may also be ISO 8601 text is sent as a timestamp.
SPELLED = Either((Timestamp(), Text()))
SINGLE: dict[Shape, str] = {
    Text(): "string",
    AddressText(): "string",
    Boolean(): "bool",
    Integer(): "int64",
    Number(): "double",
    Timestamp(): "google.protobuf.Timestamp",
    SPELLED: "google.protobuf.Timestamp",
    Duration(): "google.protobuf.Duration",
    Anything(): "google.protobuf.Value",
    OBJECT: "google.protobuf.Struct",
}
SCALARS = ("string", "bool", "int64", "double")
# The field names of the items of a tuple.
PLACES = ("first", "second", "third", "fourth")
PLURALS = {"related": "related", "branch": "branches"}


class ProtoField(Struct, frozen=True, kw_only=True):
    """A field of a message. `label` is "optional", "repeated" or empty."""

    name: str
    type: str
    label: str = ""
    description: str = ""


def snake(name: str) -> str:
    """A name in snake case.

    >>> snake("ContextWindow")
    'context_window'
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


# Clients have compiled these names into their messages, so they must not change.
_WIRE_NAMES: dict[type[Shape], str] = {Integer: "Whole", Boolean: "Flag", Timestamp: "Moment", Duration: "Span"}


def named(shape: Shape) -> str:
    """The name of the message or field for a shape.

    >>> named(Either((Text(), ListOf(Text()), OBJECT)))
    'ObjectOrTextOrTextList'
    """
    match shape:
        case Value():
            return shape.kind.__name__
        case Either():
            return "Or".join(sorted(named(inner) for inner in shape.inner))
        case TupleOf():
            return "And".join(named(inner) for inner in shape.inner)
        case ListOf():
            return f"{named(shape.inner)}List"
        case MapOf():
            return "Object" if shape == OBJECT else f"{named(shape.inner)}Map"
        case Anything():
            return "Json"
        case Choice() | AddressText():
            return "Text"
        case _:
            return _WIRE_NAMES.get(type(shape), type(shape).__name__)


def single(shape: Shape) -> str:
    """The protobuf type of a single value of a shape.

    >>> single(Duration()), single(TupleOf((Text(), Integer())))
    ('google.protobuf.Duration', 'TextAndWhole')
    """
    return "string" if isinstance(shape, Choice) else SINGLE.get(shape) or named(shape)


def is_many(shape: Shape) -> bool:
    """Whether a shape is a repeated field or a map, for which empty and unset are the same."""
    return isinstance(shape, ListOf) or (isinstance(shape, MapOf) and shape != OBJECT)


def slot_of(name: str, shape: Shape, told: str = "", *, optional: bool = False) -> ProtoField:
    """The message field for values of a shape.

    >>> slot_of("tags", ListOf(Text()))
    ProtoField(name='tags', type='string', label='repeated', description='')
    """
    match shape:
        case Nullable(inner=inner) if is_many(inner):
            return ProtoField(name=name, type=named(inner), description=told)
        case Nullable():
            return slot_of(name, shape.inner, told, optional=True)
        case ListOf():
            return ProtoField(name=name, type=single(shape.inner), label="repeated", description=told)
        case MapOf() if is_many(shape):
            return ProtoField(name=name, type=f"map<string, {single(shape.inner)}>", description=told)
        case _:
            kind = single(shape)
            return ProtoField(
                name=name, type=kind, label="optional" if optional and kind in SCALARS else "", description=told
            )


def request_shape(field: Field) -> Shape:
    """The shape of a parameter in a request, where an absent list and null need not be distinguished."""
    match field.shape:
        case Nullable(inner=inner) if is_many(inner):
            return inner
        case _:
            return field.shape


def clears(field: Field) -> bool:
    """Whether passing null or an empty list for a parameter differs from leaving it out."""
    if field.required:
        return False
    if isinstance(field.shape, Nullable) and field.default is not None:
        return True
    return is_many(request_shape(field)) and field.default != []


def answer_name(shape: Shape) -> str:
    """The name of the field that holds an answer.

    >>> answer_name(ListOf(AddressText())), answer_name(Integer())
    ('addresses', 'count')
    """
    match shape:
        case Nullable():
            return answer_name(shape.inner)
        case Value():
            return snake(shape.kind.__name__)
        case ListOf():
            word = answer_name(shape.inner)
            return PLURALS.get(word) or (f"{word[:-1]}ies" if word.endswith("y") else f"{word}s")
        case AddressText():
            return "addresse"
        case Integer():
            return "count"
        case _:
            return snake(named(shape))


CLEARED, ARGUMENTS = "cleared", "arguments"
NOTHING = "The names of the other fields that are passed as null or as an empty list."


class Message(Struct, frozen=True, kw_only=True):
    """A message. With `one`, its fields form a oneof."""

    name: str
    description: str
    slots: tuple[ProtoField, ...]
    one: bool = False


class Stream(Struct, frozen=True, kw_only=True):
    """A streaming procedure for a verb: with `asks` the requests are a stream, with `answers` the answers are."""

    rpc: str
    verb: str
    description: str
    asks: bool = False
    answers: bool = False


STREAMS = (
    Stream(
        rpc="WriteStream",
        verb="write",
        asks=True,
        description="Store a stream of texts, in batches, as WriteMany does. Each message is a separate write; a"
        " rejected one is listed in `rejected` with its position in the stream.",
    ),
    Stream(
        rpc="ReadStream",
        verb="read",
        asks=True,
        answers=True,
        description="Answer a stream of questions, in order, as Read does.",
    ),
    Stream(
        rpc="TimelineStream",
        verb="timeline",
        answers=True,
        description="The records of a timeline, one by one, fetched page by page, as Page does."
        " Without a limit, all.",
    ),
)


def stream_fields(stream: Stream) -> tuple[Field, ...]:
    """The parameters of a stream: those of its verb, without a default limit."""
    fields = call_of(stream.verb).fields
    return tuple(replace(field, default=None) if field.name == "limit" else field for field in fields)


def stream_answer(stream: Stream) -> Shape | None:
    """The shape of each answer of a stream: the answer of its verb, or one item if that is a list."""
    answer = call_of(stream.verb).answer
    return answer.inner if isinstance(answer, ListOf) else answer


def messages() -> list[Message]:
    """All messages: the request and response of each procedure, then the values by name."""
    result: list[Message] = []
    shapes: list[Shape] = []
    for verb in VERBS.values():
        if verb.rpc is not None:
            call = call_of(verb.name)
            result += [_request(verb.rpc, call, call.fields), _response(verb.rpc, call.answer)]
            shapes += [request_shape(field) for field in call.fields] + ([call.answer] if call.answer else [])
    for stream in STREAMS:
        call = call_of(stream.verb)
        result += [_request(stream.rpc, call, stream_fields(stream)), _response(stream.rpc, stream_answer(stream))]
    return result + sorted(_values(shapes), key=lambda message: message.name)


def _request(rpc: str, call: Call, fields: Sequence[Field]) -> Message:
    descriptions = told_of(At)
    if "idempotency_key" in {field.name for field in fields}:
        descriptions = {**descriptions, **told_of(Details)}
    described = [
        replace(
            field, description=field.description or ("" if field.required else descriptions.get(field.name, ""))
        )
        for field in fields
    ]
    slots = [
        slot_of(field.name, request_shape(field), _description(field), optional=not field.required)
        for field in described
    ]
    if call.open:
        slots.append(slot_of(ARGUMENTS, OBJECT, "All other arguments, by name."))
    if any(clears(field) for field in fields):
        slots.append(slot_of(CLEARED, ListOf(Text()), NOTHING))
    return Message(name=f"{rpc}Request", description=f"The request of {rpc}.", slots=tuple(slots))


def _response(rpc: str, answer: Shape | None) -> Message:
    slots = () if answer is None else (slot_of(answer_name(answer), answer),)
    return Message(name=f"{rpc}Response", description=f"The response of {rpc}.", slots=slots)


def _values(shapes: Iterable[Shape]) -> list[Message]:
    by_name: dict[str, Message] = {}

    def add(name: str, description: str, slots: Iterable[ProtoField], *, one: bool = False) -> None:
        by_name[name] = Message(name=name, description=description, slots=tuple(slots), one=one)

    for shape in shapes_in(shapes):
        match shape:
            case Value(kind=kind):
                if kind.__name__ in by_name:
                    raise TypeError(f"two values are called {kind.__name__}: rename one")
                fields = fields_of(kind)
                slots = [slot_of(field.name, field.shape, _description(field, answer=True)) for field in fields]
                add(kind.__name__, summary_of(kind), slots)
            case TupleOf(inner=several):
                slots = [slot_of(place, item) for place, item in zip(PLACES, several, strict=False)]
                add(named(shape), "A tuple of values.", slots)
            case Either(inner=several) if shape != SPELLED:
                slots = [
                    slot_of(snake(named(inner)), Nullable(inner) if is_many(inner) else inner)
                    for inner in sorted(several, key=is_many)
                ]
                add(named(shape), "One of these.", slots, one=True)
            case _:
                pass
        # A list or map that is an alternative, or may be null, has a message of its own.
        for inner in alternatives(shape) if isinstance(shape, Nullable | Either) else ():
            if is_many(inner):
                description = "A list or map that may be null: the message is then unset."
                add(named(inner), description, [slot_of("values", inner)])
    return list(by_name.values())


def _description(field: Field, *, answer: bool = False) -> str:
    sentences = [field.description] if field.description else []
    match field.shape:
        case Choice(names=names) | Nullable(inner=Choice(names=names)):
            sentences.append(f"One of {', '.join(names)}.")
        case AddressText() | Nullable(inner=AddressText()):
            sentences.append("An address, world/region#digits@d<depth>t<slice>.")
        case _:
            pass
    if not answer and (field.required or field.default not in (None, [], "", False)):
        sentences.append("Required." if field.required else f"{_default(field.default)} if not given.")
    return " ".join(sentences)


def _default(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case list():
            return ", ".join(map(str, cast(list[object], value)))
        case _:
            return str(value)


class Numbered(Struct, frozen=True, kw_only=True):
    """The field numbers of a message, each with the type of the field, and the numbers that must not be reused."""

    fields: dict[str, tuple[int, str]]
    retired: tuple[int, ...] = ()


Lock = dict[str, Numbered]


def numbered(messages: Iterable[Message], lock: Mapping[str, Numbered]) -> Lock:
    """The numbers of all fields: an existing field keeps its number, a new one gets the next.

    The number of a field that was removed, or whose type changed, is retired. A message that was removed stays in
    the lock, so that it would come back with the same numbers.
    """
    numbers = dict(lock)
    for message in messages:
        numbers[message.name] = _numbers(message.slots, numbers.get(message.name, Numbered(fields={})))
    return dict(sorted(numbers.items()))


def _numbers(slots: Iterable[ProtoField], known: Numbered) -> Numbered:
    types = {slot.name: _field_type(slot) for slot in slots}
    kept = {name: entry for name, entry in known.fields.items() if types.get(name) == entry[1]}
    retired = {*known.retired, *(entry[0] for name, entry in known.fields.items() if name not in kept)}
    last = max([0, *retired, *(number for number, _ in kept.values())])
    for name, what in types.items():
        if name not in kept:
            last += 1
            kept[name] = (last, what)
    ordered = sorted(kept.items(), key=lambda entry: entry[1][0])
    return Numbered(fields=dict(ordered), retired=tuple(sorted(retired)))


def _field_type(slot: ProtoField) -> str:
    # Whether a single value is optional makes no difference on the wire.
    return f"repeated {slot.type}" if slot.label == "repeated" else slot.type
