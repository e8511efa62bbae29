"""Converts protobuf messages to plain values and errors to `google.rpc.Status`, and back."""

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
from foveal.wire.codec import flattened, to_json
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

# Numbers in `google.protobuf.Value` are doubles, which are not exact beyond this.
EXACT = 2**53


def fill_value(message: FreeValue, given: Any) -> None:
    """Write a JSON value into a message."""
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
            for item in cast(Sequence[Any], given):
                fill_value(message.list_value.values.add(), item)
        case _:
            raise ValueError(f"{type(given).__name__} is not JSON")


def fill_struct(message: Struct, given: Mapping[str, Any]) -> None:
    """Write a JSON object into a message."""
    message.SetInParent()
    for name, value in given.items():
        fill_value(message.fields[str(name)], value)


def value_of(message: FreeValue) -> Any:
    """The JSON value in a message; a number without a fraction becomes an integer."""
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
            return [value_of(item) for item in message.list_value.values]
        case _:
            return None


def struct_of(message: Struct) -> dict[str, Any]:
    """The JSON object in a message."""
    return {name: value_of(value) for name, value in message.fields.items()}


def inexact(given: Any) -> bool:
    """Whether a JSON value holds an integer that a double cannot represent exactly."""
    if isinstance(given, Mapping):
        return any(map(inexact, cast(Mapping[str, Any], given).values()))
    if isinstance(given, list):
        return any(map(inexact, cast(list[Any], given)))
    return isinstance(given, int) and abs(given) > EXACT


# The longest `google.protobuf.Duration`: ten thousand years.
LONGEST = timedelta(seconds=315_576_000_000)


def pack_request(message: Message, call: Call, fields: Iterable[Field], values: Mapping[str, Any]) -> None:
    """Write the arguments of a call, as `Call.arguments` returns them, into its request."""
    known = {field.name: field for field in fields}
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
    if any(clears(field) for field in known.values()):
        getattr(message, CLEARED).extend(empty)
    if call.open:
        others = {name: value for name, value in values.items() if name not in known}
        fill_struct(getattr(message, ARGUMENTS), others)


def pack_answer(message: Message, answer: Shape | None, value: Any) -> None:
    """Write the answer of a verb into its response."""
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
        case ListOf(inner=inner) if _is_scalar(inner):
            getattr(message, name).extend(map(to_json, value))
        case ListOf(inner=inner):
            for item in value:
                _fill(getattr(message, name).add(), inner, item)
        case MapOf() if shape != OBJECT:
            entries = getattr(message, name)
            for key, item in value.items():
                if _is_scalar(shape.inner):
                    entries[str(key)] = to_json(item)
                else:
                    _fill(entries[str(key)], shape.inner, item)
        case Either() if shape == SPELLED:
            _fill(getattr(message, name), TimestampShape(), checked_moment(value, name))
        case _ if _is_scalar(shape):
            setattr(message, name, to_json(value))
        case _:
            _fill(getattr(message, name), shape, value)


def _fill(message: Any, shape: Shape, value: Any) -> None:
    """Write a value into a message that holds nothing else."""
    message.SetInParent()
    match shape:
        case TimestampShape():
            message.FromDatetime(value)
        case DurationShape():
            message.FromTimedelta(max(-LONGEST, min(value, LONGEST)))
        case Anything():
            fill_value(message, to_json(flattened(value)))
        case Value():
            for field in fields_of(shape.kind):
                _put(message, field.name, field.shape, getattr(value, field.name))
        case TupleOf():
            for place, inner, item in zip(PLACES, shape.inner, value, strict=False):
                _put(message, place, inner, item)
        case Either():
            chosen = _matching(shape, value)
            _put(message, snake(named(chosen)), Nullable(chosen), value)
        case MapOf() if shape == OBJECT:
            # The parsers of protobuf refuse messages of a hundred levels, and a level of JSON takes three.
            fill_struct(message, to_json(flattened(value)))
        case _:
            _put(message, "values", shape, value)


# The types of the values of a shape that is not sent as a scalar.
HELD: dict[type[Shape], Any] = {ListOf: (list, tuple), TupleOf: tuple, MapOf: Mapping, TimestampShape: datetime}


def _matching(shape: Either, value: Any) -> Shape:
    for inner in shape.inner:
        if isinstance(value, inner.kind if isinstance(inner, Value) else HELD.get(type(inner), str | int | float)):
            return inner
    raise ValueError(f"{type(value).__name__} is none of {named(shape)}")


def _is_scalar(shape: Shape) -> bool:
    return single(shape) in SCALARS


DOMAIN = "foveal.dev"
# A status is sent in headers, whose size is limited.
MOST = 6_000
# The errors for a bare status, which the library or a proxy made.
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
    """The status of an error: an `ErrorInfo` with its code, and the problem document as a JSON object."""
    document = problem(error, request_id)
    result = _status(error, document)
    if result.ByteSize() > MOST:
        result = _status(error, {**document, "detail": error.message[:500], "data": {}})
    return result


