"""A primary freezes and its replica is promoted: servers go on by themselves, and say whether they can."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import count
from time import monotonic

import httpx2
import psutil
import pytest
from tests.stories.processes import Process
from tests.stories.waiting import until

from foveal import Memory
from foveal.doors.grpc import GrpcRemote
from foveal.errors import FovealError, TimedOut, Unavailable
from foveal.testing.servers import Cluster, free_port

pytestmark = pytest.mark.server

# What docs/how-to/postgres.md promises.
RECOVERED, PROBED, ENDED = 30.0, 2.0, 20.0
WRITERS = 6


def _signal(cluster: Cluster, number: signal.Signals) -> None:
    first = psutil.Process(cluster.pid)
    for process in (first, *first.children(recursive=True)):
        process.send_signal(number)


@contextmanager
def _frozen(cluster: Cluster) -> Generator[None]:
    _signal(cluster, signal.SIGSTOP)
    try:
        yield
    finally:
        _signal(cluster, signal.SIGCONT)


class Writer:
    """Writes one text after another through one door, until it is told to stop."""

    def __init__(self, name: str, write: Callable[[str, str], None], stop: threading.Event) -> None:
        # With the moment at which each write began.
        self.acknowledged: list[tuple[str, float]] = []
        self.failed: list[FovealError] = []
        self.name, self._write, self._stop = name, write, stop

    def run(self) -> None:
        for number in count():
            if self._stop.is_set():
                return
            text, began = f"{self.name}, note {number}", monotonic()
            try:
                self._write(self.name, text)
            except (Unavailable, TimedOut) as error:
                # A closed port is no failure of the database: the server was told to stop.
                self.failed.append(error)
                self._stop.wait(0.1)
            else:
                self.acknowledged.append((text, began))

    def wrote_since(self, moment: float) -> bool:
        return any(began > moment for _, began in self.acknowledged)


class Served:
    """A server process, writers at both of its doors, and somebody who asks whether it is ready."""

    def __init__(self, url: str, closing: ExitStack) -> None:
        port = free_port()
        self.process = Process(url, "--grpc-port", str(port), logging='{"level": "error"}')
        closing.callback(self.process.end)
        self._http = closing.enter_context(self.process.client())
        self._grpc = closing.enter_context(GrpcRemote(f"grpc://127.0.0.1:{port}"))
        self.stop = threading.Event()
        ways = (self._over_http, self._over_grpc)
        self.writers = [
            Writer(f"{way.__name__} {number}", way, self.stop) for way in ways for number in range(WRITERS)
        ]
        self._threads = closing.enter_context(ThreadPoolExecutor(len(self.writers)))
        closing.callback(self.stop.set)
        self.slowest_probe = 0.0

    def start(self) -> None:
        for writer in self.writers:
            self._threads.submit(writer.run)

    def ready(self) -> bool:
        began = monotonic()
        answer = self._http.get("/readyz")
        self.slowest_probe = max(self.slowest_probe, monotonic() - began)
        return answer.status_code == 200

    def writing(self) -> bool:
        """Whether every writer has succeeded from now on, asked until it has."""
        now = monotonic()
        until(lambda: all(writer.wrote_since(now) for writer in self.writers))
        return True

    def _over_http(self, actor: str, text: str) -> None:
        try:
            answer = self._http.post("/v1/records", json={"actor_id": actor, "text": text})
        except httpx2.TransportError as error:
            raise Unavailable(str(error)) from error
        if not answer.is_success:
            assert answer.json()["retry"], answer.text
            raise Unavailable(answer.json()["detail"])

    def _over_grpc(self, actor: str, text: str) -> None:
        self._grpc.call("write", {"actor_id": actor, "text": text})


def test_a_server_goes_on_at_the_promoted_replica_and_ends_in_time_while_a_primary_is_frozen() -> None:
    with ExitStack() as closing:
        primary = closing.enter_context(Cluster())
        primary.create()
        replica = closing.enter_context(primary.replica())
        both = f"postgresql://foveal@/memory_1?host={primary.folder},{replica.folder}"
        served = Served(f"{both}&target_session_attrs=read-write", closing)
        served.start()
        assert served.writing()
        assert served.ready()
        with _frozen(primary):
            # Nobody can write, and the server says so.
            until(lambda: not served.ready())
            replica.promote()
            promoted = monotonic()
            until(lambda: all(writer.wrote_since(promoted) for writer in served.writers))
            assert monotonic() - promoted < RECOVERED
            # Everybody can write, and the server says so.
            until(served.ready)
            assert monotonic() - promoted < RECOVERED
            for _ in range(5):
                assert served.writing()
                assert served.ready()
            with _frozen(replica):
                until(lambda: not served.ready())
                stopped = monotonic()
                served.process.end()
                assert monotonic() - stopped < ENDED
            assert served.slowest_probe < PROBED
            served.stop.set()
            with Memory(replica.url("memory_1")) as memory:
                for writer in served.writers:
                    kept = {record.text for record in memory.timeline(actor_id=writer.name, limit=10_000)}
                    # What the primary stored and the replica never received is lost: replication is asynchronous.
                    assert {text for text, began in writer.acknowledged if began > promoted} <= kept
