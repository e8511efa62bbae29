"""Work that nobody waits for stops, and a server that is told to stop ends in time, whatever it is doing."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import httpx2
import psutil
import pytest
from starlette.testclient import TestClient
from tests.stories.processes import Process
from tests.stories.waiting import MOST, until

from foveal import Memory
from foveal.doors.grpc import GrpcRemote, GrpcServer
from foveal.doors.http import create_app
from foveal.doors.service import ANYONE, Service
from foveal.doors.service.service import ServiceCall
from foveal.engine.records.write import BATCH
from foveal.errors import FovealError, TimedOut
from foveal.model.query import At
from foveal.model.server import Serving
from foveal.ports.waiting import abandoned_by, require_wanted

ADA: At = {"actor_id": "ada"}


class Delay:
    """Holds a call in its thread until its caller has given up, and keeps the error that it ends with."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self._ended = threading.Event()
        self._error: FovealError | None = None

    @contextmanager
    def __call__(self, _: ServiceCall) -> Generator[None]:
        self.entered.set()
        until(_abandoned)
        try:
            yield
        except FovealError as error:
            self._error = error
            raise
        finally:
            self._ended.set()

    def error(self) -> FovealError | None:
        """The error that the call ended with, which nobody heard."""
        assert self._ended.wait(MOST)
        return self._error


def _abandoned() -> bool:
    try:
        require_wanted()
    except TimedOut:
        return True
    return False


@pytest.fixture
def memory() -> Generator[Memory]:
    with Memory(":memory:") as memory:
        memory.write("Ada prefers tea.", actor_id="ada", id="first")
        yield memory


def test_a_read_stops_when_its_caller_has_given_up(memory: Memory) -> None:
    given_up = threading.Event()
    with abandoned_by(given_up):
        assert memory.read("What does Ada drink?", actor_id="ada").items
        given_up.set()
        with pytest.raises(TimedOut):
            memory.read("What does Ada drink?", actor_id="ada")
    assert memory.read("What does Ada drink?", actor_id="ada").items


WORK: dict[str, Callable[[Memory, Path], object]] = {
    "write": lambda memory, _: memory.write("Ada likes tea.", **ADA),
    "write_many": lambda memory, _: memory.write_many(["Ada likes tea.", "Ada likes coffee."], **ADA),
    "supersede": lambda memory, _: memory.supersede("first", "Ada prefers coffee.", **ADA),
    "search": lambda memory, _: memory.search("What does Ada drink?", **ADA),
    "assemble_context": lambda memory, _: memory.assemble_context("make a drink for Ada", **ADA),
    "export": lambda memory, folder: memory.admin.export(folder / "ada.jsonl", **ADA),
    "import": lambda memory, folder: memory.admin.import_(folder / "other.jsonl", **ADA),
}


@pytest.mark.parametrize("name", WORK)
def test_work_stops_before_it_changes_anything_when_its_caller_has_given_up(
    memory: Memory, tmp_path: Path, name: str
) -> None:
    memory.write("Ben drinks milk.", actor_id="ben")
    memory.admin.export(tmp_path / "other.jsonl", actor_id="ben")
    given_up = threading.Event()
    given_up.set()
    before = memory.timeline(**ADA)
    with abandoned_by(given_up), pytest.raises(TimedOut):
        WORK[name](memory, tmp_path)
    assert memory.timeline(**ADA) == before
    assert [file.name for file in tmp_path.iterdir()] == ["other.jsonl"]
    assert WORK[name](memory, tmp_path), "it works for somebody who waits"


def test_a_long_text_stops_between_two_calls_of_the_encoder() -> None:
    given_up, calls = threading.Event(), 0

    def embed(texts: Sequence[str]) -> list[list[float]]:
        nonlocal calls
        calls += 1
        given_up.set()
        return [[1.0, float(len(text))] for text in texts]

    with Memory(":memory:", embedder=embed) as memory, abandoned_by(given_up):
        with pytest.raises(TimedOut):
            memory.write("A sentence that is repeated often. " * 20_000, **ADA)
    assert calls == 1


def test_a_batch_that_has_stored_something_is_stored_to_its_end(memory: Memory) -> None:
    given_up, count = threading.Event(), 2 * BATCH + 5

    def items() -> Generator[str]:
        for number in range(count):
            if number == BATCH + 1:
                given_up.set()
            yield f"note {number}"

    with abandoned_by(given_up):
        assert len(memory.write_many(items(), **ADA).ids) == count
    assert memory.stats(**ADA).records == count + 1


def test_a_read_over_http_stops_when_the_request_has_timed_out(memory: Memory) -> None:
    delay = Delay()
    serving = Serving(hosts=("testserver",), request_timeout=0.2)
    app = create_app(Service(memory, watches=[delay]), authenticate=lambda _: ANYONE, serving=serving)
    with TestClient(app) as http:
        # A slow machine may not even begin in time.
        while not delay.entered.is_set():
            assert http.post("/v1/read", json={**ADA, "query": "tea"}).status_code == 504
        assert isinstance(delay.error(), TimedOut)


def test_a_read_over_grpc_stops_when_its_deadline_has_passed(memory: Memory) -> None:
    delay = Delay()
    with (
        GrpcServer(Service(memory, watches=[delay]), port=0) as server,
        GrpcRemote(server.address, timeout=timedelta(milliseconds=200)) as remote,
    ):
        while not delay.entered.is_set():
            with pytest.raises(TimedOut):
                remote.call("read", {**ADA, "query": "tea"})
        assert isinstance(delay.error(), TimedOut)


def test_a_server_that_computes_ends_in_time_when_it_is_told_to_stop(tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    # Words of the greatest length, each in a record of its own: counting their tokens cannot be interrupted.
    records = 2
    with Memory(file) as memory:
        for first in range(records):
            memory.write(
                "".join(chr(0x4E00 + n * 7919 % (20_000 - first)) for n in range(1_000_000)), actor_id="ada"
            )
    process = Process(str(file))
    server = psutil.Process(process.pid)
    asked = {**ADA, "query": "一", "token_budget": 10_000_000, "policy": "recent"}

    def ask() -> None:
        # The server may end before it answers.
        try:
            httpx2.post(f"{process.url}/v1/read", json=asked, timeout=MOST)
        except httpx2.TransportError:
            pass

    with ThreadPoolExecutor(4) as pool:
        busy = server.cpu_times().user
        for _ in range(4):
            pool.submit(ask)
        until(lambda: server.cpu_times().user > busy + 3)
        told_at = time.monotonic()
        process.end()
        assert time.monotonic() - told_at < 20
    with Memory(file) as memory:
        assert memory.stats(actor_id="ada").records == records
