"""What each procedure does: reads a request, asks the service, packs the answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from threading import BoundedSemaphore
from typing import Any

import grpc
from google.protobuf.message import Message

from foveal.doors.grpc.arrival import Arrival, Authenticate
from foveal.doors.grpc.packing import pack_answer
from foveal.doors.grpc.patience import Patience
from foveal.doors.grpc.unpacking import parsed, unpacked_request
from foveal.doors.service import Caller, Once, Service
from foveal.errors import FovealError, RateLimited
from foveal.model.query import At
from foveal.model.results import Page, Written
from foveal.wire import foveal_pb2
from foveal.wire.calls import Call, call_of
from foveal.wire.messages import STREAMS, Stream, stream_answer, stream_fields
from foveal.wire.shapes import Field, Shape
from foveal.wire.verbs import VERBS

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
        self, verb: str, given: Mapping[str, Any], caller: Caller, arrival: Arrival, once: Once | None = None
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
