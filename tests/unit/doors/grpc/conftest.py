"""A server on a port of its own, and what it was asked."""

import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import grpc
import pytest

from foveal import Memory
from foveal.doors.grpc import GrpcRemote, GrpcServer
from foveal.doors.service import Caller, Service, ServiceCall


class Served:
    """A memory, the server before it, a remote, and the last call that the service saw."""

    def __init__(self, memory: Memory, **options: Any) -> None:
        self.memory = memory
        self.seen: list[ServiceCall] = []
        self.raises: Exception | None = None
        self.server = GrpcServer(Service(memory, watches=[self._watch]), port=0, **options).start()
        self.remote = GrpcRemote(self.server.address)

    @contextmanager
    def _watch(self, asked: ServiceCall) -> Generator[None]:
        self.seen.append(asked)
        if self.raises is not None:
            raise self.raises
        yield

    def asked(self, verb: str, **said: Any) -> Any:
        """What a verb answers to ada through the door, checked against what the method itself answered."""
        answer = self.remote.call(verb, {"actor_id": "ada", **said})
        assert answer == self.seen[-1].answer
        assert (self.seen[-1].door, type(answer)) == ("grpc", type(self.seen[-1].answer))
        return answer

    def close(self) -> None:
        self.remote.close()
        self.server.stop()


class Gate:
    """An identity check that holds calls back until it is opened."""

    def __init__(self) -> None:
        self.entered, self.opened = threading.Event(), threading.Event()

    def __call__(self, token: str | None) -> Caller:
        self.entered.set()
        assert self.opened.wait(240)
        return Caller(name="anyone")


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(":memory:") as memory:
        yield memory


@pytest.fixture
def served(memory: Memory) -> Iterator[Served]:
    served = Served(memory)
    yield served
    served.close()


@pytest.fixture
def channel(served: Served) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(f"127.0.0.1:{served.server.port}") as channel:
        yield channel
