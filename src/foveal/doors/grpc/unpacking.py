"""Messages read as plain JSON, by their shapes."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC
from typing import Any

from google.protobuf.message import DecodeError, Message

from foveal.doors.grpc.free import struct_of, value_of
from foveal.errors import Invalid
from foveal.wire.calls import Call
from foveal.wire.codec import plain
from foveal.wire.messages import (
    ARGUMENTS,
    CLEARED,
    OBJECT,
    PLACES,
    SCALARS,
    SPELLED,
    answer_name,
    clears,
    is_many,
    named,
    request_shape,
    single,
    snake,
)
from foveal.wire.shapes import (
    Anything,
    Either,
    Field,
    Listed,
    Maybe,
    Moment,
    Named,
    Row,
    Shape,
    Span,
    Value,
    fields_of,
)


def parsed(kind: type[Message], data: bytes) -> Message:
    """The message that bytes are; `Invalid` if they are none."""
    try:
        return kind.FromString(data)
    except DecodeError as error:
        raise Invalid(f"the request is not a {kind.DESCRIPTOR.name}: {error}") from error


def unpacked_request(message: Message, call: Call, fields: Iterable[Field]) -> dict[str, Any]:
    """The arguments in a request, as plain JSON by name; what is not set is not there."""
    known = {one.name: one for one in fields}
    given: dict[str, Any] = {}
    for name, field in known.items():
        shape = request_shape(field)
        if is_many(shape):
            if field.required or len(getattr(message, name)):
                given[name] = _got(message, name, shape)
        elif not message.DESCRIPTOR.fields_by_name[name].has_presence or message.HasField(name):
            given[name] = _got(message, name, shape)
    if any(clears(one) for one in known.values()):
        for name in getattr(message, CLEARED):
            if name not in known:
                raise Invalid(f"cleared names {name!r}, which is no field: there are {', '.join(known)}")
            given[name] = [] if isinstance(known[name].shape, Listed) or _was_list(known[name]) else None
    if call.open:
        given |= {name: one for name, one in struct_of(getattr(message, ARGUMENTS)).items() if name not in known}
    return given


def unpacked_answer(message: Message, answer: Shape | None) -> Any:
    """What a response answers, as plain JSON."""
    return None if answer is None else _got(message, answer_name(answer), answer)


def _was_list(field: Field) -> bool:
    return isinstance(request_shape(field), Listed)


def _got(message: Message, name: str, shape: Shape) -> Any:
    held = getattr(message, name)
    match shape:
        case Maybe(inner=inner):
            if not message.HasField(name):
                return None
            return _read(held, inner, name) if is_many(inner) else _got(message, name, inner)
        case Listed(inner=inner):
            return list(held) if _is_scalar(inner) else [_read(one, inner, name) for one in held]
        case Named(inner=inner) if shape != OBJECT:
            return {key: one if _is_scalar(inner) else _read(one, inner, name) for key, one in held.items()}
        case _ if _is_scalar(shape):
            return held
        case _:
            return _read(held, shape, name)


def _read(message: Any, shape: Shape, where: str) -> Any:
    """What a message that is all its own says."""
    match shape:
        case Moment() | Span():
            return _time(message, shape, where)
        case Anything():
            return value_of(message)
        case Value():
            return _fields(message, shape)
        case Row():
            return [_got(message, place, inner) for place, inner in zip(PLACES, shape.inner, strict=False)]
        case Either() if shape == SPELLED:
            return _time(message, Moment(), where)
        case Either():
            return _one(message, shape, where)
        case Named() if shape == OBJECT:
            return struct_of(message)
        case _:
            return _got(message, "values", shape)


def _fields(message: Message, shape: Value) -> dict[str, Any]:
    said: dict[str, Any] = {}
    for one in fields_of(shape.kind):
        plural = is_many(one.shape) or isinstance(one.shape, Maybe) or _is_scalar(one.shape)
        # A message that is not set says nothing: its default stands, if it has one.
        if plural or message.HasField(one.name):
            said[one.name] = _got(message, one.name, one.shape)
    return said


def _one(message: Message, shape: Either, where: str) -> Any:
    chosen = message.WhichOneof("kind")
    for one in shape.inner:
        if snake(named(one)) == chosen:
            return _got(message, chosen, Maybe(one))
    raise Invalid(f"{where} is empty: set one of {', '.join(snake(named(one)) for one in shape.inner)}")


def _time(message: Any, shape: Shape, where: str) -> Any:
    try:
        if isinstance(shape, Span):
            return plain(message.ToTimedelta())
        return plain(message.ToDatetime(tzinfo=UTC))
    except (ValueError, OverflowError) as error:
        raise Invalid(f"{where} is not a time that can be kept: {error}", where=where) from error


def _is_scalar(shape: Shape) -> bool:
    return single(shape) in SCALARS
