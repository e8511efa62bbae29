"""A memory behind HTTP answers as one in this process, and fails as it does."""

from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from foveal import Memory
from foveal.doors.client.remote import HttpTransport
from foveal.errors import (
    FovealError,
    Invalid,
    NotFound,
    Pinned,
    RateLimited,
    StoreUnavailable,
    TimedOut,
    Unauthenticated,
    Unsupported,
)
from foveal.wire.verbs import ALIASES, VERBS

from .conftest import URL, Connect, Line


def test_every_verb_asks_the_server_and_none_this_process(connected: Connect) -> None:
    memory: Any = connected()
    for name in (*(verb.method for verb in VERBS.values()), *ALIASES):
        facade, _, short = name.rpartition(".")
        room: object = getattr(memory, facade) if facade else memory
        assert short in vars(type(room)), name


def test_errors_arrive_as_the_classes_they_were(connected: Connect) -> None:
    ada = connected().view(actor_id="ada")
    with pytest.raises(NotFound) as caught:
        ada.get("nowhere")
    assert caught.value.data == {"record_id": "nowhere", "request_id": "request-1"}
    with pytest.raises(Pinned):
        ada.forget(ada.write("keep me", pin=True).id)
    with pytest.raises(Invalid, match="actor_id is missing"):
        connected().write("whose?")
    with pytest.raises(Invalid, match="did you mean 'tags'"):
        ada.write("x", tag=["y"])  # pyright: ignore[reportCallIssue]
    for verb in (
        lambda: ada.admin.backup("copy.db"),
        lambda: ada.snapshots.at("then"),
    ):
        with pytest.raises(Unsupported, match="does not go over HTTP"):
            verb()


def test_a_read_is_tried_again_and_a_write_is_known_again(connected: Connect, line: Line, served: Memory) -> None:
    ada = connected(ghost=False).view(actor_id="ada")
    line.lost = 2
    written = ada.write("Ada has a cat.")
    assert served.stats(actor_id="ada").records == 1
    assert len({one.headers["idempotency-key"] for one in line.requests}) == 1
    assert served.get(written.id, actor_id="ada").text == "Ada has a cat."
    line.lost = 2
    assert ada.get(written.id).text == "Ada has a cat."
    assert len(line.requests) == 6
    assert line.waits == [timedelta(milliseconds=100), timedelta(milliseconds=200)] * 2


def test_what_is_refused_is_not_tried_again(connected: Connect, line: Line) -> None:
    with pytest.raises(NotFound):
        connected().view(actor_id="ada").get("nowhere")
    assert len(line.requests) == 1


def test_a_server_that_asks_for_time_gets_it(connected: Connect, line: Line) -> None:
    ada = connected(ghost=False).view(actor_id="ada")
    answers = [httpx2.Response(429, headers={"Retry-After": "2"}), httpx2.Response(503, content=b"<html>busy")]
    line.instead = lambda request: answers.pop() if answers else None
    assert ada.stats().records == 0
    assert line.waits == [timedelta(milliseconds=100), timedelta(seconds=2)]
    line.instead = lambda request: httpx2.Response(429, headers={"Retry-After": "3600"})
    with pytest.raises(RateLimited) as caught:
        ada.stats()
    assert caught.value.data == {"retry_after": 3600.0}
    assert len(line.waits) == 2


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (httpx2.Response(401), Unauthenticated),
        (httpx2.Response(502, content=b"<html>bad gateway"), StoreUnavailable),
        (httpx2.Response(500, content=b"Internal Server Error"), FovealError),
        (httpx2.Response(302, headers={"Location": "http://elsewhere"}), Invalid),
        (httpx2.Response(200, content=b"<html>hello"), Unsupported),
        (httpx2.Response(200, content=b'{"records": "many"}'), Unsupported),
    ],
    ids=lambda one: getattr(one, "__name__", None) or str(getattr(one, "status_code", "")),
)
def test_another_server_is_told_apart(
    connected: Connect, line: Line, answer: httpx2.Response, kind: type[FovealError]
) -> None:
    line.instead = lambda request: answer
    with pytest.raises(FovealError) as caught:
        connected(ghost=False).view(actor_id="ada").stats()
    assert type(caught.value) is kind


def test_a_slow_server_is_timed_out_and_not_asked_twice(connected: Connect, line: Line) -> None:
    def slow(request: httpx2.Request) -> None:
        raise httpx2.ReadTimeout("too slow", request=request)

    line.instead = slow
    with pytest.raises(TimedOut, match="took longer than 30 s for write"):
        connected().write("x", actor_id="ada")
    assert len(line.requests) == 1


def test_the_key_is_sent_and_never_told(connected: Connect, line: Line) -> None:
    ada = connected(key="secret-key-1").view(actor_id="ada")
    line.instead = lambda request: httpx2.Response(500, content=b"who has secret-key-1 ?")
    with pytest.raises(FovealError) as caught:
        ada.stats()
    assert line.requests[0].headers["authorization"] == "Bearer secret-key-1"
    assert "secret" not in str(caught.value)
    with pytest.raises(Invalid) as caught_key:
        HttpTransport(URL, key="secret\n")
    assert "secret" not in str(caught_key.value)


@pytest.mark.parametrize(
    "url", ["ftp://x", "http://", "http://a:b@host", "http://host?x=1", "http://host:0", "host"]
)
def test_a_url_that_is_none_says_so(url: str) -> None:
    with pytest.raises(Invalid, match="URL of the server|URL of a server"):
        HttpTransport(url)


def test_nobody_there_is_said_plainly(tmp_path: Path) -> None:
    remote = HttpTransport("http://127.0.0.1:9", wait=lambda span: None)
    with pytest.raises(StoreUnavailable, match=r"the server at http://127\.0\.0\.1:9 does not answer"):
        remote.call("stats", {"actor_id": "ada"})
    remote.close()


def test_messages_and_local_moments_are_converted_before_they_are_sent(connected: Connect) -> None:
    ada = connected().view(actor_id="ada")
    said = ada.write({"role": "user", "content": "I sail.", "name": "Ada"}, occurred_at=date(2026, 5, 1))
    record = ada.get(said.id)
    assert (record.text, record.source, record.speaker) == ("I sail.", "user", "Ada")
    assert record.occurred_at == datetime(2026, 5, 1).astimezone()
    assert ada.search({"role": "user", "content": "Who sails?"})[0].id == said.id
    assert [one.id for one in ada.timeline(until=date(2026, 5, 2))] == [said.id]
