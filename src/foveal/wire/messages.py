"""Verbs and values as protobuf messages with stable numbers."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from foveal.model.query import At, Details
from foveal.wire.calls import Call, call_of, told_of
from foveal.wire.codec import kinds_in
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
from foveal.wire.verbs import VERBS

OBJECT = MapOf(Anything())
# A moment that may be spelled in ISO 8601 as well is a moment; a text that may be a moment is either.
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
# What the values of a row are called.
PLACES = ("first", "second", "third", "fourth")
PLURALS = {"related": "related", "branch": "branches"}


class ProtoField(Struct, frozen=True, kw_only=True):
    """A field of a message: its name and its type; `label` is "optional", "repeated" or nothing."""

    name: str
    type: str
    label: str = ""
    description: str = ""


def snake(name: str) -> str:
    """A name in small letters.

    >>> snake("ContextWindow")
    'context_window'
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


# What clients compiled into their messages stays as it was first called.
_WIRE_NAMES: dict[type[Shape], str] = {Integer: "Whole", Boolean: "Flag", Timestamp: "Moment", Duration: "Span"}


def named(shape: Shape) -> str:
    """What a shape is called where it needs a message, or a field, of its own.

    >>> named(Either((Text(), ListOf(Text()), OBJECT)))
    'ObjectOrTextOrTextList'
    """
    match shape:
        case Value():
            return shape.kind.__name__
        case Either():
            return "Or".join(sorted(named(one) for one in shape.inner))
        case TupleOf():
            return "And".join(named(one) for one in shape.inner)
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
    """The type of one value of a shape.

    >>> single(Duration()), single(TupleOf((Text(), Integer())))
    ('google.protobuf.Duration', 'TextAndWhole')
    """
    return "string" if isinstance(shape, Choice) else SINGLE.get(shape) or named(shape)


def is_many(shape: Shape) -> bool:
    """Whether values of a shape are a repeated field or a map, which cannot be told from nothing when empty."""
    return isinstance(shape, ListOf) or (isinstance(shape, MapOf) and shape != OBJECT)


def slot_of(name: str, shape: Shape, told: str = "", *, optional: bool = False) -> ProtoField:
    """The field that holds values of a shape.

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
    """The shape of a parameter in a request, where a list that is not given need not be told from null."""
    match field.shape:
        case Nullable(inner=inner) if is_many(inner):
            return inner
        case _:
            return field.shape


def clears(field: Field) -> bool:
    """Whether a parameter that is given as nothing is something else than one that is not given."""
    if field.required:
        return False
    if isinstance(field.shape, Nullable) and field.default is not None:
        return True
    return is_many(request_shape(field)) and field.default != []


def answer_name(shape: Shape) -> str:
    """What the field is called that holds an answer.

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
NOTHING = "The names of those of the other fields that are given as nothing: as null, or as an empty list."


class Message(Struct, frozen=True, kw_only=True):
    """A message. With `one`, a single of its fields is set."""

    name: str
    description: str
    slots: tuple[ProtoField, ...]
    one: bool = False


class Stream(Struct, frozen=True, kw_only=True):
    """A procedure that is not a call: `asks` of many requests, `answers` of many answers, to those of a verb."""

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
        description="Store as many texts as are sent, in batches, as WriteMany does. Each message is a write of its"
        " own; one that cannot be taken is in `rejected` with its position in the stream.",
    ),
    Stream(
        rpc="ReadStream",
        verb="read",
        asks=True,
        answers=True,
        description="Answer one question after the other, in their order, as Read does.",
    ),
    Stream(
        rpc="TimelineStream",
        verb="timeline",
        answers=True,
        description="The records of a timeline, one by one, taken a page at a time, as Page does."
        " Without a limit, all.",
    ),
)


def stream_fields(stream: Stream) -> tuple[Field, ...]:
    """The parameters of a stream: those of its verb, and a timeline has no limit of its own."""
    fields = call_of(stream.verb).fields
    return tuple(replace(one, default=None) if one.name == "limit" else one for one in fields)


def stream_answer(stream: Stream) -> Shape | None:
    """What each answer of a stream is: what its verb answers, or one of those that it lists."""
    answer = call_of(stream.verb).answer
    return answer.inner if isinstance(answer, ListOf) else answer


def messages() -> list[Message]:
    """Every message: what each procedure takes and answers, then the values by name."""
    made: list[Message] = []
    shapes: list[Shape] = []
    for verb in VERBS.values():
        if verb.rpc is not None:
            call = call_of(verb.name)
            made += [_request(verb.rpc, call, call.fields), _response(verb.rpc, call.answer)]
            shapes += [request_shape(one) for one in call.fields] + ([call.answer] if call.answer else [])
    for stream in STREAMS:
        call = call_of(stream.verb)
        made += [_request(stream.rpc, call, stream_fields(stream)), _response(stream.rpc, stream_answer(stream))]
    return made + sorted(_values(shapes), key=lambda one: one.name)


