"""The verbs and values as messages of protocol buffers, without their numbers."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from foveal.model.query import At, Details
from foveal.wire.calls import Call, call_of
from foveal.wire.schemas import kinds_in
from foveal.wire.shapes import Choice, Either, Field, Listed, Maybe, Named, Place, Row, Shape, Text, fields_of
from foveal.wire.slots import (
    OBJECT,
    PLACES,
    SPELLED,
    Slot,
    answer_name,
    clears,
    is_many,
    named,
    request_shape,
    slot_of,
    snake,
)
from foveal.wire.telling import told_of
from foveal.wire.verbs import VERBS

CLEARED, ARGUMENTS = "cleared", "arguments"
NOTHING = "The names of those of the other fields that are given as nothing: as null, or as an empty list."


class Message(Struct, frozen=True, kw_only=True):
    """A message. With `one`, a single of its fields is set."""

    name: str
    told: str
    slots: tuple[Slot, ...]
    one: bool = False


class Stream(Struct, frozen=True, kw_only=True):
    """A procedure that is not a call: `asks` of many requests, `answers` of many answers, to those of a verb."""

    rpc: str
    verb: str
    told: str
    asks: bool = False
    answers: bool = False


STREAMS = (
    Stream(
        rpc="WriteStream",
        verb="write",
        asks=True,
        told="Store as many texts as are sent, in batches, as WriteMany does. Each message is a write of its own;"
        " one that cannot be taken is in `rejected` with its position in the stream.",
    ),
    Stream(
        rpc="ReadStream",
        verb="read",
        asks=True,
        answers=True,
        told="Answer one question after the other, in their order, as Read does.",
    ),
    Stream(
        rpc="TimelineStream",
        verb="timeline",
        answers=True,
        told="The records of a timeline, one by one, taken a page at a time, as Page does. Without a limit, all.",
    ),
)


def stream_fields(stream: Stream) -> tuple[Field, ...]:
    """The parameters of a stream: those of its verb, and a timeline has no limit of its own."""
    fields = call_of(stream.verb).fields
    return tuple(replace(one, default=None) if one.name == "limit" else one for one in fields)


def stream_answer(stream: Stream) -> Shape | None:
    """What each answer of a stream is: what its verb answers, or one of those that it lists."""
    answer = call_of(stream.verb).answer
    return answer.inner if isinstance(answer, Listed) else answer


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
    told = [replace(one, told=one.told or ("" if one.required else meant.get(one.name, ""))) for one in fields]
    slots = [slot_of(one.name, request_shape(one), _told(one), optional=not one.required) for one in told]
    if call.open:
        slots.append(slot_of(ARGUMENTS, OBJECT, "Everything else that it takes, by name."))
    if any(clears(one) for one in fields):
        slots.append(slot_of(CLEARED, Listed(Text()), NOTHING))
    return Message(name=f"{rpc}Request", told=f"What {rpc} takes.", slots=tuple(slots))


def _response(rpc: str, answer: Shape | None) -> Message:
    slots = () if answer is None else (slot_of(answer_name(answer), answer),)
    return Message(name=f"{rpc}Response", told=f"What {rpc} answers.", slots=slots)


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
        made[kind.__name__] = Message(name=kind.__name__, told=told, slots=slots)
        left += [one.shape for one in fields_of(kind)]
    while left:
        match left.pop():
            case Maybe(inner=inner):
                if is_many(inner):
                    told = "As many as there are; where the message is not set, nothing is known."
                    made[named(inner)] = Message(name=named(inner), told=told, slots=(slot_of("values", inner),))
                left.append(inner)
            case Listed(inner=inner) | Named(inner=inner):
                left.append(inner)
            case Row(inner=several) as row:
                slots = tuple(slot_of(place, one) for place, one in zip(PLACES, several, strict=False))
                made[named(row)] = Message(name=named(row), told="A few values in a row.", slots=slots)
                left += several
            case Either(inner=several) as either if either != SPELLED:
                slots = tuple(slot_of(snake(named(one)), one) for one in several if not is_many(one))
                lists = [one for one in several if is_many(one)]
                slots += tuple(Slot(name=snake(named(one)), type=named(one)) for one in lists)
                made[named(either)] = Message(name=named(either), told="One of these.", slots=slots, one=True)
                left += [Maybe(one) if is_many(one) else one for one in several]
            case _:
                pass
    return list(made.values())


def _told(field: Field, *, answer: bool = False) -> str:
    said = [field.told] if field.told else []
    match field.shape:
        case Choice(names=names) | Maybe(inner=Choice(names=names)):
            said.append(f"One of {', '.join(names)}.")
        case Place() | Maybe(inner=Place()):
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
