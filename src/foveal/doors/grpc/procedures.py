"""The procedures of the gRPC service: authentication, deadlines, streams and their time limits."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from threading import Event
from typing import Any
from uuid import uuid4

import grpc
from google.protobuf.message import Message
from grpc_health.v1.health import SERVICE_NAME as HEALTH
from grpc_status import rpc_status

from foveal.doors.grpc.codec import pack_answer, parsed, status, unpacked_request
from foveal.doors.service import Caller, RequestKey, Service
from foveal.doors.service.stream_slots import StreamSlots
from foveal.errors import FovealError, Invalid, TimedOut
from foveal.model.query import At
from foveal.model.results import Page, Written
from foveal.ports.waiting import Lend, abandoned_by, lending
from foveal.wire import foveal_pb2
from foveal.wire.calls import Call, call_of
from foveal.wire.messages import SERVICE, STREAMS, Stream, stream_answer, stream_fields
from foveal.wire.shapes import Field, Shape
from foveal.wire.verbs import VERBS

# Maps the `authorization` metadata to a caller: `Authenticator.caller`, or a function of your own.
Authenticate = Callable[[str | None], Caller]
LOG = logging.getLogger("foveal.grpc")
REQUEST_ID = "x-request-id"
IDEMPOTENCY_KEY = "idempotency-key"
_ID = re.compile(r"[\x21-\x7e]{1,128}")


class Arrival:
    """An incoming call. An error raised inside `answering` is sent to the caller as a status."""

    def __init__(
        self, context: grpc.ServicerContext, authenticate: Authenticate, recheck: Authenticate | None = None
    ) -> None:
        self._context = context
        self._authenticate = authenticate
        self._recheck = recheck
        self._metadata = dict(context.invocation_metadata())
        authorization = self._metadata.get("authorization")
        self._authorization = None if authorization is None else str(authorization)
        requested_id = str(self._metadata.get(REQUEST_ID, ""))
        self.request_id = requested_id if _ID.fullmatch(requested_id) else uuid4().hex

    @contextmanager
    def answering(self) -> Generator[Caller]:
        """The caller, if it is authenticated and the deadline has not passed."""
        self._context.set_trailing_metadata(((REQUEST_ID, self.request_id),))
        try:
            self.in_time()
            yield self._authenticate(self._authorization)
        except FovealError as error:
            self._end(error)
        except grpc.RpcError:
            # The caller went away in the middle of a stream: nobody is left to answer.
            raise
        except Exception:
            # The door boundary: an internal error is logged, and the caller learns only that it happened.
            LOG.exception("a call failed", extra={"request_id": self.request_id})
            self._end(FovealError("an internal error occurred: the log of the server has the request id"))

    def callers(self, first: Caller) -> Iterator[Caller]:
        """The caller for each call that a stream makes; from the second on, it is counted as a request."""
        self.require_still()
        yield first
        while True:
            yield self._authenticate(self._authorization)

    def require_still(self) -> None:
        """Raise `Unauthenticated` if the key was revoked or expired since the stream was opened.

        Without a function that checks without counting, only the pages of a stream are checked.
        """
        if self._recheck is not None:
            self._recheck(self._authorization)

    @property
    def once(self) -> RequestKey | None:
        """The idempotency key of the call, if it has one."""
        key = self._metadata.get(IDEMPOTENCY_KEY)
        return None if key is None else RequestKey(key=str(key))

    @contextmanager
    def abandonable(self) -> Generator[None]:
        """Work inside stops when the call ends before it: at its deadline, or because the caller or server did."""
        over = Event()
        if not self._context.add_callback(over.set):
            over.set()
        with abandoned_by(over):
            yield

    def in_time(self) -> None:
        """Raise `TimedOut` if the deadline has passed or the caller went away."""
        if not self._context.is_active() or self._context.time_remaining() <= 0:
            raise TimedOut("the deadline passed before the call started")

    def _end(self, error: FovealError) -> None:
        self._context.abort_with_status(rpc_status.to_status(status(error, self.request_id)))


# How many seconds a call may take to send its message.
PATIENCE = 10
# How many seconds an open stream may be idle: no message is sent, or none is taken.
IDLE = 60


class Patience:
    """Ends idle calls and streams, since each holds one of few threads."""

    def __init__(self, seconds: int = PATIENCE, idle: int = IDLE) -> None:
        self._seconds = seconds
        self._idle = idle
        self._lock = threading.Lock()
        self._left: dict[grpc.ServicerContext, int] = {}
        self._ended = threading.Event()
        self._watcher = threading.Thread(target=self._watching, name="foveal-grpc-patience", daemon=True)

    def start(self) -> None:
        """Start watching."""
        self._watcher.start()

    def stop(self) -> None:
        """Stop watching."""
        self._ended.set()

    def message(self, sent: Iterator[Any], context: grpc.ServicerContext) -> Any:
        """The single message of a call, once it arrives."""
        with self._waiting(context, self._seconds):
            message = next(sent, None)
        if message is None:
            raise Invalid("the call has no message")
        return message

    def messages(self, sent: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        """The messages of a stream, as they arrive."""
        while True:
            with self._waiting(context, self._idle):
                message = next(sent, None)
            if message is None:
                return
            yield message

    def answers(self, told: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        """The answers of a stream, as the caller takes them."""
        for answer in told:
            # The library asks for the next answer only when it has room, that is, when the caller takes answers.
            with self._waiting(context, self._idle):
                yield answer

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
        """Count down one second and end the calls whose time is up. Returns whether there were any."""
        with self._lock:
            self._left = {call: left - 1 for call, left in self._left.items()}
            late = [call for call, left in self._left.items() if left <= 0]
        for call in late:
            call.cancel()
        return bool(late)


class Beside(grpc.ServerInterceptor):
    """Runs health checks and reflection, which need no key, in thread pools of their own, apart from the verbs."""

    def __init__(self, health: ThreadPoolExecutor, rest: ThreadPoolExecutor, patience: Patience) -> None:
        self._health = health
        self._rest = rest
        self._patience = patience

    def intercept_service(self, continuation: Callable[..., Any], handler_call_details: Any) -> Any:
        """The handler of a call, moved to another pool if it is not for the memory service."""
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

        # The library reads these attributes of a handler.
        marked: Any = moved
        marked.experimental_thread_pool = pool
        if getattr(behaviour, "experimental_non_blocking", False):
            marked.experimental_non_blocking = True
        return marked


# The writes of a stream in one batch, and the records of a timeline in one page.
BATCH = 256
_AT = tuple(At.__annotations__)

Context = grpc.ServicerContext
Handler = Any


def message_kind(name: str) -> type[Message]:
    """The protobuf class of a message of the service."""
    return getattr(foveal_pb2, name)


class Procedures:
    """The procedures of the service. `streams` may be open at once; one key may hold half of them.

    A call that waits for a lock enters what `lend` returns.
    """

    def __init__(
        self,
        service: Service,
        authenticate: Authenticate,
        *,
        recheck: Authenticate | None = None,
        streams: int,
        patience: Patience,
        lend: Lend,
    ) -> None:
        self._service = service
        self._lend = lend
        self._authenticate = authenticate
        self._recheck = recheck
        # Each stream holds a thread, and some threads must be left for calls.
        self._streams = StreamSlots(streams, each=max(1, streams // 2))
        self._patience = patience

    def handlers(self) -> dict[str, Handler]:
        """The handler of each procedure, by name.

        Handlers take bytes, so that a malformed message gets a Foveal status. They wait for the message only after
        authentication, so that a caller without a key cannot hold a thread by sending nothing.
        """
        handlers: dict[str, Handler] = {}
        for verb in VERBS.values():
            if verb.rpc is not None:
                handlers[verb.rpc] = grpc.stream_unary_rpc_method_handler(
                    partial(self._call, call_of(verb.name), verb.rpc)
                )
        write, read, timeline = STREAMS
        handlers[write.rpc] = grpc.stream_unary_rpc_method_handler(partial(self._write_stream, write))
        for stream, serve in ((read, self._read_stream), (timeline, self._timeline_stream)):
            handlers[stream.rpc] = grpc.stream_stream_rpc_method_handler(partial(self._streamed, serve, stream))
        return handlers

    def _streamed(self, serve: Any, stream: Stream, sent: Iterator[bytes], context: Context) -> Iterator[bytes]:
        return self._patience.answers(serve(stream, sent, context), context)

    def _call(self, call: Call, rpc: str, sent: Iterator[bytes], context: Context) -> bytes:
        arrival = Arrival(context, self._authenticate)
        with arrival.answering() as caller:
            arguments = _arguments(rpc, call, call.fields, self._patience.message(sent, context))
            once = arrival.once
            if once is not None and call.verb.name == "write":
                # The store keeps the key of a write with its record.
                arguments.setdefault("idempotency_key", once.key)
                once = None
            with arrival.abandonable():
                answer = self._answer(call.verb.name, arguments, caller, arrival, once)
            return _packed(rpc, call.answer, answer)
        raise AssertionError("a call that failed was ended")

    def _write_stream(self, stream: Stream, sent: Iterator[bytes], context: Context) -> bytes:
        arrival = self._arrival(context)
        with arrival.answering() as caller, self._streams.taken(caller):
            call, fields = call_of(stream.verb), stream_fields(stream)
            items = (_arguments(stream.rpc, call, fields, data) for data in self._patience.messages(sent, context))
            return _packed(stream.rpc, stream_answer(stream), self._write(items, arrival, caller))
        raise AssertionError("a call that failed was ended")

    def _write(self, stream: Iterator[dict[str, Any]], arrival: Arrival, caller: Caller) -> Written:
        done = Written(ids=(), addresses=(), encoder="")
        count = 0
        try:
            for batch, by in zip(_batches(stream), arrival.callers(caller), strict=False):
                at = {name: batch[0][name] for name in _AT if name in batch[0]}
                items = [{name: value for name, value in item.items() if name not in _AT} for item in batch]
                written = self._answer("write_many", {"items": items, **at}, by, arrival)
                done = _joined(done, written, count)
                count += len(batch)
        except FovealError as error:
            # Acknowledged batches stay stored: report how many items were taken.
            error.data.setdefault("taken", count)
            raise
        return done

    def _read_stream(self, stream: Stream, sent: Iterator[bytes], context: Context) -> Iterator[bytes]:
        arrival = self._arrival(context)
        with arrival.answering() as caller, self._streams.taken(caller):
            call, fields = call_of(stream.verb), stream_fields(stream)
            messages = self._patience.messages(sent, context)
            for data, by in zip(messages, arrival.callers(caller), strict=False):
                answer = self._answer(stream.verb, _arguments(stream.rpc, call, fields, data), by, arrival)
                yield _packed(stream.rpc, stream_answer(stream), answer)

    def _timeline_stream(self, stream: Stream, sent: Iterator[bytes], context: Context) -> Iterator[bytes]:
        arrival = self._arrival(context)
        with arrival.answering() as caller, self._streams.taken(caller):
            data = self._patience.message(sent, context)
            arguments = _arguments(stream.rpc, call_of(stream.verb), stream_fields(stream), data)
            left, cursor = arguments.pop("limit", None), {}
            for by in arrival.callers(caller):
                size = BATCH if left is None else min(BATCH, left)
                page: Page = self._answer("page", {**arguments, **cursor, "limit": size}, by, arrival)
                for record in page.records:
                    arrival.require_still()
                    yield _packed(stream.rpc, stream_answer(stream), record)
                left = None if left is None else left - len(page.records)
                if page.cursor is None or left == 0:
                    return
                cursor = {"cursor": page.cursor}

    def _answer(
        self,
        verb: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        arrival: Arrival,
        once: RequestKey | None = None,
    ) -> Any:
        arrival.in_time()
        # Here and not around the thread: the library runs a call in a context of its own.
        with lending(self._lend):
            return self._service.answer(
                verb, arguments, caller, door="grpc", request_id=arrival.request_id, once=once
            )

    def _arrival(self, context: Context) -> Arrival:
        return Arrival(context, self._authenticate, self._recheck)


def _arguments(rpc: str, call: Call, fields: tuple[Field, ...], data: bytes) -> dict[str, Any]:
    return unpacked_request(parsed(message_kind(f"{rpc}Request"), data), call, fields)


def _packed(rpc: str, answer: Shape | None, value: Any) -> bytes:
    message = message_kind(f"{rpc}Response")()
    pack_answer(message, answer, value)
    return message.SerializeToString()


def _batches(items: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Writes in order, in batches of one viewpoint."""
    batch: list[dict[str, Any]] = []
    for item in items:
        if batch and (len(batch) == BATCH or _at(item) != _at(batch[0])):
            yield batch
            batch = []
        batch.append(item)
    if batch:
        yield batch


def _at(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: arguments.get(name) for name in _AT}


def _joined(first: Written, second: Written, before: int) -> Written:
    """Both results as one; `before` is how many items came before those of `second`."""
    lists = [name for name in Written.__struct_fields__ if name not in ("encoder", "rejected")]
    moved = tuple(
        type(item)(index=item.index + before, code=item.code, message=item.message) for item in second.rejected
    )
    return Written(
        encoder=second.encoder,
        rejected=first.rejected + moved,
        **{name: getattr(first, name) + getattr(second, name) for name in lists},
    )
