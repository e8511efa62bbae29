"""Callers without a key make a server keep nothing, and no request is larger or slower than its limits."""

from __future__ import annotations

import json
import re
import socket
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import Route
from tests.stories.waiting import MOST

from foveal import Settings
from foveal.doors.http.protocol import LARGEST
from foveal.doors.server import Server
from foveal.doors.service import Keys
from foveal.model.server import Serving

SETTINGS = Settings(server=Serving(port=0, grpc_port=0, auth="keys", request_timeout=1.0, body_limit=200_000))
# A one-time ticket is sent in a body: it is the credential.
SESSION = "/memory-console/session"


@dataclass
class Place:
    """A server that gives up soon, its folder for temporary files, and two keys to it."""

    server: Server
    folder: Path
    key: str
    reader: str

    def paths(self) -> list[tuple[str, str]]:
        """Every path that takes a body, with its method."""
        routes = [route for route in self.server.app.router.routes if isinstance(route, Route)]
        named = [
            (method, re.sub(r"{\w+(:path)?}", "x", route.path))
            for route in routes
            for method in route.methods or ()
        ]
        return [*((method, path) for method, path in named if method in ("POST", "PUT", "PATCH")), ("POST", "/mcp")]

    def said(self, *parts: bytes) -> tuple[int, dict[str, str], Any]:
        """The answer to bytes on a connection of their own: its status, headers and problem."""
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=MOST) as connection:
            for part in parts:
                connection.sendall(part)
            answer = b"".join(iter(lambda: connection.recv(65_536), b""))
        head, _, body = answer.partition(b"\r\n\r\n")
        status, *lines = head.decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        return int(status.split()[1]), headers, json.loads(body) if body.startswith(b"{") else {}

    def request(self, method: str, path: str, *headers: str, key: str | None = None, stays: bool = False) -> bytes:
        """The head of a request, whose connection is to be closed unless it `stays`."""
        lines = [f"{method} {path} HTTP/1.1", "Host: localhost", "Accept: application/json, text/event-stream"]
        lines += ["Content-Type: application/json", *headers, *([] if stays else ["Connection: close"])]
        lines += [] if key is None else [f"Authorization: Bearer {key}"]
        return "\r\n".join([*lines, "", ""]).encode()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("spool")
    before, tempfile.tempdir = tempfile.tempdir, str(folder)
    with Server(SETTINGS, url=str(tmp_path_factory.mktemp("limits") / "memory.db")) as server:
        keys = Keys(server.memory.keys)
        writer = keys.add("writer", rights=["read", "write", "admin"], rate=1000)
        yield Place(server, folder, writer.token, keys.add("reader", rights=["read"]).token)
    tempfile.tempdir = before


def test_every_path_asks_for_a_key_before_it_looks_at_the_body(place: Place) -> None:
    assert len(place.paths()) > 60
    for method, path in place.paths():
        if path != SESSION:
            status, _, problem = place.said(place.request(method, path, "Content-Length: 9"), b'{"broken:')
            assert (status, problem.get("code")) == (401, "unauthenticated"), path


def test_every_path_refuses_a_stranger_while_the_body_is_on_its_way(place: Place) -> None:
    for path in ("/v1/records", "/v1/import", "/mcp"):
        head = place.request("POST", path, "Content-Length: 100000000", stays=True)
        status, headers, _ = place.said(head, b"x" * 1000)
        assert (status, headers["connection"]) == (401, "close"), path


@pytest.mark.parametrize("reads", [False, True])
def test_an_import_that_is_not_allowed_leaves_nothing_on_disk(place: Place, reads: bool) -> None:
    before = {*place.folder.iterdir()}
    head = place.request(
        "POST", "/v1/import?actor_id=ada", "Content-Length: 700000", key=place.reader if reads else None
    )
    status, _, problem = place.said(head, b"x" * 700_000)
    assert (status, problem["code"]) == ((403, "forbidden") if reads else (401, "unauthenticated"))
    # Whatever an import spools lies in a folder of its own.
    assert not [path for path in {*place.folder.iterdir()} - before if "import" in path.name]


def test_a_half_sent_body_is_given_up_on_every_path(place: Place) -> None:
    for path in (
        "/v1/records",
        "/v1/import?actor_id=ada",
        "/mcp?actor_id=ada",
        "/api/memory/write",
        "/v1/keys",
        SESSION,
    ):
        head = place.request("POST", path, "Content-Length: 5000", key=place.key, stays=True)
        status, headers, problem = place.said(head, b"{")
        assert (status, problem["code"], headers["connection"]) == (504, "timed_out", "close"), path


@pytest.mark.parametrize("told", [True, False], ids=["with its length", "in chunks"])
def test_a_body_over_the_limit_is_refused_on_every_path(place: Place, told: bool) -> None:
    size = 300_000
    for path in ("/v1/records", "/mcp?actor_id=ada", "/api/memory/write", "/v1/keys", "/api/agent/chat", SESSION):
        length = f"Content-Length: {size}" if told else "Transfer-Encoding: chunked"
        content = b'{"text": "' + b"x" * (size - 10)
        body = content if told else b"%x\r\n%b\r\n0\r\n\r\n" % (len(content), content)
        status, _, problem = place.said(place.request("POST", path, length, key=place.key), body)
        assert (status, problem["code"]) == (413, "too_large"), path


HEADS = {
    "one header": b"GET /livez HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"x" * (16 * LARGEST),
    "many headers": b"GET /livez HTTP/1.1\r\nHost: localhost\r\n" + b"X-Many: yes\r\n" * 80_000,
    "the path": b"GET /livez?" + b"x" * (16 * LARGEST) + b" HTTP/1.1\r\nHost: localhost\r\n",
    "blank lines": b"\r\n" * (8 * LARGEST),
    "a trailer": b"POST /livez HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Late: "
    + b"x" * (16 * LARGEST),
}


@pytest.mark.parametrize("name", HEADS)
def test_a_head_over_its_limit_is_refused_before_it_is_complete(place: Place, name: str) -> None:
    try:
        status, headers, _ = place.said(HEADS[name])
    except ConnectionError:
        return
    assert headers["connection"] == "close" and (status == 431 or name == "a trailer"), name


def test_a_head_within_the_limit_is_served(place: Place) -> None:
    head = place.request("GET", "/livez", "X-Long: " + "x" * (LARGEST // 2))
    assert place.said(head)[0] == 200


def test_a_connection_that_sends_only_blank_lines_after_a_request_is_closed(place: Place) -> None:
    with socket.create_connection(("127.0.0.1", place.server.port), timeout=MOST) as connection:
        connection.sendall(place.request("GET", "/livez", stays=True))
        assert b"200" in connection.recv(65_536)
        connection.sendall(b"\r\n")
        assert b"408" in b"".join(iter(lambda: connection.recv(65_536), b""))
