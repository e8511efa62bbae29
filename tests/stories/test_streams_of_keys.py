"""An open stream ends with its key, counts against its rate, and nobody takes all places for streams."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import httpx2
import msgspec
import pytest
from tests.stories.waiting import MOST, until

from foveal import Memory, Settings
from foveal.doors.client.remote import Listening
from foveal.doors.grpc import GrpcRemote, GrpcServer
from foveal.doors.server import Server
from foveal.doors.service import Caller, Keys, Service
from foveal.doors.service.stream_slots import StreamSlots
from foveal.errors import RateLimited, Unauthenticated
from foveal.model.server import Issued, Serving

ADA: dict[str, Any] = {"actor_id": "ada"}
SERVING = Serving(port=0, grpc_port=0, auth="keys", streams=2)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with Server(Settings(server=SERVING), url=str(tmp_path / "memory.db"), worker=False) as running:
        yield running


def _key(server: Server, name: str, **limits: Any) -> Issued:
    return Keys(server.memory.keys).add(name, rights=["read", "write"], **limits)


def _revoke(server: Server, key: Issued) -> None:
    """Revoke a key as `DELETE /v1/keys/{key_id}` does: at once, in this process."""
    Keys(server.memory.keys, revoked=server.guard.forget).revoke(key.key.id)


@contextmanager
def _remote(server: Server, key: Issued) -> Generator[GrpcRemote]:
    assert server.grpc is not None
    with GrpcRemote(server.grpc.address, key=key.token) as remote:
        yield remote


@contextmanager
def _listening(server: Server, key: Issued, **query: str) -> Generator[Iterator[str]]:
    shown = {"Authorization": f"Bearer {key.token}"}
    with httpx2.Client(base_url=server.url, timeout=MOST, headers=shown) as client:
        with client.stream("GET", "/v1/stream", params=query) as answer:
            if not answer.is_success:
                answer.read()
                raise RateLimited(answer.json()["detail"]) if answer.status_code == 429 else AssertionError(answer)
            lines = answer.iter_lines()
            assert next(lines) == ": listening"
            yield lines


def test_a_stream_of_notices_ends_with_its_key(server: Server) -> None:
    key = _key(server, "listener")
    with _listening(server, key) as lines:
        first = server.memory.write("Ada likes tea.", **ADA).id
        assert next(line for line in lines if first in line)
        _revoke(server, key)
        second = server.memory.write("Ada likes ships.", **ADA).id
        rest = list(lines)
    assert not any(second in line for line in rest)
    problem = msgspec.json.decode(next(line for line in rest if line.startswith("data: ")).removeprefix("data: "))
    assert "event: problem" in rest and problem["code"] == "unauthenticated"


def test_a_client_that_follows_is_told_that_its_key_is_gone(server: Server) -> None:
    key = _key(server, "listener")
    stream = Listening(server.url, key=key.token)
    server.memory.write("Ada likes tea.", **ADA)
    following = stream.follow(lambda error: None)
    next(following)
    _revoke(server, key)
    with pytest.raises(Unauthenticated):
        list(following)


def test_a_stream_of_questions_ends_with_its_key(server: Server) -> None:
    key = _key(server, "asker")
    server.memory.write("The word is tea.", **ADA)

    answered = Event()

    def questions() -> Iterator[dict[str, Any]]:
        yield {**ADA, "query": "what is the word?"}
        assert answered.wait(MOST)
        yield {**ADA, "query": "what is the new word?"}

    with _remote(server, key) as remote:
        answers = remote.read_stream(questions())
        assert "tea" in next(answers).text
        _revoke(server, key)
        server.memory.write("The new word is zymurgy.", **ADA)
        answered.set()
        with pytest.raises(Unauthenticated, match="revoked"):
            next(answers)


def test_what_a_revoked_key_streams_is_not_stored(server: Server) -> None:
    key = _key(server, "writer")

    def items() -> Iterator[dict[str, Any]]:
        yield {**ADA, "text": "before"}
        _revoke(server, key)
        yield {**ADA, "text": "after"}

    with _remote(server, key) as remote, pytest.raises(Unauthenticated, match="revoked"):
        remote.write_stream(items())
    assert server.memory.stats(**ADA).records == 0


def test_every_record_of_a_timeline_is_checked() -> None:
    with Memory(":memory:") as memory:
        memory.write_many([f"Number {number} passed." for number in range(9)], **ADA)
        left = iter(range(4))

        def recheck(_: str | None) -> Caller:
            if next(left, None) is None:
                raise Unauthenticated("the key was revoked")
            return Caller(name="ada's")

        with (
            GrpcServer(
                Service(memory), port=0, authenticate=lambda _: Caller(name="ada's"), recheck=recheck
            ) as server,
            GrpcRemote(server.address) as remote,
        ):
            records = remote.timeline_stream(ADA)
            # Once before the page was fetched, and once before each record.
            assert [next(records).text for _ in range(3)]
            with pytest.raises(Unauthenticated):
                next(records)


def test_the_calls_of_a_stream_count_against_the_rate_of_its_key(server: Server) -> None:
    server.memory.write("The word is tea.", **ADA)
    with _remote(server, _key(server, "asker", rate=0.001, burst=3)) as remote:
        answers = remote.read_stream([{**ADA, "query": "what is the word?"}] * 9)
        assert [bool(next(answers)) for _ in range(3)] == [True] * 3
        with pytest.raises(RateLimited):
            next(answers)
    with _remote(server, _key(server, "writer", rate=0.001, burst=1)) as remote:
        with pytest.raises(RateLimited) as caught:
            remote.write_stream([{**ADA, "text": f"Number {number} passed."} for number in range(300)])
        # A batch is one call, as it is for write_many.
        assert caught.value.data["taken"] == 256


def test_a_key_and_an_actor_have_so_many_streams(server: Server) -> None:
    first, second, third = (_key(server, name) for name in ("one", "two", "three"))
    before = server.memory.bus.traffic().subscribers
    with ExitStack() as held:
        for _ in range(2):
            held.enter_context(_listening(server, first))
        with pytest.raises(RateLimited, match=f"2 streams of the key {first.key.prefix} are open already"):
            held.enter_context(_listening(server, first))
        held.enter_context(_listening(server, second, actor_id="ada"))
        held.enter_context(_listening(server, third, actor_id="ada"))
        with pytest.raises(RateLimited, match="about the actor 'ada'"):
            held.enter_context(_listening(server, third, actor_id="ada"))
        held.enter_context(_listening(server, third, actor_id="ben"))
    # Those who left gave their places back.
    until(lambda: server.memory.bus.traffic().subscribers == before)
    with _listening(server, first), _listening(server, first):
        pass


def test_who_leaves_before_a_stream_began_holds_no_place(server: Server) -> None:
    key = _key(server, "hasty", rate=1000)
    shown = {"Authorization": f"Bearer {key.token}"}
    before = server.memory.bus.traffic().subscribers
    for _ in range(20):
        with httpx2.Client(base_url=server.url, headers=shown, timeout=MOST) as client:
            with client.stream("GET", "/v1/stream"):
                pass
        until(lambda: server.memory.bus.traffic().subscribers == before)


def _questions(done: Event) -> Iterator[dict[str, Any]]:
    """One question, and then silence until it is `done`."""
    yield {**ADA, "query": "what is the word?"}
    assert done.wait(MOST)


def test_one_key_does_not_take_all_streams_of_grpc() -> None:
    with Memory(":memory:") as memory, ExitStack() as held:

        def authenticate(authorization: str | None) -> Caller:
            return Caller(name="key", subject=str(authorization))

        server = held.enter_context(GrpcServer(Service(memory), port=0, threads=8, authenticate=authenticate))
        greedy, modest = (held.enter_context(GrpcRemote(server.address, key=name)) for name in ("a", "b"))
        done = Event()
        held.callback(done.set)
        streams = [remote.read_stream(_questions(done)) for remote in (greedy, greedy, greedy, modest)]
        assert [next(stream).items for stream in streams[:2]] == [(), ()]
        with pytest.raises(RateLimited, match="2 streams of the key"):
            next(streams[2])
        assert next(streams[3]).items == ()


def test_a_place_is_given_back_after_an_error() -> None:
    slots, caller = StreamSlots(3, each=1), Caller(name="k", subject="k", actors=("ada",))
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), slots.taken(caller):
            raise ZeroDivisionError
    with slots.taken(caller), pytest.raises(RateLimited, match="about the actor 'ada'"):
        with slots.taken(Caller(name="other", subject="other", actors=("ada",))):
            pass
    with slots.taken(Caller(name="a")), slots.taken(Caller(name="b")), slots.taken(caller):
        with pytest.raises(RateLimited, match="3 streams of this server"), slots.taken(Caller(name="c")):
            pass
