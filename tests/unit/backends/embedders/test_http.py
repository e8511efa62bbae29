"""What a user may rely on when a server turns text into vectors."""

import gc
import json
import logging
import socket
import sys
import threading
import traceback
from collections.abc import Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx2
import numpy as np
import pytest

from foveal.backends.breaker import Breaker
from foveal.backends.models.http import HttpEmbedder
from foveal.errors import Forbidden, FovealError, Invalid, ModelUnavailable, Unauthenticated, Unsupported
from foveal.model.server import CircuitState
from foveal.rules.addresses import generic_plane
from foveal.testing import ManualClock

KEY = "sk-very-secret-123"
HERE = "http://127.0.0.1"


@dataclass(frozen=True)
class Answer:
    status: int = 200
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


def vector(text: str) -> list[float]:
    return [float(len(text)), 1.0, 0.0]


def good(texts: list[str]) -> Answer:
    rows = [{"object": "embedding", "index": n, "embedding": vector(text)} for n, text in enumerate(texts)]
    return Answer(body=json.dumps({"object": "list", "data": rows[::-1], "usage": {"total_tokens": 1}}))


class Server(ThreadingHTTPServer):
    """A local server of the protocol: plays its script, then answers well; rows always come backwards."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/v1"
        self.script: list[Answer] = []
        self.always: Answer | None = None
        self.asked: list[dict[str, Any]] = []
        self.seen: list[tuple[str, str | None]] = []
        self.waits: list[timedelta] = []
        self.hanging: threading.Event | None = None


class Handler(BaseHTTPRequestHandler):
    server: Server  # pyright: ignore[reportIncompatibleVariableOverride]
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        self.server.seen.append((self.path, self.headers["Authorization"]))
        if self.server.hanging:
            self.server.hanging.wait()
            self.close_connection = True
            return
        scripted = self.server.script.pop(0) if self.server.script else self.server.always
        answer = scripted or good(asked["input"])
        self.send_response_only(answer.status)
        for name, value in {"Content-Length": str(len(answer.body)), **answer.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body.encode("ascii"))


def _usual(waits: list[timedelta], *seconds: float) -> None:
    """The waits are about these, each a little off, so that clients do not come back in step."""
    assert len(waits) == len(seconds)
    for wait, usual in zip(waits, seconds, strict=True):
        assert usual / 2 <= wait.total_seconds() <= usual * 1.5


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Generator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Server() as found:
        thread = threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield found
        if found.hanging:
            found.hanging.set()
        found.shutdown()
        thread.join()


@pytest.fixture
def embedder(server: Server) -> HttpEmbedder:
    return HttpEmbedder(server.url, model="m", key=KEY, batch=4, wait=server.waits.append)


def failure(embedder: HttpEmbedder) -> FovealError:
    with pytest.raises(FovealError) as caught:
        embedder.embed(["cat"])
    return caught.value


def test_rows_come_in_the_order_of_the_texts_at_unit_length(embedder: HttpEmbedder) -> None:
    assert embedder.id == "http:m"
    texts = ["cat", "horse", "a", "elephant"]
    rows = embedder.embed(texts)
    assert (rows.shape, rows.dtype) == ((4, 3), np.float32)
    np.testing.assert_allclose(rows, [np.divide(v, np.linalg.norm(v)) for v in map(vector, texts)], atol=1e-6)


def test_the_request_is_the_one_of_the_protocol(server: Server, embedder: HttpEmbedder) -> None:
    embedder.embed(["cat"])
    assert server.asked == [{"model": "m", "input": ["cat"], "encoding_format": "float"}]
    assert server.seen == [("/v1/embeddings", f"Bearer {KEY}")]


def test_without_a_key_none_is_sent_and_a_query_in_the_url_is_kept(server: Server) -> None:
    HttpEmbedder(f"{server.url}/?version=2", model="m").embed(["cat"])
    assert server.seen == [("/v1/embeddings?version=2", None)]


def test_many_texts_go_in_batches(server: Server, embedder: HttpEmbedder) -> None:
    texts = ["x" * n for n in range(1, 11)]
    rows = embedder.embed(texts)
    assert [len(asked["input"]) for asked in server.asked] == [4, 4, 2]
    assert np.diff(rows[:, 0]).min() > 0


def test_a_text_no_server_would_take_still_gets_its_row(server: Server, embedder: HttpEmbedder) -> None:
    assert embedder.embed(["", "\ud800", "猫"]).shape == (3, 3)
    assert server.asked[0]["input"] == [" ", "?", "猫"]


def test_the_dimension_costs_one_call_at_most(server: Server, embedder: HttpEmbedder) -> None:
    assert embedder.embed([]).shape == (0, 3)
    assert embedder.dimension == 3
    assert embedder.plane.axes.tobytes() == generic_plane(3).axes.tobytes()
    assert len(server.asked) == 1


def test_threads_share_one_embedder(embedder: HttpEmbedder) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(embedder.embed, [["cat", "horse"]] * 16))
    assert len({rows.tobytes() for rows in answers}) == 1


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_a_failure_that_passes_is_not_seen(server: Server, embedder: HttpEmbedder, status: int) -> None:
    server.script = [Answer(status), Answer(status)]
    assert embedder.embed(["cat"]).shape == (1, 3)
    _usual(server.waits, 0.5, 1)


def test_a_server_that_keeps_failing_is_given_up(server: Server, embedder: HttpEmbedder) -> None:
    server.always = Answer(500, "<h1>out\n of order</h1>")
    error = failure(embedder)
    assert isinstance(error, ModelUnavailable)
    assert error.message == "http:m does not answer: 500 <h1>out of order</h1>"
    assert len(server.asked) == 4
    _usual(server.waits, 0.5, 1, 2)


@pytest.mark.parametrize("asked", ["7", "7.0", "Wed, 21 Oct 2026 07:28:07 GMT"])
def test_the_server_says_how_long_to_wait(server: Server, embedder: HttpEmbedder, asked: str) -> None:
    server.script = [Answer(429, headers={"Date": "Wed, 21 Oct 2026 07:28:00 GMT", "Retry-After": asked})]
    embedder.embed(["cat"])
    assert server.waits == [timedelta(seconds=7)]


@pytest.mark.parametrize("asked", ["0", "-5", "soon", "nan", "Wed, 21 Oct 2026 07:28:00 GMT"])
def test_an_odd_wait_is_the_usual_one(server: Server, embedder: HttpEmbedder, asked: str) -> None:
    server.script = [Answer(429, headers={"Retry-After": asked})]
    embedder.embed(["cat"])
    _usual(server.waits, 0.5)


def test_a_server_that_asks_for_an_hour_is_given_up_at_once(server: Server, embedder: HttpEmbedder) -> None:
    server.script = [Answer(429, headers={"Retry-After": "3600"})]
    error = failure(embedder)
    assert isinstance(error, ModelUnavailable)
    assert error.data["retry_after"] == 3600.0
    assert (len(server.asked), server.waits) == (1, [])


def test_nobody_listening_is_a_model_unavailable_with_its_cause(server: Server) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        error = failure(HttpEmbedder(url, model="m", wait=server.waits.append))
    assert isinstance(error, ModelUnavailable)
    assert isinstance(error.__cause__, httpx2.ConnectError)
    assert len(server.waits) == 3


def test_a_server_that_hangs_is_left_after_the_timeout(server: Server) -> None:
    server.hanging = threading.Event()
    timeout = timedelta(milliseconds=50)
    error = failure(HttpEmbedder(server.url, model="m", timeout=timeout, wait=server.waits.append))
    assert isinstance(error, ModelUnavailable)
    assert isinstance(error.__cause__, httpx2.ReadTimeout)


@pytest.mark.parametrize(
    ("status", "body", "kind", "reason"),
    [
        (401, '{"error": {"message": "no such key"}}', Unauthenticated, "401 no such key"),
        (403, '{"error": "not yours"}', Forbidden, "403 not yours"),
        (400, '{"error": {"message": "too long", "code": 7}}', Invalid, "400 too long"),
        (422, '{"detail": [{"loc": "input"}]}', Invalid, "input"),
        (404, '{"message": "no such model"}', Invalid, "404 no such model"),
        (307, "", Invalid, "307 Temporary Redirect"),
    ],
)
def test_a_refusal_is_final_and_says_why(
    server: Server, embedder: HttpEmbedder, status: int, body: str, kind: type[FovealError], reason: str
) -> None:
    server.always = Answer(status, body)
    error = failure(embedder)
    assert type(error) is kind
    assert reason in error.message
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "body",
    [
        "garbage",
        '{"data": []}',
        '{"data": [{"index": 1, "embedding": [1, 2]}]}',
        '{"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}',
        '{"data": [{"index": 0, "embedding": []}]}',
        '{"data": [{"index": 0, "embedding": [NaN]}]}',
        '{"data": [{"index": 0, "embedding": [1, null]}]}',
        '{"data": [{"index": 0, "embedding": [1e300]}]}',
        '{"data": [{"index": 0, "embedding": [0, 0]}]}',
        '{"data": [{"index": 0, "embedding": "AACAPw=="}]}',
    ],
)
def test_a_malformed_answer_is_never_a_vector(server: Server, embedder: HttpEmbedder, body: str) -> None:
    server.always = Answer(body=body)
    error = failure(embedder)
    assert isinstance(error, ModelUnavailable)
    assert "malformed" in error.message


def test_the_dimension_may_not_change(server: Server, embedder: HttpEmbedder) -> None:
    embedder.embed(["cat"])
    server.always = Answer(body='{"data": [{"index": 0, "embedding": [1, 2]}]}')
    assert "2 numbers a vector, 3 before" in failure(embedder).message
    assert embedder.dimension == 3
    server.always = Answer(body='{"data": [{"index": 1, "embedding": [1]}, {"index": 0, "embedding": []}]}')
    with pytest.raises(ModelUnavailable, match="different lengths"):
        embedder.embed(["cat", "dog"])


@pytest.mark.parametrize("status", [400, 401, 500])
def test_the_key_is_never_told(
    server: Server, embedder: HttpEmbedder, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    caplog.set_level(logging.DEBUG)
    server.always = Answer(status, json.dumps({"error": {"message": f"the key {KEY} is wrong"}}))
    error = failure(embedder)
    assert "the key *** is wrong" in error.message
    told = [repr(embedder), str(error.data), *traceback.format_exception(error), caplog.text]
    assert not [text for text in told if KEY in text]


@pytest.mark.parametrize(
    ("url", "key"),
    [(HERE, KEY + "\n"), (HERE, " " + KEY), (HERE, KEY + "é"), (f"http://me:{KEY}@127.0.0.1", None)],
)
def test_a_secret_that_would_leak_is_refused_untold(url: str, key: str | None) -> None:
    with pytest.raises(Invalid) as caught:
        HttpEmbedder(url, model="m", key=key)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("url", ["", "127.0.0.1/v1", "ftp://host", "http://", "http://host:x", "http://[::1"])
def test_what_is_no_url_is_refused(url: str) -> None:
    with pytest.raises(Invalid):
        HttpEmbedder(url, model="m")


@pytest.mark.parametrize(("model", "batch"), [("", 64), ("m", 0)])
def test_a_model_without_a_name_and_empty_batches_are_refused(model: str, batch: int) -> None:
    with pytest.raises(Invalid):
        HttpEmbedder(HERE, model=model, batch=batch)


def test_connections_are_closed_with_the_embedder(server: Server) -> None:
    HttpEmbedder(server.url, model="m").embed(["cat"])
    gc.collect()  # an open socket would be a ResourceWarning, and so a failure


def test_without_the_library_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(Unsupported, match=r"pip install 'foveal\[http\]'"):
        HttpEmbedder(HERE, model="m").embed(["cat"])


def test_a_server_that_failed_too_often_is_not_asked_for_a_while(server: Server) -> None:
    clock = ManualClock()
    breaker = Breaker(failures=2, reset=timedelta(seconds=60), clock=clock)
    embedder = HttpEmbedder(server.url, model="m", wait=server.waits.append, breaker=breaker)
    server.always = Answer(503, "{}")
    for _ in range(2):
        failure(embedder)
    asked = len(server.asked)
    error = failure(embedder)
    assert isinstance(error, ModelUnavailable)
    assert "not tried: the server failed 2 times; again in 60 s" in error.message
    assert len(server.asked) == asked, "nobody waits in vain"
    clock.turn(timedelta(seconds=60))
    failure(embedder)
    assert len(server.asked) == asked + 4, "one call tried, patiently"
    assert "not tried" in failure(embedder).message
    server.always = None
    clock.turn(timedelta(seconds=60))
    assert embedder.embed(["cat"]).shape == (1, 3)
    assert embedder.breaker.circuit.state is CircuitState.CLOSED


def test_a_server_that_refuses_is_there(server: Server, embedder: HttpEmbedder) -> None:
    server.always = Answer(401, "{}")
    for _ in range(5):
        failure(embedder)
    assert len(server.asked) == 5
