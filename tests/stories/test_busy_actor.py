"""Calls that wait to write to one memory do not keep others waiting, at any door."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest
from tests.stories.processes import Process
from tests.stories.waiting import MOST, until

from foveal import Memory
from foveal.backends.postgres.gates import MOST_WAITING
from foveal.doors.grpc import GrpcRemote
from foveal.errors import FovealError, StoreUnavailable, TimedOut
from foveal.ports.waiting import abandoned_by
from foveal.testing.servers import free_port

pytestmark = pytest.mark.server

Write = Callable[[str, str], Any]


class Doors:
    """A server, and a way to write through each of its doors."""

    def __init__(self, url: str, closing: ExitStack) -> None:
        port = free_port()
        server = closing.enter_context(Process(url, "--grpc-port", str(port)))
        self._http = closing.enter_context(server.client())
        self._grpc = closing.enter_context(GrpcRemote(f"grpc://127.0.0.1:{port}"))

    def http(self, actor: str, text: str) -> str:
        """Write over HTTP; the code of the error, or nothing."""
        return self._code(self._http.post("/v1/records", json={"actor_id": actor, "text": text}))

    def first_clients(self, actor: str, text: str) -> str:
        """Write at the path of the first clients; the code of the error, or nothing."""
        return self._code(self._http.post("/memory/write", json={"actor_id": actor, "text": text}))

    def grpc(self, actor: str, text: str) -> str:
        """Write over gRPC; the message of the error, or nothing."""
        try:
            self._grpc.call("write", {"actor_id": actor, "text": text})
        except FovealError as error:
            return f"{error.code}: {error.message}"
        return ""

    def read(self, actor: str) -> list[str]:
        """What an actor has, over both doors."""
        asked = {"actor_id": actor, "query": "note"}
        over_http = self._http.post("/v1/read", json=asked).raise_for_status().json()["items"]
        over_grpc = self._grpc.call("read", asked).items
        return [*(item["text"] for item in over_http), *(item.text for item in over_grpc)]

    @staticmethod
    def _code(answer: httpx2.Response) -> str:
        return "" if answer.is_success else f"{answer.json()['code']}: {answer.json()['detail']}"


def _waiting_in(database: str) -> list[Any]:
    """The locks that somebody waits for in the database."""
    with psycopg.connect(database) as looking:
        return looking.execute("select 1 from pg_locks where not granted").fetchall()


def _ended(writers: list[Future[str]]) -> list[str]:
    return [writer.result() for writer in writers if writer.done()]


@pytest.mark.parametrize("count", [6, 30])
def test_an_actor_that_is_not_busy_is_read_and_written_while_the_writers_of_others_wait(
    database: str, count: int
) -> None:
    with ExitStack() as closing:
        doors = Doors(database, closing)
        ways: list[Write] = [doors.http, doors.first_clients, doors.grpc]
        busy = ("ada", "bob")
        for actor in (*busy, "ben"):
            assert doors.http(actor, f"a note of {actor}") == ""
        with psycopg.connect(database) as holder, ThreadPoolExecutor(2 * count) as callers:
            holder.execute("set foveal.every_world to 'on'")
            holder.execute("select number from foveal.organism where actor in ('ada', 'bob') for update")
            writers = [
                callers.submit(ways[number % len(ways)], actor, f"note {number}")
                for number in range(count)
                for actor in busy
            ]
            waiting = min(count, MOST_WAITING + 1) * len(busy)
            until(lambda: len(_waiting_in(database)) == len(busy))
            until(lambda: sum(writer.done() for writer in writers) == len(writers) - waiting)
            for number in range(3):
                for way in ways:
                    assert way("ben", f"note {number} of Ben, {way.__name__}") == ""
                assert doors.read("ben")
            # Nobody had to wait until the others gave up: they were refused at once, or wait still.
            assert all("calls wait to write" in outcome for outcome in _ended(writers))
            holder.rollback()
            outcomes = [writer.result(timeout=MOST) for writer in writers]
        assert outcomes.count("") == waiting


def test_a_memory_file_is_read_while_its_writers_wait_for_another_process(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with ExitStack() as closing:
        doors = Doors(str(path), closing)
        assert doors.http("ben", "a note") == ""
        holder = sqlite3.connect(path, isolation_level=None)
        closing.callback(holder.close)
        with ThreadPoolExecutor(60) as callers:
            holder.execute("begin immediate")
            writers = [callers.submit(way, "ada", "note") for _ in range(30) for way in (doors.http, doors.grpc)]
            for _ in range(3):
                assert doors.read("ben")
            assert not _ended(writers)
            holder.execute("rollback")
            assert {writer.result(timeout=MOST) for writer in writers} == {""}


@contextmanager
def _held(database: str) -> Generator[None]:
    with psycopg.connect(database) as holder:
        holder.execute("set foveal.every_world to 'on'")
        holder.execute("select number from foveal.organism where actor = 'ada' for update")
        yield
        holder.rollback()


def test_a_writer_whose_caller_went_away_stops_waiting(database: str) -> None:
    with Memory(database) as memory, ThreadPoolExecutor(2) as callers:
        memory.write("first", actor_id="ada")
        gone = threading.Event()

        def write(text: str) -> None:
            with abandoned_by(gone):
                memory.write(text, actor_id="ada")

        with _held(database):
            ahead = callers.submit(memory.write, "ahead", actor_id="ada")
            until(lambda: bool(_waiting_in(database)))
            behind = callers.submit(write, "behind")
            gone.set()
            # It may have noticed before it began to wait.
            with pytest.raises((StoreUnavailable, TimedOut)):
                behind.result(timeout=MOST)
            assert not ahead.done()
        ahead.result(timeout=MOST)
        assert {record.text for record in memory.timeline(actor_id="ada")} == {"first", "ahead"}
