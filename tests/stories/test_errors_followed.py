"""The errors of a server are followed from elsewhere, also over its restart."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from foveal import Memory, Settings
from foveal.doors.server import Server
from foveal.doors.service import Keys
from foveal.engine.runtime.notices import Notifier
from foveal.errors import ModelUnavailable, NotFound, StorageFull
from foveal.model.server import Serving
from foveal.ports.system import SystemClock
from foveal.testing.servers import free_port

ERRORS = [sys.executable, "-m", "foveal.doors.cli", "errors", "--json", "--url"]


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(tmp_path / "memory.db")


@pytest.fixture
def port() -> int:
    return free_port()


def _server(file: str, port: int) -> Server:
    return Server(
        Settings(second_look="off", server=Serving(port=port, auth="keys")), url=file, grpc=False, worker=False
    )


def _told(server: Server, error: Exception) -> None:
    Notifier(server.memory.bus, SystemClock()).fault("encoder", error)


class Following:
    """`foveal errors --follow` in a process of its own."""

    def __init__(self, port: int, key: str) -> None:
        self._process = subprocess.Popen(
            [*ERRORS, f"http://127.0.0.1:{port}", "--follow"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "FOVEAL_API_KEY": key},
        )

    def next(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def end(self) -> None:
        self._process.kill()
        self._process.communicate()


@pytest.fixture
def key(file: str) -> str:
    with Memory(file) as memory:
        return Keys(memory.keys).add("operator", rights=["read", "admin"]).token


@pytest.fixture
def following(port: int, key: str) -> Iterator[Following]:
    running = Following(port, key)
    yield running
    running.end()


def test_errors_are_followed_over_a_restart(file: str, port: int, following: Following) -> None:
    with _server(file, port) as server:
        _told(server, ModelUnavailable("the first"))
        _told(server, NotFound("a caller's mistake"))
        first = following.next()
        assert (first["kind"], first["fault"]["code"]) == ("error", "model_unavailable")
        _told(server, StorageFull("the second"))
        assert following.next()["fault"]["code"] == "storage_full"
    with _server(file, port) as server:
        _told(server, StorageFull("the third"))
        assert following.next()["kind"] == "gap", "nobody knows what was told before the restart"
        third = following.next()
        assert third["fault"]["code"] == "storage_full"
        assert third["id"] > first["id"]


def test_what_a_server_still_knows_is_shown_at_once(file: str, port: int, key: str) -> None:
    with _server(file, port) as server:
        for number in range(3):
            _told(server, StorageFull(f"number {number}"))
        command = [*ERRORS, server.url, "--limit", "2"]
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, env={**os.environ, "FOVEAL_API_KEY": key}
        )
        assert [one["fault"]["code"] for one in json.loads(done.stdout)] == ["storage_full"] * 2
        wrong = subprocess.run(command, capture_output=True, text=True, check=False)
        assert wrong.returncode != 0 and "key" in wrong.stderr
