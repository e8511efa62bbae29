"""A server on a line that can be cut, and a clock to turn."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import httpx2
import msgspec
import pytest

from foveal import Memory
from foveal.config import Settings
from foveal.doors.client.connect import connect
from foveal.doors.client.memory import RemoteMemory
from foveal.doors.client.remote import HttpTransport
from foveal.doors.service import ANYONE, Service
from foveal.errors import FovealError
from foveal.testing import ManualClock
from foveal.wire.calls import call_of
from foveal.wire.codec import to_json
from foveal.wire.problems import MEDIA, problem, status_of
from foveal.wire.routes import asked, route
from foveal.wire.verbs import VERBS

URL = "http://memory.example:8001"


class Line(httpx2.BaseTransport):
    """Answers requests from a memory in this process, unless it is cut or made to answer otherwise.

    `lost` answers get lost after the work was done, as when a server dies between the two.
    """

    def __init__(self, memory: Memory) -> None:
        self._service = Service(memory)
        self._routes = _routes()
        self.cut = False
        self.lost = 0
        self.instead: Callable[[httpx2.Request], httpx2.Response | None] | None = None
        self.requests: list[httpx2.Request] = []
        self.waits: list[timedelta] = []
        self._lock = threading.Lock()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        body = request.read()
        with self._lock:
            self.requests.append(request)
        if self.cut:
            raise httpx2.ConnectError("Connection refused")
        other = self.instead(request) if self.instead is not None else None
        if other is not None:
            return other
        answer = self._answer(request, body)
        with self._lock:
            if self.lost > 0:
                self.lost -= 1
                raise httpx2.RemoteProtocolError("Server disconnected without sending a response.")
        return answer

    def _answer(self, request: httpx2.Request, body: bytes) -> httpx2.Response:
        path = unquote(request.url.raw_path.decode().partition("?")[0])
        for method, pattern, name in self._routes:
            found = pattern.fullmatch(path)
            if method == request.method and found:
                return self._told(request, name, found.groupdict(), body)
        return httpx2.Response(404, content=b"nothing here")

    def _told(self, request: httpx2.Request, name: str, parts: dict[str, str], body: bytes) -> httpx2.Response:
        try:
            said = msgspec.json.decode(body) if body else None
            given = asked(call_of(name), parts, request.url.params.multi_items(), said)
            if name == "write" and "idempotency-key" in request.headers:
                given.setdefault("idempotency_key", request.headers["idempotency-key"])
            value = self._service.answer(name, given, ANYONE)
        except FovealError as error:
            content = msgspec.json.encode(problem(error, "request-1"))
            return httpx2.Response(status_of(type(error)).http, content=content, headers={"Content-Type": MEDIA})
        return (
            httpx2.Response(204)
            if value is None
            else httpx2.Response(200, content=msgspec.json.encode(to_json(value)))
        )


def _routes() -> list[tuple[str, re.Pattern[str], str]]:
    found = [(*route(call_of(name)), name) for name, verb in VERBS.items() if verb.http is not None]
    found.sort(key=lambda one: (-one[1].count("/"), one[1].count("{")))
    return [
        (method, re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+)", re.escape(path)), re.DOTALL), name)
        for method, path, name in found
    ]


@pytest.fixture(autouse=True)
def plain_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing of the machine that runs the tests."""
    for name in list(os.environ):
        if name.startswith("FOVEAL_") or name in ("DATABASE_PATH", "MEMORY_API_URL"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def served(clock: ManualClock) -> Iterator[Memory]:
    """The memory behind the line."""
    with Memory(":memory:", clock=clock, settings=Settings(second_look="off")) as memory:
        yield memory


@pytest.fixture
def line(served: Memory) -> Line:
    return Line(served)


Connect = Callable[..., RemoteMemory]


@pytest.fixture
def connected(line: Line, clock: ManualClock, tmp_path: Path) -> Iterator[Connect]:
    """Connects to the memory behind the line."""
    made: list[RemoteMemory] = []

    def go(**said: Any) -> RemoteMemory:
        carrier = HttpTransport(
            URL, key=said.get("key"), transport=line, wait=line.waits.append, jitter=lambda: 0.5
        )
        given: dict[str, Any] = {"ghost": tmp_path / "ghost", "clock": clock, "carrier": carrier, **said}
        # However slow the machine is, no ghost is shown for that, unless a test wants it.
        given.setdefault("settings", Settings(second_look="off", ghost_after=60))
        made.append(connect(URL, **given))
        return made[-1]

    yield go
    for one in made:
        one.close()