def _request(rpc: str, call: Call, fields: Sequence[Field]) -> Message:
    meant = told_of(At)
    if "idempotency_key" in {one.name for one in fields}:
        meant = {**meant, **told_of(Details)}
    told = [
        replace(one, description=one.description or ("" if one.required else meant.get(one.name, "")))
        for one in fields
    ]
    slots = [slot_of(one.name, request_shape(one), _told(one), optional=not one.required) for one in told]
    if call.open:
        slots.append(slot_of(ARGUMENTS, OBJECT, "Everything else that it takes, by name."))
    if any(clears(one) for one in fields):
        slots.append(slot_of(CLEARED, ListOf(Text()), NOTHING))
    return Message(name=f"{rpc}Request", description=f"What {rpc} takes.", slots=tuple(slots))


def _response(rpc: str, answer: Shape | None) -> Message:
    slots = () if answer is None else (slot_of(answer_name(answer), answer),)
    return Message(name=f"{rpc}Response", description=f"What {rpc} answers.", slots=slots)


def _values(shapes: Iterable[Shape]) -> list[Message]:
    kinds: set[type[Struct]] = set()
    made: dict[str, Message] = {}
    left = list(shapes)
    for shape in shapes:
        kinds |= kinds_in(shape)
    for kind in kinds:
        if kind.__name__ in made:
            raise TypeError(f"two values are called {kind.__name__}: rename one")
        slots = tuple(slot_of(one.name, one.shape, _told(one, answer=True)) for one in fields_of(kind))
        told = (inspect.getdoc(kind) or "").split("\n\n")[0].replace("\n", " ")
        made[kind.__name__] = Message(name=kind.__name__, description=told, slots=slots)
        left += [one.shape for one in fields_of(kind)]
    while left:
        match left.pop():
            case Nullable(inner=inner):
                if is_many(inner):
                    told = "As many as there are; where the message is not set, nothing is known."
                    made[named(inner)] = Message(
                        name=named(inner), description=told, slots=(slot_of("values", inner),)
                    )
                left.append(inner)
            case ListOf(inner=inner) | MapOf(inner=inner):
                left.append(inner)
            case TupleOf(inner=several) as row:
                slots = tuple(slot_of(place, one) for place, one in zip(PLACES, several, strict=False))
                made[named(row)] = Message(name=named(row), description="A few values in a row.", slots=slots)
                left += several
            case Either(inner=several) as either if either != SPELLED:
                slots = tuple(slot_of(snake(named(one)), one) for one in several if not is_many(one))
                lists = [one for one in several if is_many(one)]
                slots += tuple(ProtoField(name=snake(named(one)), type=named(one)) for one in lists)
                made[named(either)] = Message(
                    name=named(either), description="One of these.", slots=slots, one=True
                )
                left += [Nullable(one) if is_many(one) else one for one in several]
            case _:
                pass
    return list(made.values())


def _told(field: Field, *, answer: bool = False) -> str:
    said = [field.description] if field.description else []
    match field.shape:
        case Choice(names=names) | Nullable(inner=Choice(names=names)):
            said.append(f"One of {', '.join(names)}.")
        case AddressText() | Nullable(inner=AddressText()):
            said.append("An address, world/region#digits@d<depth>t<slice>.")
        case _:
            pass
    if not answer and (field.required or field.default not in (None, [], "", False)):
        said.append("Needed." if field.required else f"{_default(field.default)} if not given.")
    return " ".join(said)


def _default(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case list():
            return ", ".join(map(str, cast(list[object], value)))
        case _:
            return str(value)


class Numbered(Struct, frozen=True, kw_only=True):
    """The numbers of a message: of each field with what it holds, and those that no field may have again."""

    fields: dict[str, tuple[int, str]]
    retired: tuple[int, ...] = ()


Lock = dict[str, Numbered]


def numbered(messages: Iterable[Message], lock: Mapping[str, Numbered]) -> Lock:
    """The numbers of all fields: what had one keeps it, what is new gets the next.

    A field that is gone, or that holds something else now, leaves its number retired. A message that is gone
    stays in the lock, and would come back with its numbers.
    """
    found = dict(lock)
    for message in messages:
        found[message.name] = _numbers(message.slots, found.get(message.name, Numbered(fields={})))
    return dict(sorted(found.items()))


def _numbers(slots: Iterable[ProtoField], known: Numbered) -> Numbered:
    held = {one.name: _held(one) for one in slots}
    kept = {name: entry for name, entry in known.fields.items() if held.get(name) == entry[1]}
    retired = {*known.retired, *(entry[0] for name, entry in known.fields.items() if name not in kept)}
    last = max([0, *retired, *(number for number, _ in kept.values())])
    for name, what in held.items():
        if name not in kept:
            last += 1
            kept[name] = (last, what)
    ordered = sorted(kept.items(), key=lambda one: one[1][0])
    return Numbered(fields=dict(ordered), retired=tuple(sorted(retired)))


def _held(slot: ProtoField) -> str:
    # Whether a single value is marked optional makes no difference on the wire.
    return f"repeated {slot.type}" if slot.label == "repeated" else slot.type
