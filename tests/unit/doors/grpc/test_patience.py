"""Nobody keeps a thread of the server for long: late, silent and stuck callers are let go."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any, cast

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from foveal import Memory
from foveal.doors.grpc import GrpcRemote
from foveal.doors.service import Authenticator
from foveal.errors import RateLimited, TimedOut
from foveal.model.server import Serving
from foveal.wire import foveal_pb2
from foveal.wire.foveal_pb2_grpc import MemoryServiceStub
from foveal.wire.messages import SERVICE

from .conftest import Gate, Served

AT = {"actor_id": "ada"}


def test_a_call_whose_deadline_passed_is_not_begun(memory: Memory) -> None:
    gate = Gate()
    served = Served(memory, threads=1, authenticate=gate)
    with ThreadPoolExecutor(1) as pool, GrpcRemote(served.server.address, timeout=timedelta(seconds=0.1)) as hasty:
        first = pool.submit(served.remote.call, "write", {**AT, "text": "in time"})
        assert gate.entered.wait(240)
        with pytest.raises(TimedOut):
            hasty.call("write", {**AT, "text": "late"})
        gate.opened.set()
        first.result(240)
    assert [one.text for one in served.remote.call("timeline", AT)] == ["in time"]
    served.close()


def test_a_call_that_waited_too_long_for_its_turn_is_not_begun(memory: Memory) -> None:
    gate = Gate()
    served = Served(memory, authenticate=gate)
    with GrpcRemote(served.server.address, timeout=timedelta(seconds=0.1)) as hasty:
        with pytest.raises(TimedOut):
            hasty.call("write", {**AT, "text": "held at the door"})
        # The server hears on one line, in order, that the caller went away and then what is asked next.
        line = hasty._channel  # pyright: ignore[reportPrivateUsage]
        cast(Any, health_pb2_grpc.HealthStub(line)).Check(health_pb2.HealthCheckRequest())
    gate.opened.set()
    served.close()
    assert memory.stats(actor_id="ada").records == 0


def test_open_streams_leave_room_for_calls(memory: Memory) -> None:
    served = Served(memory, threads=2)
    wait = threading.Event()

    def questions() -> Iterator[dict[str, Any]]:
        yield {**AT, "query": "first?"}
        assert wait.wait(240)

    stream = served.remote.read_stream(questions())
    next(stream)
    with pytest.raises(RateLimited):
        served.remote.write_stream([])
    assert served.remote.call("stats", AT).records == 0
    wait.set()
    assert list(stream) == []
    assert _place_is_free(served)
    served.close()


def test_who_leaves_in_the_middle_of_a_stream_is_no_fault(
    served: Served, channel: grpc.Channel, caplog: pytest.LogCaptureFixture
) -> None:
    stub = cast(Any, MemoryServiceStub(channel))
    left = threading.Event()

    def questions() -> Iterator[Any]:
        yield foveal_pb2.ReadStreamRequest(actor_id="ada", query="first?")
        assert left.wait(240)

    answers = stub.ReadStream(questions())
    next(answers)
    answers.cancel()
    left.set()
    served.close()
    assert caplog.text == ""


def _never(asked: threading.Event, ended: threading.Event) -> Iterator[bytes]:
    asked.set()
    assert ended.wait(240)
    yield b""


def test_who_sends_nothing_keeps_no_thread(memory: Memory) -> None:
    served = Served(memory, threads=1)
    asked, ended = threading.Event(), threading.Event()
    with grpc.insecure_channel(f"127.0.0.1:{served.server.port}") as channel:
        for method in (f"/{SERVICE}/Stats", "/grpc.health.v1.Health/Check"):
            slow = channel.stream_unary(method, bytes, bytes).future(_never(asked, ended))
            assert asked.wait(240)
            while not slow.done():
                served.server.patience.tick()
            assert slow.code() is grpc.StatusCode.CANCELLED
        assert served.remote.call("stats", AT).records == 0
    ended.set()
    served.close()


def test_who_has_no_key_is_not_waited_for(memory: Memory) -> None:
    served = Served(memory, authenticate=Authenticator(memory.keys, Serving(auth="keys")).caller)
    asked, ended = threading.Event(), threading.Event()
    with grpc.insecure_channel(f"127.0.0.1:{served.server.port}") as channel:
        slow = channel.stream_unary(f"/{SERVICE}/Stats", bytes, bytes).future(_never(asked, ended))
        assert slow.code() is grpc.StatusCode.UNAUTHENTICATED
    ended.set()
    served.close()


def test_a_stream_on_which_nothing_comes_is_ended(memory: Memory) -> None:
    served = Served(memory, threads=2)
    sent, ended = threading.Event(), threading.Event()

    def one_and_no_more() -> Iterator[bytes]:
        yield foveal_pb2.WriteStreamRequest(actor_id="ada", text="the first").SerializeToString()
        sent.set()
        assert ended.wait(240)

    with grpc.insecure_channel(f"127.0.0.1:{served.server.port}") as channel:
        stuck = channel.stream_unary(f"/{SERVICE}/WriteStream", bytes, bytes).future(one_and_no_more())
        assert sent.wait(240)
        while not stuck.done():
            served.server.patience.tick()
        assert stuck.code() is grpc.StatusCode.CANCELLED
    ended.set()
    assert _place_is_free(served)
    served.close()


def test_a_stream_that_nobody_takes_is_ended(memory: Memory) -> None:
    memory.write_many([f"{number} " + "a long note " * 2_000 for number in range(200)], actor_id="ada")
    served = Served(memory, threads=2)
    with grpc.insecure_channel(f"127.0.0.1:{served.server.port}") as channel:
        stub = cast(Any, MemoryServiceStub(channel))
        stuck = stub.TimelineStream(foveal_pb2.TimelineStreamRequest(actor_id="ada"))
        next(stuck)
        while not served.server.patience.tick():
            # Until the server cannot send more, it is not waited for.
            assert stuck.is_active()
        with pytest.raises(grpc.RpcError) as caught:
            list(stuck)
        assert cast(Any, caught.value).code() is grpc.StatusCode.CANCELLED
    assert _place_is_free(served)
    served.close()


def test_a_stream_that_moves_is_not_ended(memory: Memory) -> None:
    served = Served(memory)
    # The next question comes after the answer to the last one, so that no more than one waits.
    answered = threading.Semaphore(1)

    def questions() -> Iterator[dict[str, Any]]:
        for _ in range(5):
            answered.acquire()
            for _ in range(50):
                served.server.patience.tick()
            yield {**AT, "query": "and now?"}

    count = 0
    for _ in served.remote.read_stream(questions()):
        count += 1
        answered.release()
    assert count == 5
    served.close()


def _place_is_free(served: Served) -> bool:
    """Whether a stream can be opened, once the last one has left: with two threads there is place for one."""
    while True:
        try:
            return served.remote.write_stream([]).ids == ()
        except RateLimited:
            continue