def _status(error: FovealError, document: dict[str, Any]) -> Status:
    code: int = grpc.StatusCode[status_of(type(error)).grpc].value[0]
    result = Status(code=code, message=str(document["detail"]))
    metadata = {"request_id": str(document["request_id"]), "retry": str(error.retry).lower()}
    json_object = Struct()
    # Through JSON, so that dates and the like in the data become text.
    fill_struct(json_object, msgspec.json.decode(msgspec.json.encode(document)))
    details: list[Message] = [ErrorInfo(reason=error.code, domain=DOMAIN, metadata=metadata), json_object]
    wait = error.data.get("retry_after")
    if isinstance(wait, int | float):
        details.append(RetryInfo(retry_delay=Duration(seconds=math.ceil(wait))))
    for detail in details:
        packed = Packed()
        packed.Pack(detail)
        result.details.append(packed)
    return result


def error_of(failed: grpc.RpcError) -> FovealError:
    """The error of a failed call, of the class that the server raised."""
    assert isinstance(failed, grpc.Call)
    status = cast(Any, rpc_status).from_call(failed)
    for detail in status.details if status else ():
        document = Struct()
        if detail.Unpack(document):
            return raised(struct_of(document))
    code, details = failed.code(), failed.details() or ""
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED and "larger than max" in details:
        return errors.TooLarge(details)
    return BARE.get(code, FovealError)(f"{details or 'the call failed'} ({code.name})")


def parsed(kind: type[Message], data: bytes) -> Message:
    """The message in some bytes; `Invalid` if they do not decode."""
    try:
        return kind.FromString(data)
    except DecodeError as error:
        raise Invalid(f"the request is not a {kind.DESCRIPTOR.name}: {error}") from error


def unpacked_request(message: Message, call: Call, fields: Iterable[Field]) -> dict[str, Any]:
    """The arguments in a request, as plain JSON by name; unset fields are left out."""
    known = {field.name: field for field in fields}
    arguments: dict[str, Any] = {}
    for name, field in known.items():
        shape = request_shape(field)
        if is_many(shape):
            if field.required or len(getattr(message, name)):
                arguments[name] = _field_value(message, name, shape)
        elif not message.DESCRIPTOR.fields_by_name[name].has_presence or message.HasField(name):
            arguments[name] = _field_value(message, name, shape)
    if any(clears(field) for field in known.values()):
        for name in getattr(message, CLEARED):
            if name not in known:
                raise Invalid(f"cleared names {name!r}, which is not a field: there are {', '.join(known)}")
            arguments[name] = [] if isinstance(request_shape(known[name]), ListOf) else None
    if call.open:
        others = struct_of(getattr(message, ARGUMENTS))
        arguments |= {name: value for name, value in others.items() if name not in known}
    return arguments


def unpacked_answer(message: Message, answer: Shape | None) -> Any:
    """The answer in a response, as plain JSON."""
    return None if answer is None else _field_value(message, answer_name(answer), answer)


def _field_value(message: Message, name: str, shape: Shape) -> Any:
    content = getattr(message, name)
    match shape:
        case Nullable(inner=inner):
            if not message.HasField(name):
                return None
            return _read(content, inner, name) if is_many(inner) else _field_value(message, name, inner)
        case ListOf(inner=inner):
            return list(content) if _is_scalar(inner) else [_read(item, inner, name) for item in content]
        case MapOf(inner=inner) if shape != OBJECT:
            return {key: item if _is_scalar(inner) else _read(item, inner, name) for key, item in content.items()}
        case _ if _is_scalar(shape):
            return content
        case _:
            return _read(content, shape, name)


def _read(message: Any, shape: Shape, where: str) -> Any:
    """The value in a message that holds nothing else."""
    match shape:
        case _ if shape in (TimestampShape(), DurationShape(), SPELLED):
            return _time(message, shape, where)
        case Anything():
            return value_of(message)
        case Value():
            return _fields(message, shape)
        case TupleOf():
            return [_field_value(message, place, inner) for place, inner in zip(PLACES, shape.inner, strict=False)]
        case Either():
            return _alternative(message, shape, where)
        case MapOf() if shape == OBJECT:
            return struct_of(message)
        case _:
            return _field_value(message, "values", shape)


def _fields(message: Message, shape: Value) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for field in fields_of(shape.kind):
        plural = is_many(field.shape) or isinstance(field.shape, Nullable) or _is_scalar(field.shape)
        # An unset message is left out, so that the default of the field applies, if it has one.
        if plural or message.HasField(field.name):
            values[field.name] = _field_value(message, field.name, field.shape)
    return values


def _alternative(message: Message, shape: Either, where: str) -> Any:
    chosen = message.WhichOneof("kind")
    for inner in shape.inner:
        if snake(named(inner)) == chosen:
            return _field_value(message, chosen, Nullable(inner))
    raise Invalid(f"{where} is empty: set one of {', '.join(snake(named(inner)) for inner in shape.inner)}")


def _time(message: Any, shape: Shape, where: str) -> Any:
    try:
        if isinstance(shape, DurationShape):
            return to_json(message.ToTimedelta())
        return to_json(message.ToDatetime(tzinfo=UTC))
    except (ValueError, OverflowError) as error:
        raise Invalid(f"{where} is not a time that can be stored: {error}", where=where) from error
