"""Converts errors to the problem documents that every door sends, and back."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, NamedTuple

from foveal import errors
from foveal.errors import FovealError
from foveal.wire.codec import to_json

TYPE = "urn:foveal:problem:"
MEDIA = "application/problem+json"


class Status(NamedTuple):
    """The HTTP and gRPC status of a family of errors."""

    http: HTTPStatus
    grpc: str


STATUS: dict[type[FovealError], Status] = {
    errors.Invalid: Status(HTTPStatus.UNPROCESSABLE_ENTITY, "INVALID_ARGUMENT"),
    errors.TooLarge: Status(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "INVALID_ARGUMENT"),
    errors.Unauthenticated: Status(HTTPStatus.UNAUTHORIZED, "UNAUTHENTICATED"),
    errors.Forbidden: Status(HTTPStatus.FORBIDDEN, "PERMISSION_DENIED"),
    errors.QuotaExceeded: Status(HTTPStatus.FORBIDDEN, "RESOURCE_EXHAUSTED"),
    errors.NotFound: Status(HTTPStatus.NOT_FOUND, "NOT_FOUND"),
    errors.Conflict: Status(HTTPStatus.CONFLICT, "ABORTED"),
    errors.PreconditionFailed: Status(HTTPStatus.PRECONDITION_FAILED, "FAILED_PRECONDITION"),
    errors.Unsupported: Status(HTTPStatus.NOT_IMPLEMENTED, "UNIMPLEMENTED"),
    errors.RateLimited: Status(HTTPStatus.TOO_MANY_REQUESTS, "RESOURCE_EXHAUSTED"),
    errors.Unavailable: Status(HTTPStatus.SERVICE_UNAVAILABLE, "UNAVAILABLE"),
    errors.StorageFull: Status(HTTPStatus.INSUFFICIENT_STORAGE, "UNAVAILABLE"),
    errors.TimedOut: Status(HTTPStatus.GATEWAY_TIMEOUT, "DEADLINE_EXCEEDED"),
    errors.Corrupt: Status(HTTPStatus.INTERNAL_SERVER_ERROR, "DATA_LOSS"),
    FovealError: Status(HTTPStatus.INTERNAL_SERVER_ERROR, "INTERNAL"),
}


def status_of(error: type[FovealError]) -> Status:
    """The status of an error class: that of its nearest ancestor in the table.

    >>> status_of(errors.Pinned).http
    <HTTPStatus.CONFLICT: 409>
    """
    return next(STATUS[kind] for kind in error.__mro__ if kind in STATUS)


def problem(error: FovealError, request_id: str | None = None) -> dict[str, Any]:
    """The problem document of an error (RFC 9457).

    >>> problem(errors.NotFound("there is no record 'x' here", record_id="x"))["code"]
    'not_found'
    """
    document = {
        "type": TYPE + error.code,
        "title": (type(error).__doc__ or "").splitlines()[0],
        "status": int(status_of(type(error)).http),
        "detail": error.message,
        "code": error.code,
        "retry": error.retry,
        "data": to_json(error.data),
    }
    return document if request_id is None else {**document, "request_id": request_id}


def raised(document: Mapping[str, Any]) -> FovealError:
    """The error in a problem document, of the class that the server raised.

    >>> raised({"code": "pinned", "detail": "unpin it first"})
    Pinned('unpin it first')
    """
    kind = errors.CODES.get(str(document.get("code")), FovealError)
    data = document.get("data")
    details = dict(data) if isinstance(data, Mapping) else {}  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    details.pop("message", None)
    return kind(str(document.get("detail") or document.get("title") or kind.__doc__), **details)  # pyright: ignore[reportUnknownArgumentType]
