"""Values of the model put into messages, by their shapes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from google.protobuf.message import Message

from foveal.doors.grpc.free import fill_struct, fill_value
from foveal.rules.validation import checked_moment
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

# The longest that `google.protobuf.Duration` holds: ten thousand years.
LONGEST = timedelta(seconds=315_576_000_000)


def pack_request(message: Message, call: Call, fields: Iterable[Field], values: Mapping[str, Any]) -> None:
    """Put the arguments of a call into its request, as `Call.arguments` gives them."""
    known = {one.name: one for one in fields}
    empty: list[str] = []
    for name, value in values.items():
        if name not in known:
            continue
        shape = request_shape(known[name])
        nothing = value is None or (is_many(shape) and not value)
        if nothing and shape != Anything():
            empty.append(name)
        else:
            _put(message, name, shape, value)
    if any(clears(one) for one in known.values()):
        getattr(message, CLEARED).extend(empty)
    if call.open:
        fill_struct(getattr(message, ARGUMENTS), {name: one for name, one in values.items() if name not in known})


def pack_answer(message: Message, answer: Shape | None, value: Any) -> None:
    """Put what a verb answered into its response."""
    if answer is not None:
        _put(message, answer_name(answer), answer, value)


def _put(message: Message, name: str, shape: Shape, value: Any) -> None:
    match shape:
        case Maybe() if value is None:
            pass
        case Maybe(inner=inner) if is_many(inner):
            _fill(getattr(message, name), inner, value)
        case Maybe():
            _put(message, name, shape.inner, value)
        case Listed():
            _extend(getattr(message, name), shape.inner, value)
        case Named() if shape != OBJECT:
            held = getattr(message, name)
            for key, one in value.items():
                if _is_scalar(shape.inner):
                    held[str(key)] = plain(one)
                else:
                    _fill(held[str(key)], shape.inner, one)
        case Either() if shape == SPELLED:
            _fill(getattr(message, name), Moment(), checked_moment(value, name))
        case _ if _is_scalar(shape):
            setattr(message, name, plain(value))
        case _:
            _fill(getattr(message, name), shape, value)


def _extend(held: Any, inner: Shape, values: Iterable[Any]) -> None:
    if _is_scalar(inner):
        held.extend(plain(one) for one in values)
        return
    for one in values:
        _fill(held.add(), inner, one)


def _fill(message: Any, shape: Shape, value: Any) -> None:
    """Put a value into a message that is all its own."""
    message.SetInParent()
    match shape:
        case Moment():
            message.FromDatetime(value)
        case Span():
            message.FromTimedelta(max(-LONGEST, min(value, LONGEST)))
        case Anything():
            fill_value(message, plain(value))
        case Value():
            for one in fields_of(shape.kind):
                _put(message, one.name, one.shape, getattr(value, one.name))
        case Row():
            for place, inner, one in zip(PLACES, shape.inner, value, strict=False):
                _put(message, place, inner, one)
        case Either():
            chosen = _chosen(shape, value)
            _put(message, snake(named(chosen)), Maybe(chosen), value)
        case Named() if shape == OBJECT:
            fill_struct(message, plain(value))
        case _:
            _put(message, "values", shape, value)


def _chosen(shape: Either, value: Any) -> Shape:
    for one in shape.inner:
        match one:
            case Value(kind=kind) if isinstance(value, kind):
                return one
            case Listed() | Row() if isinstance(value, list | tuple):
                return one
            case Named() if isinstance(value, Mapping):
                return one
            case Moment() if isinstance(value, datetime):
                return one
            case _ if _is_scalar(one) and isinstance(value, str | int | float):
                return one
            case _:
                pass
    raise ValueError(f"{type(value).__name__} is none of {named(shape)}")


def _is_scalar(shape: Shape) -> bool:
    return single(shape) in SCALARS
