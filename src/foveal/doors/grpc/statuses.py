"""Errors as a `google.rpc.Status` with details, and back."""

from __future__ import annotations

import math
from typing import Any, cast

import grpc
import msgspec
from google.protobuf.any_pb2 import Any as Packed
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.struct_pb2 import Struct
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status
from grpc_status import rpc_status

from foveal import errors
from foveal.doors.grpc.free import fill_struct, struct_of
from foveal.errors import FovealError
from foveal.wire.problems import problem, raised, status_of

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
