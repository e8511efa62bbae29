"""Verbs as HTTP endpoints, the context that they share, and the threads that they run in."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from threading import Event
from typing import Any, TypeVar

import msgspec
from anyio import Semaphore
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from foveal.doors.http.middleware import json_of, said_in
from foveal.doors.service import Caller, RequestKey, Service
from foveal.doors.service.observed import ObservedService
from foveal.doors.service.places import Places
from foveal.doors.service.stream_slots import StreamSlots
from foveal.errors import Forbidden, Invalid
from foveal.model.record import Record
from foveal.model.results import Page
from foveal.model.server import Right, Serving
from foveal.ports.models import LLM
from foveal.rules.validation import MOST_COUNT
from foveal.wire.calls import Call, call_of
from foveal.wire.codec import to_json
from foveal.wire.routes import asked

T = TypeVar("T")

# After this many seconds a verb no longer holds up others: it is most likely waiting for a disk or a database.
QUICK = 0.02


class WorkerSlots:
    """Runs work in at most `most` threads, which take turns, because computing threads compete for one lock anyway.

    A turn ends after `quick` seconds; 0 suits a memory that spends most of its time waiting for a remote store. A
    thread that waits for a lock lends its place to another.
    """

    def __init__(self, most: int, *, quick: float = QUICK) -> None:
        self._places = Places(most)
        self._turns = Semaphore(1, fast_acquire=True)
        self._quick = quick

    async def run(self, work: Callable[[], T]) -> T:
        """The result of `work`. Its turn ends when it finishes or has run for `quick` seconds."""
        await self._turns.acquire()
        with ExitStack() as turn:
            turn.callback(self._turns.release)
            late = asyncio.get_running_loop().call_later(self._quick, turn.close)
            turn.callback(late.cancel)
            return await self._places.run(work)


@dataclass(frozen=True)
class Context:
    """What every endpoint needs: the service, its settings, and how to authenticate a caller."""

    service: Service
    serving: Serving
    authenticate: Callable[[str | None], Caller]
    recheck: Callable[[str | None], Caller] | None
    places: WorkerSlots
    streams: StreamSlots
    llm: LLM | None = None
    station: ObservedService | None = None
    stopping: Event = field(default_factory=Event)

    def caller(self, request: Request) -> Caller:
        """The caller of a request, which counts once. It may block."""
        authorization = request.headers.get("authorization")
        if not hasattr(request.state, "caller"):
            request.state.caller = self.authenticate(authorization)
        elif self.recheck is not None:
            # The body may have taken a while to arrive.
            self.recheck(authorization)
        return request.state.caller

    def require_still(self, request: Request) -> None:
        """Raise `Unauthenticated` if the key of an open stream was revoked or has expired. It may block."""
        (self.recheck or self.authenticate)(request.headers.get("authorization"))

    def whole(self, request: Request) -> None:
        """Raise `Forbidden` unless the caller may administer the whole store. It may block."""
        caller = self.caller(request)
        if Right.ADMIN not in caller.rights or (caller.worlds, caller.actors) != (None, None):
            raise Forbidden(
                "this is about the whole server: it needs a key with the right admin, for all worlds and actors"
            )

    def answer(
        self,
        request: Request,
        name: str,
        given: Mapping[str, Any],
        here: Mapping[str, Any] | None = None,
        *,
        once: RequestKey | None = None,
    ) -> Any:
        """The answer of a verb to the caller of a request. It blocks."""
        request_id: str = request.state.request_id
        caller = self.caller(request)
        # From here on the service reports errors itself.
        request.state.asked = True
        return self.service.answer(name, given, caller, door="http", request_id=request_id, here=here, once=once)


Endpoint = Callable[[Request], Awaitable[Response]]


def endpoint(context: Context, call: Call) -> Endpoint:
    """The endpoint of one verb."""
    reads = (call.verb.http or "").startswith("GET ")

    async def serve(request: Request) -> Response:
        body = b"" if reads else await request.body()
        arguments = asked(call, said_in(request.path_params), request.query_params.multi_items(), json_of(body))
        from_headers(call, request, arguments)
        work = partial(answered, context, request, call.verb.name, arguments)
        return await context.places.run(work)

    return serve


def answered(context: Context, request: Request, name: str, given: dict[str, Any]) -> Response:
    """The response of a verb. It blocks."""
    key = None if "idempotency_key" in given else request.headers.get("idempotency-key")
    once = None if key is None else RequestKey(key=key)
    value = context.answer(request, name, given, once=once)
    answer = Response(status_code=204) if call_of(name).answer is None else written(request, value)
    if once is not None and once.replayed:
        answer.headers["Idempotency-Replayed"] = "true"
    return answer


def written(request: Request, value: Any, **more: str) -> Response:
    """A value as JSON with its ETag, and `more` added to its fields; 304 if the client has it already."""
    body = msgspec.json.encode({**to_json(value), **more} if more else to_json(value))
    tag = blake2b(body, digest_size=8).hexdigest()
    if isinstance(value, Record):
        # Looking at a record counts as a use, which must not make what the client has look old.
        unused = replace(value, vitals=replace(value.vitals, uses=0, used_at=None))
        tag = f"{value.version}.{blake2b(msgspec.json.encode(to_json(unused)), digest_size=8).hexdigest()}"
    headers = {"ETag": f'"{tag}"', "Cache-Control": "no-store"}
    if isinstance(value, Page) and value.cursor is not None:
        following = request.url.include_query_params(cursor=value.cursor)
        headers["Link"] = f'<{following.path}?{following.query}>; rel="next"'
    known = request.headers.get("if-none-match", "")
    if request.method == "GET" and f'"{tag}"' in known:
        return Response(status_code=304, headers=headers)
    return Response(body, 200, headers, "application/json")


def from_headers(call: Call, request: Request, given: dict[str, Any]) -> None:
    """Add the arguments that come in headers: the version that a write builds on, and its idempotency key."""
    names = {field.name for field in call.fields}
    match = request.headers.get("if-match")
    if match is not None and "expected_version" in names and match != "*":
        version = match.strip().removeprefix("W/").strip('"').partition(".")[0]
        if not version.isdecimal() or len(version) > len(str(MOST_COUNT)):
            raise Invalid(f"If-Match {match[:40]!r} is not an ETag of a record")
        given.setdefault("expected_version", int(version))
    key = request.headers.get("idempotency-key")
    if key is not None and call.verb.name == "write":
        given.setdefault("idempotency_key", key)
