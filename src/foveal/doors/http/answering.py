"""A verb of the table as an endpoint."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from hashlib import blake2b
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from foveal.doors.http.boundary import body_of, json_of
from foveal.doors.http.context import Context
from foveal.doors.http.slashes import said_in
from foveal.doors.service import Once
from foveal.errors import Invalid
from foveal.model.record import Record
from foveal.model.results import Page
from foveal.wire.calls import Call, call_of
from foveal.wire.codec import plain
from foveal.wire.routes import asked

Endpoint = Callable[[Request], Awaitable[Response]]


def endpoint(context: Context, call: Call) -> Endpoint:
    """What serves the requests of one verb."""
    reads = (call.verb.http or "").startswith("GET ")

    async def serve(request: Request) -> Response:
        body = b"" if reads else await body_of(request, context.serving.body_limit)
        given = asked(call, said_in(request.path_params), request.query_params.multi_items(), json_of(body))
        from_headers(call, request, given)
        work = partial(answered, context, request, call.verb.name, given)
        return await context.places.run(work)

    return serve


def answered(context: Context, request: Request, name: str, given: dict[str, Any]) -> Response:
    """The answer of a verb, from within a thread."""
    key = None if "idempotency_key" in given else request.headers.get("idempotency-key")
    once = None if key is None else Once(key=key)
    value = context.answer(request, name, given, once=once)
    answer = Response(status_code=204) if call_of(name).answer is None else written(request, value)
    if once is not None and once.replayed:
        answer.headers["Idempotency-Replayed"] = "true"
    return answer


def written(request: Request, value: Any, **more: str) -> Response:
    """A value as JSON with its tag, and `more` beside its fields; 304 when the asker has it already."""
    body = msgspec.json.encode({**plain(value), **more} if more else plain(value))
    tag = blake2b(body, digest_size=8).hexdigest()
    if isinstance(value, Record):
        tag = f"{value.version}.{tag}"
    headers = {"ETag": f'"{tag}"', "Cache-Control": "no-store"}
    if isinstance(value, Page) and value.cursor is not None:
        following = request.url.include_query_params(cursor=value.cursor)
        headers["Link"] = f'<{following.path}?{following.query}>; rel="next"'
    known = request.headers.get("if-none-match", "")
    if request.method == "GET" and f'"{tag}"' in known:
        return Response(status_code=304, headers=headers)
    return Response(body, 200, headers, "application/json")


def from_headers(call: Call, request: Request, given: dict[str, Any]) -> None:
    """What a verb may be told in headers: the version it builds on, and a name for the write."""
    names = {one.name for one in call.fields}
    match = request.headers.get("if-match")
    if match is not None and "expected_version" in names and match != "*":
        version = match.strip().removeprefix("W/").strip('"').partition(".")[0]
        if not version.isdecimal():
            raise Invalid(f"If-Match {match[:40]!r} is not a tag that a record was answered with")
        given.setdefault("expected_version", int(version))
    key = request.headers.get("idempotency-key")
    if key is not None and call.verb.name == "write":
        given.setdefault("idempotency_key", key)
