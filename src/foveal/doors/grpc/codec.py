"""Messages <-> plain values; errors <-> `google.rpc.Status`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import grpc
import msgspec
from google.protobuf.any_pb2 import Any as Packed
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import DecodeError, Message
from google.protobuf.struct_pb2 import NULL_VALUE, Struct
from google.protobuf.struct_pb2 import Value as FreeValue
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status
from grpc_status import rpc_status

from foveal import errors
from foveal.errors import FovealError, Invalid
from foveal.rules.validation import checked_moment
from foveal.wire.calls import Call
from foveal.wire.codec import to_json
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
from foveal.wire.problems import problem, raised, status_of
from foveal.wire.shapes import Anything, Either, Field, ListOf, MapOf, Nullable, Shape, TupleOf, Value, fields_of
from foveal.wire.shapes import Duration as DurationShape
from foveal.wire.shapes import Timestamp as TimestampShape

# A number there is a double: beyond this, neighbours become one.
EXACT = 2**53


def fill_value(message: FreeValue, given: Any) -> None:
    """Put a JSON value into a message."""
    match given:
        case None:
            message.null_value = NULL_VALUE
        case bool():
            message.bool_value = given
        case int() if abs(given) > EXACT:
            message.string_value = str(given)
        case int() | float():
            message.number_value = given
        case str():
            message.string_value = given
        case Mapping():
            fill_struct(message.struct_value, cast(Mapping[str, Any], given))
        case Sequence():
            message.list_value.SetInParent()
            for one in cast(Sequence[Any], given):
                fill_value(message.list_value.values.add(), one)
        case _:
            raise ValueError(f"{type(given).__name__} is not JSON")


def fill_struct(message: Struct, given: Mapping[str, Any]) -> None:
    """Put a JSON object into a message."""
    message.SetInParent()
    for name, one in given.items():
        fill_value(message.fields[str(name)], one)


def value_of(message: FreeValue) -> Any:
    """The JSON value that a message holds; a number without a fraction is a whole one."""
    match message.WhichOneof("kind"):
        case "bool_value":
            return message.bool_value
        case "number_value":
            number = message.number_value
            return int(number) if number.is_integer() and abs(number) <= EXACT else number
        case "string_value":
            return message.string_value
        case "struct_value":
            return struct_of(message.struct_value)
        case "list_value":
            return [value_of(one) for one in message.list_value.values]
        case _:
            return None


def struct_of(message: Struct) -> dict[str, Any]:
    """The JSON object that a message holds."""
    return {name: value_of(one) for name, one in message.fields.items()}


def inexact(given: Any) -> bool:
    """Whether JSON holds a whole number that would not come through as a number."""
    match given:
        case bool():
            return False
        case int():
            return abs(given) > EXACT
        case str():
            return False
        case Mapping():
            return any(inexact(one) for one in cast(Mapping[str, Any], given).values())
        case Sequence():
            return any(inexact(one) for one in cast(Sequence[Any], given))
        case _:
            return False


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
        case Nullable() if value is None:
            pass
        case Nullable(inner=inner) if is_many(inner):
            _fill(getattr(message, name), inner, value)
        case Nullable():
            _put(message, name, shape.inner, value)
        case ListOf():
            _extend(getattr(message, name), shape.inner, value)
        case MapOf() if shape != OBJECT:
            held = getattr(message, name)
            for key, one in value.items():
                if _is_scalar(shape.inner):
                    held[str(key)] = to_json(one)
                else:
                    _fill(held[str(key)], shape.inner, one)
        case Either() if shape == SPELLED:
            _fill(getattr(message, name), TimestampShape(), checked_moment(value, name))
        case _ if _is_scalar(shape):
            setattr(message, name, to_json(value))
        case _:
            _fill(getattr(message, name), shape, value)


def _extend(held: Any, inner: Shape, values: Iterable[Any]) -> None:
    if _is_scalar(inner):
        held.extend(to_json(one) for one in values)
        return
    for one in values:
        _fill(held.add(), inner, one)


def _fill(message: Any, shape: Shape, value: Any) -> None:
    """Put a value into a message that is all its own."""
    message.SetInParent()
    match shape:
        case TimestampShape():
            message.FromDatetime(value)
        case DurationShape():
            message.FromTimedelta(max(-LONGEST, min(value, LONGEST)))
        case Anything():
            fill_value(message, to_json(value))
        case Value():
            for one in fields_of(shape.kind):
                _put(message, one.name, one.shape, getattr(value, one.name))
        case TupleOf():
            for place, inner, one in zip(PLACES, shape.inner, value, strict=False):
                _put(message, place, inner, one)
        case Either():
            chosen = _chosen(shape, value)
            _put(message, snake(named(chosen)), Nullable(chosen), value)
        case MapOf() if shape == OBJECT:
            fill_struct(message, to_json(value))
        case _:
            _put(message, "values", shape, value)


def _chosen(shape: Either, value: Any) -> Shape:
    for one in shape.inner:
        match one:
            case Value(kind=kind) if isinstance(value, kind):
                return one
            case ListOf() | TupleOf() if isinstance(value, list | tuple):
                return one
            case MapOf() if isinstance(value, Mapping):
                return one
            case TimestampShape() if isinstance(value, datetime):
                return one
            case _ if _is_scalar(one) and isinstance(value, str | int | float):
                return one
            case _:
                pass
    raise ValueError(f"{type(value).__name__} is none of {named(shape)}")


def _is_scalar(shape: Shape) -> bool:
    return single(shape) in SCALARS


DOMAIN = "foveal.dev"
# A status travels in headers, which are small.
MOST = 6_000
# What a status means that somebody else made: the library, or a proxy on the way.
BARE: dict[grpc.StatusCode, type[FovealError]] = {
    grpc.StatusCode.INVALID_ARGUMENT: errors.Invalid,
    grpc.StatusCode.UNAUTHENTICATED: errors.Unauthenticated,
    grpc.StatusCode.PERMISSION_DENIED: errors.Forbidden,
    grpc.StatusCode.NOT_FOUND: errors.NotFound,
    grpc.StatusCode.UNIMPLEMENTED: errors.Unsupported,
    grpc.StatusCode.RESOURCE_EXHAUSTED: errors.RateLimited,
    grpc.StatusCode.UNAVAILABLE: errors.StoreUnavailable,
    grpc.StatusCode.CANCELLED: errors.Unavailable,
    grpc.StatusCode.DEADLINE_EXCEEDED: errors.TimedOut,
}


def status(error: FovealError, request_id: str) -> Status:
    """The status that tells an error: an `ErrorInfo` with its code, and the problem itself as a JSON object."""
    told = problem(error, request_id)
    made = _status(error, told)
    if made.ByteSize() > MOST:
        made = _status(error, {**told, "detail": error.message[:500], "data": {}})
    return made


def _status(error: FovealError, told: dict[str, Any]) -> Status:
    code: int = grpc.StatusCode[status_of(type(error)).grpc].value[0]
    made = Status(code=code, message=str(told["detail"]))
    said = {"request_id": str(told["request_id"]), "retry": str(error.retry).lower()}
    document = Struct()
    # Whatever an error carries is written as JSON is: dates as text, and so on.
    fill_struct(document, msgspec.json.decode(msgspec.json.encode(told)))
    details: list[Message] = [ErrorInfo(reason=error.code, domain=DOMAIN, metadata=said), document]
    wait = error.data.get("retry_after")
    if isinstance(wait, int | float):
        details.append(RetryInfo(retry_delay=Duration(seconds=math.ceil(wait))))
    for detail in details:
        packed = Packed()
        packed.Pack(detail)
        made.details.append(packed)
    return made


def error_of(failed: grpc.RpcError) -> FovealError:
    """The error that a failed call means: of the class that was raised there."""
    assert isinstance(failed, grpc.Call)
    told = cast(Any, rpc_status).from_call(failed)
    for detail in told.details if told else ():
        document = Struct()
        if detail.Unpack(document):
            return raised(struct_of(document))
    code, said = failed.code(), failed.details() or ""
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED and "larger than max" in said:
        return errors.TooLarge(said)
    return BARE.get(code, FovealError)(f"{said or 'the call failed'} ({code.name})")


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
            given[name] = [] if isinstance(known[name].shape, ListOf) or _was_list(known[name]) else None
    if call.open:
        given |= {name: one for name, one in struct_of(getattr(message, ARGUMENTS)).items() if name not in known}
    return given


def unpacked_answer(message: Message, answer: Shape | None) -> Any:
    """What a response answers, as plain JSON."""
    return None if answer is None else _got(message, answer_name(answer), answer)


def _was_list(field: Field) -> bool:
    return isinstance(request_shape(field), ListOf)


def _got(message: Message, name: str, shape: Shape) -> Any:
    held = getattr(message, name)
    match shape:
        case Nullable(inner=inner):
            if not message.HasField(name):
                return None
            return _read(held, inner, name) if is_many(inner) else _got(message, name, inner)
        case ListOf(inner=inner):
            return list(held) if _is_scalar(inner) else [_read(one, inner, name) for one in held]
        case MapOf(inner=inner) if shape != OBJECT:
            return {key: one if _is_scalar(inner) else _read(one, inner, name) for key, one in held.items()}
        case _ if _is_scalar(shape):
            return held
        case _:
            return _read(held, shape, name)


def _read(message: Any, shape: Shape, where: str) -> Any:
    """What a message that is all its own says."""
    match shape:
        case TimestampShape() | DurationShape():
            return _time(message, shape, where)
        case Anything():
            return value_of(message)
        case Value():
            return _fields(message, shape)
        case TupleOf():
            return [_got(message, place, inner) for place, inner in zip(PLACES, shape.inner, strict=False)]
        case Either() if shape == SPELLED:
            return _time(message, TimestampShape(), where)
        case Either():
            return _one(message, shape, where)
        case MapOf() if shape == OBJECT:
            return struct_of(message)
        case _:
            return _got(message, "values", shape)


def _fields(message: Message, shape: Value) -> dict[str, Any]:
    said: dict[str, Any] = {}
    for one in fields_of(shape.kind):
        plural = is_many(one.shape) or isinstance(one.shape, Nullable) or _is_scalar(one.shape)
        # A message that is not set says nothing: its default stands, if it has one.
        if plural or message.HasField(one.name):
            said[one.name] = _got(message, one.name, one.shape)
    return said


def _one(message: Message, shape: Either, where: str) -> Any:
    chosen = message.WhichOneof("kind")
    for one in shape.inner:
        if snake(named(one)) == chosen:
            return _got(message, chosen, Nullable(one))
    raise Invalid(f"{where} is empty: set one of {', '.join(snake(named(one)) for one in shape.inner)}")


def _time(message: Any, shape: Shape, where: str) -> Any:
    try:
        if isinstance(shape, DurationShape):
            return to_json(message.ToTimedelta())
        return to_json(message.ToDatetime(tzinfo=UTC))
    except (ValueError, OverflowError) as error:
        raise Invalid(f"{where} is not a time that can be kept: {error}", where=where) from error
