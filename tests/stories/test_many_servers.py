"""Several servers are one memory: what is written at one is read and heard at the others."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.stories.waiting import MOST, until

from foveal.testing.servers import Valkey, free_port

pytestmark = pytest.mark.server

ADA = {"actor_id": "ada"}
PATIENT = str(Path(__file__).with_name("patient.py"))


@pytest.fixture
def own() -> Iterator[Valkey]:
    """A Redis server to break."""
    with Valkey() as running:
        yield running


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "m.db") if request.param == "sqlite" else request.getfixturevalue("database")


class Process:
    """`foveal serve` in a process of its own."""

    def __init__(self, url: str, redis: Valkey) -> None:
        self.port = free_port()
        command = [sys.executable, PATIENT, "serve", "--url", url, "--grpc-port", "0"]
        said = {"FOVEAL_REDIS": redis.url, "FOVEAL_LOGGING": '{"level": "error"}'}
        self._process = subprocess.Popen(
            [*command, "--port", str(self.port)], stdout=subprocess.DEVNULL, env={**os.environ, **said}
        )

    def client(self) -> httpx2.Client:
        """Who asks it, once it listens."""
        until(self._listens, lambda: "the server did not start")
        return httpx2.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=MOST)

    def _listens(self) -> bool:
        assert self._process.poll() is None, "the server ended"
        with socket.socket() as asking:
            return asking.connect_ex(("127.0.0.1", self.port)) == 0

    def end(self) -> None:
        """Tell it to stop, and see that it does so in peace."""
        self._process.send_signal(signal.SIGTERM)
        self._process.communicate(timeout=MOST)
        assert self._process.returncode == 0


@pytest.fixture
def two(url: str, own: Valkey) -> Iterator[tuple[httpx2.Client, httpx2.Client]]:
    with ExitStack() as closing:
        processes = [Process(url, own) for _ in range(2)]
        for process in processes:
            closing.callback(process.end)
        one, other = (closing.enter_context(process.client()) for process in processes)
        yield one, other


def write(client: httpx2.Client, text: str) -> str:
    return client.post("/v1/records", json={**ADA, "text": text}).raise_for_status().json()["ids"][0]


@contextmanager
def listening(client: httpx2.Client, after: str | None = None) -> Generator[Iterator[dict[str, Any]]]:
    """The notices of writes that a server tells."""
    asked = {"kinds": "memory.write", **({} if after is None else {"after": after})}
    with client.stream("GET", "/v1/stream", params=asked) as answer:
        lines = answer.iter_lines()
        assert next(lines) == ": listening"

        def notices() -> Iterator[dict[str, Any]]:
            for line in lines:
                if line.startswith("data:"):
                    yield json.loads(line.removeprefix("data:"))

        yield notices()


def bus_of(client: httpx2.Client) -> str:
    parts = client.get("/api/memory/health").json()["components"]
    return next(one["state"] for one in parts if one["name"] == "bus")


def wait_for(client: httpx2.Client, state: str) -> None:
    until(lambda: bus_of(client) == state, lambda: f"the bus did not become {state}")


def test_what_is_written_at_one_server_is_read_and_heard_at_the_other(
    two: tuple[httpx2.Client, httpx2.Client],
) -> None:
    one, other = two
    told: list[dict[str, Any]] = []
    with listening(other) as heard:
        for number in range(10):
            known = write(one, f"Note {number} is about harbours.")
            found = other.get(f"/v1/records/{known}", params=ADA)
            assert found.json()["text"] == f"Note {number} is about harbours."
            told.append(next(heard))
            assert (told[-1]["kind"], told[-1]["ids"]) == ("memory.write", [known])
    with listening(one, told[4]["id"]) as again:
        assert [next(again) for _ in range(5)] == told[5:], "who changes servers goes on where it was"


def test_redis_killed_and_restarted_under_two_servers_costs_no_write_and_no_hand(
    two: tuple[httpx2.Client, httpx2.Client], own: Valkey
) -> None:
    one, other = two
    with listening(other) as heard:
        first = write(one, "before")
        assert next(heard)["ids"] == [first]
        own.kill()
        known = [write(one, f"away {number}") for number in range(20)]
        for text in known:
            assert other.get(f"/v1/records/{text}", params=ADA).status_code == 200
        wait_for(one, "degraded")
        assert one.get("/readyz").status_code == 200
        own.start()
        wait_for(one, "ok")
        wait_for(other, "ok")
        known.append(write(one, "after"))
        got: list[str] = []
        while len(got) < len(known):
            notice = next(heard)
            got += notice.get("ids", [])
        assert got == known
    stats = other.get("/v1/stats", params=ADA).json()
    assert stats["records"] == 22
