"""What is broken, too large or not allowed is refused with the right problem, and a real server stays up."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import grpc
import httpx2
import pytest
from tests.stories.processes import Process
from tests.stories.waiting import MOST

from foveal import Memory
from foveal.doors.grpc import GrpcRemote
from foveal.doors.service import Keys
from foveal.errors import Unauthenticated
from foveal.testing.servers import free_port
from foveal.wire.messages import SERVICE

SERVER = '{"auth": "keys", "body_limit": 20000, "request_timeout": 10.0}'


class Place:
    """A server in a process of its own, a key to it, and one that was revoked."""

    def __init__(self, file: Path) -> None:
        with Memory(file) as memory:
            keys = Keys(memory.keys)
            self.key, revoked = keys.add("ci", rights=["read", "write"]), keys.add("old", rights=["read"])
            keys.revoke(revoked.key.id)
        self.revoked = revoked.token
        self.grpc = free_port()
        self.process = Process(str(file), "--grpc-port", str(self.grpc), server=SERVER)

    def post(self, content: bytes, key: str | None = None) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {key or self.key.token}"}
        return httpx2.post(f"{self.process.url}/v1/records", content=content, headers=headers, timeout=MOST)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    found = Place(tmp_path_factory.mktemp("hostile") / "memory.db")
    with found.process:
        yield found


@pytest.fixture
def place(served: Place) -> Iterator[Place]:
    yield served
    # Whatever was done to it, it still answers who is allowed.
    assert served.post(b'{"actor_id": "ada", "text": "still here"}').status_code == 200


@pytest.mark.parametrize(
    ("content", "status", "code"),
    [
        (b'{"text": ', 422, "invalid"),
        (b"\xff\xfe\x00", 422, "invalid"),
        (b"[" * 10_000, 422, "invalid"),
        (b'["a list"]', 422, "invalid"),
        (b'{"text": "' + b"x" * 30_000 + b'"}', 413, "too_large"),
    ],
)
def test_a_body_that_is_none_is_refused(place: Place, content: bytes, status: int, code: str) -> None:
    answer = place.post(content)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.json()["request_id"] == answer.headers["x-request-id"]


def test_who_has_no_good_key_stays_outside(place: Place) -> None:
    body = b'{"actor_id": "ada", "text": "let me in"}'
    token = place.key.token
    for key in ("nonsense", token[:-1] + ("0" if token[-1] != "0" else "1"), place.revoked):
        answer = place.post(body, key)
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")
        assert answer.headers["www-authenticate"] == "Bearer"
        with GrpcRemote(f"grpc://127.0.0.1:{place.grpc}", key=key) as remote, pytest.raises(Unauthenticated):
            remote.call("stats", {"actor_id": "ada"})


def test_bytes_that_are_no_message_are_refused(place: Place) -> None:
    said = (("authorization", f"Bearer {place.key.token}"),)
    with grpc.insecure_channel(f"127.0.0.1:{place.grpc}") as channel:
        for data, code in (
            (b"\xff\xff\xff\xff", grpc.StatusCode.INVALID_ARGUMENT),
            (b"\x0a\x7fshort", grpc.StatusCode.INVALID_ARGUMENT),
            (b"x" * 30_000, grpc.StatusCode.RESOURCE_EXHAUSTED),
        ):
            with pytest.raises(grpc.RpcError) as caught:
                channel.unary_unary(f"/{SERVICE}/Write", bytes, bytes)(data, metadata=said, timeout=MOST)
            assert cast(Any, caught.value).code() is code


def test_many_who_send_their_head_drop_by_drop_keep_nobody_out(place: Place) -> None:
    slow = [socket.create_connection(("127.0.0.1", place.process.port)) for _ in range(50)]
    for one in slow:
        one.sendall(b"POST /v1/records HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
    assert place.post(b'{"actor_id": "ada", "text": "between them"}').status_code == 200
    for one in slow:
        assert b"408 Request Timeout" in one.recv(4096)
        one.close()
