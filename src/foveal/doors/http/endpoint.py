"""A verb as an endpoint; what every endpoint works with; concurrency."""

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
from anyio import CapacityLimiter, Semaphore, to_thread
from starlette.requests import Request
from starlette.responses import Response

from foveal.doors.http.middleware import body_of, json_of, said_in
from foveal.doors.service import Caller, RequestKey, Service
from foveal.doors.service.observed import ObservedService
from foveal.errors import Forbidden, Invalid
from foveal.model.record import Record
from foveal.model.results import Page
from foveal.model.server import Right, Serving
from foveal.ports.models import LLM
from foveal.wire.calls import Call, call_of
from foveal.wire.codec import to_json
from foveal.wire.routes import asked

T = TypeVar("T")

# After so many seconds a verb keeps nobody waiting any more: most likely it waits itself, for a disk or a database.
QUICK = 0.02


class WorkerSlots:
    """Runs work in threads, at most so many. Threads that compute wait for one lock, and so they take turns.

    A turn ends after `quick` seconds: at once where most of the time is spent waiting for others.
    """

    def __init__(self, most: int, *, quick: float = QUICK) -> None:
        self._threads = CapacityLimiter(most)
        self._turns = Semaphore(1, fast_acquire=True)
        self._quick = quick

    async def run(self, work: Callable[[], T]) -> T:
        """What the work answers. Its turn ends when it does, or when it has taken long."""
        await self._turns.acquire()
        with ExitStack() as turn:
            turn.callback(self._turns.release)
            late = asyncio.get_running_loop().call_later(self._quick, turn.close)
            turn.callback(late.cancel)
            return await to_thread.run_sync(work, limiter=self._threads)


@dataclass(frozen=True)
class Context:
    """The service, its settings, and how a credential becomes a caller."""

    service: Service
    serving: Serving
    authenticate: Callable[[str | None], Caller]
    places: WorkerSlots
    llm: LLM | None = None
    station: ObservedService | None = None
    stopping: Event = field(default_factory=Event)

    def caller(self, request: Request) -> Caller:
        """Who asks. It may block."""
        return self.authenticate(request.headers.get("authorization"))

    def whole(self, request: Request) -> None:
        """Let in only who may administer the whole store. It may block."""
        caller = self.caller(request)
        if Right.ADMIN not in caller.rights or (caller.worlds, caller.actors) != (None, None):
            raise Forbidden(
                "this is about the whole server: it needs a key that may admin, for all worlds and actors"
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
        """What a verb answers to whoever asks. It blocks."""
        request_id: str = request.state.request_id
        caller = self.caller(request)
        # From here on the service tells what goes wrong.
        request.state.asked = True
        return self.service.answer(name, given, caller, door="http", request_id=request_id, here=here, once=once)


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
    once = None if key is None else RequestKey(key=key)
    value = context.answer(request, name, given, once=once)
    answer = Response(status_code=204) if call_of(name).answer is None else written(request, value)
    if once is not None and once.replayed:
        answer.headers["Idempotency-Replayed"] = "true"
    return answer


def written(request: Request, value: Any, **more: str) -> Response:
    """A value as JSON with its tag, and `more` beside its fields; 304 when the asker has it already."""
    body = msgspec.json.encode({**to_json(value), **more} if more else to_json(value))
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
