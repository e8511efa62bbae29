"""Bytes that are almost HTTP, or not at all, are refused as an error of their sender, and the server lives on."""

from __future__ import annotations

import json
import random
import re
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import pytest
from tests.attack.conftest import Place
from tests.attack.effort import Effort
from tests.attack.served import Target, served
from tests.stories.waiting import MOST
from tests.support.every_verb import SECRET

from foveal.model.server import Serving

REQUESTS = 100
# Whoever stops in the middle is given up soon.
SERVING = Serving(port=0, grpc_port=0, rate=0, auth="keys", request_timeout=0.5, body_limit=100_000)
STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) ")

ODD_HEADERS = (
    *("Host: [", "Host: a:b:c", "Host:", "Host: localhost\r\nHost: evil.example.org", "Origin: http://["),
    *("Content-Length: -1", "Content-Length: 9999999999999999999999", "Content-Length: 5\r\nContent-Length: 6"),
    *("Transfer-Encoding: chunked", "Transfer-Encoding: chunked, identity", "Content-Encoding: gzip"),
    *("Expect: 100-continue", "Connection: upgrade\r\nUpgrade: websocket", "If-Match: " + "9" * 5_000),
    *("If-Match: ²", "Idempotency-Key: " + "k" * 400, "Idempotency-Key:", "X-Request-Id: " + "x" * 3_000),
    *(
        "Authorization: Basic eDp5",
        "Authorization: Bearer",
        "Cookie: a=b; " * 50,
        "X: \x00",
        "X : y",
        " X: y",
        ": y",
    ),
    *("Content-Type: application/json; charset=utf-16", "Content-Type: multipart/form-data", "Accept: */*;q=x"),
    *("Last-Event-ID: " + "9" * 50, "Range: bytes=0-1", "X-Forwarded-Host: evil.example.org", "traceparent: 00-x"),
)
BODIES = (
    *(b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"text": "x"', b'{"actor_id": "eve", "text": "x"}', b"{}" * 3),
    *(b"[" * 5_000, b'{"a":' * 2_000, b'{"text": ' + b"9" * 5_000 + b"}", b'{"text": NaN}', b'"\\ud800"'),
    *(b'{"actor_id": "ada", "query": "the word"}', b'{"actor_id": "eve", "actor_id": "ada", "query": "the word"}'),
    *(b"5\r\nhello\r\n0\r\n\r\n", b"zz\r\nhello\r\n", b"fffffffffffffff\r\n", b"x" * 150_000),
)
PATHS = (
    *("/v1/records", "/v1/read", "/v1/search", "/v1/import", "/v1/export?actor_id=ada", "/v1/stats?actor_id=ada"),
    *("/v1/records/%00", "/v1/records/..%2f..%2fetc", "/v1/records/%ff", "/v1/records/" + "x" * 3_000, "//", "*"),
    *("/mcp", "/v1/events/stream", "/v1/keys", "/%"),
    *(
        "/v1/stats?actor_id=ada&actor_id=eve",
        "/v1/records?limit=" + "9" * 400,
        "/v1/records?filters={",
        "http://x/y",
    ),
    *("/api/memory/read", "/api/agent/chat", "/livez", "/readyz", "/metrics", "/openapi.json", "?", "\x00"),
)
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT", "G\x00T", "get", "")


@dataclass
class Sender:
    """Writes requests that are nearly right."""

    chance: random.Random
    key: str

    def request(self) -> bytes:
        """The bytes of a request, or of what is left of one."""
        body = self.chance.choice(BODIES)
        lines = [f"{self.chance.choice(METHODS[:5])} {self.chance.choice(PATHS)} HTTP/1.1", "Host: localhost"]
        lines += [f"Authorization: Bearer {self.key}"] if self.chance.random() < 0.8 else []
        lines += self.chance.sample(ODD_HEADERS, self.chance.choice([0, 0, 1, 2]))
        lines += [f"Content-Length: {len(body)}", "Content-Type: application/json", "Connection: close"]
        whole = "\r\n".join([*lines, "", ""]).encode("utf-8") + body
        return self.chance.choice(WAYS)(whole, self.chance)


def _cut(request: bytes, chance: random.Random) -> bytes:
    return request[: chance.randrange(len(request))]


def _flipped(request: bytes, chance: random.Random) -> bytes:
    data = bytearray(request)
    for _ in range(chance.randrange(1, 6)):
        data[chance.randrange(min(len(data), 400))] = chance.randrange(256)
    return bytes(data)


def _other_method(request: bytes, chance: random.Random) -> bytes:
    return chance.choice(METHODS).encode() + request[request.index(b" ") :]


def _other_version(request: bytes, chance: random.Random) -> bytes:
    return request.replace(
        b"HTTP/1.1", chance.choice([b"HTTP/1.0", b"HTTP/2.0", b"HTTP/9", b"", b"PRI * HTTP/2.0"]), 1
    )


def _twice(request: bytes, _: random.Random) -> bytes:
    return request.replace(b"Connection: close\r\n", b"", 1) + request


def _noise(_: bytes, chance: random.Random) -> bytes:
    return chance.randbytes(chance.randrange(1, 600))


def _whole(request: bytes, _: random.Random) -> bytes:
    return request


WAYS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    *(_whole, _whole, _whole, _cut, _flipped, _flipped, _other_method, _other_version, _twice, _noise),
)


def _answer(target: Target, request: bytes) -> bytes:
    """All that the server says to some bytes, after which it hears no more."""
    with socket.create_connection(("127.0.0.1", target.server.port), timeout=MOST) as connection:
        # It may refuse, and close, before it has heard everything.
        with suppress(OSError):
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
        answer = b""
        with suppress(OSError):
            while more := connection.recv(65_536):
                answer += more
    return answer


def test_bytes_that_are_almost_a_request_are_never_an_error_of_the_server(
    place: Place, effort: Effort, caplog: pytest.LogCaptureFixture
) -> None:
    with served(place, SERVING) as target, caplog.at_level("ERROR", logger="foveal"):
        sender = Sender(effort.chance, target.key)
        for number in effort.times(REQUESTS):
            request = sender.request()
            answer = _answer(target, request)
            assert SECRET.encode() not in answer, request
            for status in STATUS.findall(answer):
                assert int(status) < 500 or int(status) in (501, 504, 505), (request, answer)
            head, _, body = answer.partition(b"\r\n\r\n")
            if b"problem+json" in head and answer.count(b"HTTP/1.1 ") == 1 and body:
                assert json.loads(body)["code"] != "error", (request, answer)
            if number % 20 == 0:
                target.go_on()
                assert b"200 OK" in _answer(
                    target, b"GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                )
        assert [record.getMessage() for record in caplog.records if record.name == "foveal.http"] == []
        effort.count("raw requests", len(effort.times(REQUESTS)))
