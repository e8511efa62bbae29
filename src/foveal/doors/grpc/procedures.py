"""What each procedure does; caller, deadline, stalled streams."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from threading import BoundedSemaphore
from typing import Any
from uuid import uuid4

import grpc
from google.protobuf.message import Message
from grpc_health.v1.health import SERVICE_NAME as HEALTH
from grpc_status import rpc_status

from foveal.doors.grpc.codec import pack_answer, parsed, status, unpacked_request
from foveal.doors.service import Caller, RequestKey, Service
from foveal.errors import FovealError, Invalid, RateLimited, TimedOut
from foveal.model.query import At
from foveal.model.results import Page, Written
from foveal.wire import foveal_pb2
from foveal.wire.calls import Call, call_of
from foveal.wire.messages import STREAMS, Stream, stream_answer, stream_fields
from foveal.wire.proto import SERVICE
from foveal.wire.shapes import Field, Shape
from foveal.wire.verbs import VERBS

# Who calls, from what the metadata say as `authorization`: `Guard.caller`, or a function of your own.
Authenticate = Callable[[str | None], Caller]
LOG = logging.getLogger("foveal.grpc")
REQUEST_ID = "x-request-id"
IDEMPOTENCY_KEY = "idempotency-key"
_ID = re.compile(r"[\x21-\x7e]{1,128}")


class Arrival:
    """A call that arrived. What goes wrong inside `answering` is told to the caller as a status."""

    def __init__(self, context: grpc.ServicerContext, authenticate: Authenticate) -> None:
        self._context = context
        self._authenticate = authenticate
        self._said = dict(context.invocation_metadata())
        given = str(self._said.get(REQUEST_ID, ""))
        self.request_id = given if _ID.fullmatch(given) else uuid4().hex

    @contextmanager
    def answering(self) -> Generator[Caller]:
        """Who calls, if they may and there is time left."""
        self._context.set_trailing_metadata(((REQUEST_ID, self.request_id),))
        try:
            self.in_time()
            said = self._said.get("authorization")
            yield self._authenticate(None if said is None else str(said))
        except FovealError as error:
            self._end(error)
        except grpc.RpcError:
            # The caller went away in the middle of a stream: nobody is left to be told.
            raise
        except Exception:
            # The boundary: a fault of ours is logged here, and the caller learns no more than that.
            LOG.exception("a call failed", extra={"request_id": self.request_id})
            self._end(FovealError("something went wrong in the server: its log has the request id"))

    @property
    def once(self) -> RequestKey | None:
        """The key that the call came with, if it did."""
        key = self._said.get(IDEMPOTENCY_KEY)
        return None if key is None else RequestKey(key=str(key))

    def in_time(self) -> None:
        """Raise if nobody waits any more: the deadline has passed, or the caller went away."""
        if not self._context.is_active() or self._context.time_remaining() <= 0:
            raise TimedOut("the deadline passed before this was begun")

    def _end(self, error: FovealError) -> None:
        self._context.abort_with_status(rpc_status.to_status(status(error, self.request_id)))


# How many seconds a call may take to send its one message.
PATIENCE = 10
# How many seconds an open stream may be silent: no message comes, or none is taken.
IDLE = 60


class Patience:
    """Ends calls and streams on which nothing moves: each holds a thread, and there are few."""

    def __init__(self, seconds: int = PATIENCE, idle: int = IDLE) -> None:
        self._seconds = seconds
        self._idle = idle
        self._lock = threading.Lock()
        self._left: dict[grpc.ServicerContext, int] = {}
        self._ended = threading.Event()
        self._watch = threading.Thread(target=self._watching, name="foveal-grpc-patience", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._watch.start()

    def stop(self) -> None:
        """Watch no more."""
        self._ended.set()

    def message(self, sent: Iterator[Any], context: grpc.ServicerContext) -> Any:
        """The one message of a call, when it comes."""
        with self._waiting(context, self._seconds):
            found = next(sent, None)
        if found is None:
            raise Invalid("the call came without a message")
        return found

    def messages(self, sent: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        """The messages of a stream, as they come."""
        while True:
            with self._waiting(context, self._idle):
                found = next(sent, None)
            if found is None:
                return
            yield found

    def answers(self, told: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        """The answers of a stream, as they are taken."""
        for one in told:
            # The library comes back for the next one when it has room for it: when the caller takes what is sent.
            with self._waiting(context, self._idle):
                yield one

    @contextmanager
    def _waiting(self, context: grpc.ServicerContext, seconds: int) -> Generator[None]:
        with self._lock:
            self._left[context] = seconds
        try:
            yield
        finally:
            with self._lock:
                self._left.pop(context, None)

    def _watching(self) -> None:
        while not self._ended.wait(1.0):
            self.tick()

    def tick(self) -> bool:
        """Let a second pass, and end the calls that waited too long; whether there were any."""
        with self._lock:
            self._left = {one: left - 1 for one, left in self._left.items()}
            late = [one for one, left in self._left.items() if left <= 0]
        for one in late:
            one.cancel()
        return bool(late)


class Beside(grpc.ServerInterceptor):
    """Gives what needs no key threads of its own, health and reflection apart: neither keeps those of the verbs."""

    def __init__(self, health: ThreadPoolExecutor, rest: ThreadPoolExecutor, patience: Patience) -> None:
        self._health = health
        self._rest = rest
        self._patience = patience

    def intercept_service(self, continuation: Callable[..., Any], handler_call_details: Any) -> Any:
        """The handler of a call, moved if it is not for the service."""
        handler = continuation(handler_call_details)
        if handler is None or handler_call_details.method.startswith(f"/{SERVICE}/"):
            return handler
        pool = self._health if handler_call_details.method.startswith(f"/{HEALTH}/") else self._rest
        form = (handler.request_deserializer, handler.response_serializer)
        if handler.unary_unary:
            return grpc.stream_unary_rpc_method_handler(self._moved(handler.unary_unary, pool), *form)
        if handler.unary_stream:
            return grpc.stream_stream_rpc_method_handler(self._moved(handler.unary_stream, pool), *form)
        if handler.stream_stream:
            return grpc.stream_stream_rpc_method_handler(self._moved(handler.stream_stream, pool, many=True), *form)
        return handler

    def _moved(self, behaviour: Any, pool: ThreadPoolExecutor, *, many: bool = False) -> Any:
        def moved(sent: Iterator[Any], context: grpc.ServicerContext, *rest: Any) -> Any:
            return behaviour(sent if many else self._patience.message(sent, context), context, *rest)

        # The library looks for these names on what it calls.
        marked: Any = moved
        marked.experimental_thread_pool = pool
        if getattr(behaviour, "experimental_non_blocking", False):
            marked.experimental_non_blocking = True
        return marked


# How many writes of a stream are one batch, and how many records of a timeline one page.
BATCH = 256
_AT = tuple(At.__annotations__)

Context = grpc.ServicerContext
Handler = Any


def message_kind(name: str) -> type[Message]:
    """The class of a message of the service."""
    return getattr(foveal_pb2, name)


class Procedures:
    """The procedures of the service. `streams` is how many streams may be open at once."""

    def __init__(self, service: Service, authenticate: Authenticate, *, streams: int, patience: Patience) -> None:
        self._service = service
        self._authenticate = authenticate
        self._streams = BoundedSemaphore(streams)
        self._patience = patience

    def handlers(self) -> dict[str, Handler]:
        """What answers each procedure, by name.

        They take bytes: what is no message must get a status of ours. They wait for the message themselves, once it
        is known who calls: whoever has no key cannot hold a thread by sending nothing.
        """
        found: dict[str, Handler] = {}
        for verb in VERBS.values():
            if verb.rpc is not None:
                found[verb.rpc] = grpc.stream_unary_rpc_method_handler(
                    partial(self._call, call_of(verb.name), verb.rpc)
                )
        write, read, timeline = STREAMS
        found[write.rpc] = grpc.stream_unary_rpc_method_handler(partial(self._write_stream, write))
        for stream, serve in ((read, self._read_stream), (timeline, self._timeline_stream)):
            found[stream.rpc] = grpc.stream_stream_rpc_method_handler(partial(self._streamed, serve, stream))
        return found

    def _streamed(self, serve: Any, stream: Stream, sent: Iterator[bytes], context: Context) -> Iterator[bytes]:
        return self._patience.answers(serve(stream, sent, context), context)

    def _call(self, call: Call, rpc: str, sent: Iterator[bytes], context: Context) -> bytes:
        arrival = Arrival(context, self._authenticate)
        with arrival.answering() as caller:
            given = _given(rpc, call, call.fields, self._patience.message(sent, context))
            once = arrival.once
            if once is not None and call.verb.name == "write":
                # The store keeps the key of a write with the record.
                given.setdefault("idempotency_key", once.key)
                once = None
            return _packed(rpc, call.answer, self._answer(call.verb.name, given, caller, arrival, once))
        raise AssertionError("a call that failed was ended")

    def _write_stream(self, stream: Stream, sent: Iterator[bytes], context: Context) -> bytes:
        arrival = Arrival(context, self._authenticate)
        with arrival.answering() as caller, self._open():
            call, fields = call_of(stream.verb), stream_fields(stream)
            told = (_given(stream.rpc, call, fields, data) for data in self._patience.messages(sent, context))
            return _packed(stream.rpc, stream_answer(stream), self._write(told, arrival, caller))
        raise AssertionError("a call that failed was ended")

    def _write(self, told: Iterator[dict[str, Any]], arrival: Arrival, caller: Caller) -> Written:
        done = Written(ids=(), addresses=(), encoder="")
        count = 0
        try:
            for batch in _batches(told):
                at = {name: batch[0][name] for name in _AT if name in batch[0]}
                items = [{name: one for name, one in item.items() if name not in _AT} for item in batch]
                written = self._answer("write_many", {"items": items, **at}, caller, arrival)
                done = _joined(done, written, count)
                count += len(batch)
        except FovealError as error:
            # What the store acknowledged stays: say how far it got.
            error.data.setdefault("taken", count)
            raise
        return done

    def _read_stream(self, stream: Stream, sent: Iterator[bytes], context: Context) -> Iterator[bytes]:
        arrival = Arrival(context, self._authenticate)
        with arrival.answering() as caller, self._open():
            call, fields = call_of(stream.verb), stream_fields(stream)
            for data in self._patience.messages(sent, context):
                found = self._answer(stream.verb, _given(stream.rpc, call, fields, data), caller, arrival)
                yield _packed(stream.rpc, stream_answer(stream), found)

    def _timeline_stream(self, stream: Stream, sent: Iterator[bytes], context: Context) -> Iterator[bytes]:
        arrival = Arrival(context, self._authenticate)
        with arrival.answering() as caller, self._open():
            data = self._patience.message(sent, context)
            given = _given(stream.rpc, call_of(stream.verb), stream_fields(stream), data)
            left, cursor = given.pop("limit", None), {}
            while True:
                size = BATCH if left is None else min(BATCH, left)
                page: Page = self._answer("page", {**given, **cursor, "limit": size}, caller, arrival)
                for record in page.records:
                    yield _packed(stream.rpc, stream_answer(stream), record)
                left = None if left is None else left - len(page.records)
                if page.cursor is None or left == 0:
                    return
                cursor = {"cursor": page.cursor}

    def _answer(
        self, verb: str, given: Mapping[str, Any], caller: Caller, arrival: Arrival, once: RequestKey | None = None
    ) -> Any:
        arrival.in_time()
        return self._service.answer(verb, given, caller, door="grpc", request_id=arrival.request_id, once=once)

    def _open(self) -> _Place:
        return _Place(self._streams)


class _Place:
    """A place for one open stream: each holds a thread, and some must be left for calls."""

    def __init__(self, places: BoundedSemaphore) -> None:
        self._places = places

    def __enter__(self) -> None:
        if not self._places.acquire(blocking=False):
            raise RateLimited("too many streams are open here: end one, or try again later")

    def __exit__(self, *_: object) -> None:
        self._places.release()


def _given(rpc: str, call: Call, fields: tuple[Field, ...], data: bytes) -> dict[str, Any]:
    return unpacked_request(parsed(message_kind(f"{rpc}Request"), data), call, fields)


def _packed(rpc: str, answer: Shape | None, value: Any) -> bytes:
    message = message_kind(f"{rpc}Response")()
    pack_answer(message, answer, value)
    return message.SerializeToString()


def _batches(told: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Writes in their order, those of one viewpoint together."""
    batch: list[dict[str, Any]] = []
    for one in told:
        if batch and (len(batch) == BATCH or _at(one) != _at(batch[0])):
            yield batch
            batch = []
        batch.append(one)
    if batch:
        yield batch


def _at(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: given.get(name) for name in _AT}


def _joined(first: Written, then: Written, before: int) -> Written:
    lists = [name for name in Written.__struct_fields__ if name not in ("encoder", "rejected")]
    moved = tuple(type(one)(index=one.index + before, code=one.code, message=one.message) for one in then.rejected)
    return Written(
        encoder=then.encoder,
        rejected=first.rejected + moved,
        **{name: getattr(first, name) + getattr(then, name) for name in lists},
    )
