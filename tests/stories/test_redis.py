"""A Redis server makes processes hear each other. When it fails, they are slower, never wrong, and need no hand."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from tests.stories.waiting import until

from foveal import Memory, Settings
from foveal.backends import redis
from foveal.backends.breaker import Breaker
from foveal.backends.redis import RedisBus, RedisCache
from foveal.doors.service.health import HealthMonitor
from foveal.model.notice import Kind, Notice
from foveal.model.server import State
from foveal.ports.system import Bus, Subscription
from foveal.testing import ManualClock
from foveal.testing.ports import SOON, note, told, whats
from foveal.testing.servers import Valkey

pytestmark = pytest.mark.server

Join = Callable[[], RedisBus]


@pytest.fixture
def own() -> Iterator[Valkey]:
    """A server to break."""
    with Valkey() as running:
        yield running


@pytest.fixture
def join(own: Valkey) -> Iterator[Join]:
    with ExitStack() as closing:

        def opened() -> RedisBus:
            bus = RedisBus(own.url)
            closing.callback(bus.close)
            return bus

        yield opened


def away(*buses: Bus) -> Callable[[], bool]:
    return lambda: all(one.traffic().away for one in buses)


def back(*buses: Bus) -> Callable[[], bool]:
    return lambda: not any(one.traffic().away for one in buses)


def heard_until(listening: Subscription, last: str) -> list[Notice]:
    found: list[Notice] = []
    while not found or found[-1].what != last:
        one = listening.next(SOON)
        assert one is not None, whats(found)
        found.append(one)
    return found


def plain(notices: Sequence[Notice]) -> list[str]:
    return [one.what for one in notices if one.kind not in (Kind.GAP, Kind.ERROR)]


@pytest.mark.parametrize("keep", [False, True])
def test_a_server_killed_under_load_loses_no_notice_for_those_who_listen(keep: bool) -> None:
    with Valkey(keep=keep) as server, ExitStack() as closing:
        one, other = (RedisBus(server.url) for _ in range(2))
        for bus in (one, other):
            closing.callback(bus.close)
        with one.subscribe() as here, other.subscribe() as there:
            told(one, *(f"before {number}" for number in range(100)))
            server.kill()
            told(one, *(f"away {number}" for number in range(100)))
            until(away(one, other))
            told(one, "still away")
            assert plain(heard_until(here, "still away"))[-1] == "still away", "who told it hears it at once"
            server.start()
            until(back(one, other))
            told(one, "after")
            mine, theirs = heard_until(here, "after"), heard_until(there, "after")
    sent = [f"{when} {number}" for when in ("before", "away") for number in range(100)] + ["still away", "after"]
    # What the server had taken and nobody had read when it died is a gap; all else is heard, once and in order.
    assert plain(theirs) == [what for what in sent if what in plain(theirs)]
    assert plain(theirs) == sent or "gap" in whats(theirs)
    assert plain(theirs)[-102:] == sent[-102:]
    assert plain(mine) == ["after"]


def test_a_server_that_forgets_everything_goes_on(own: Valkey, join: Join) -> None:
    one, other = join(), join()
    with one.subscribe() as here, other.subscribe() as there:
        told(one, "a", "b")
        before = heard_until(there, "b")
        early = heard_until(here, "b")
        own.flush()
        told(other, "c")
        assert whats(heard_until(there, "c")) == ["gap", "c"]
        assert plain([*early, *heard_until(here, "c")]) == ["a", "b", "c"]
    with other.subscribe(before[-1].id) as again:
        assert whats([again.next(SOON) or note(), again.next(SOON) or note()]) == ["gap", "c"]
    assert back(one, other)()


def test_nobody_waits_for_a_server_that_hangs(
    own: Valkey, join: Join, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Whoever waited for it would wait until this test is given up.
    monkeypatch.setattr(redis, "PATIENCE", timedelta(minutes=10))
    bus = join()
    with Memory(tmp_path / "m.db", bus=bus) as memory:
        own.freeze()
        for number in range(20):
            memory.write(f"note {number}", actor_id="ada")
        assert memory.stats(actor_id="ada").records == 20
        own.thaw()


def test_a_server_that_hangs_is_away_until_it_answers(
    own: Valkey, join: Join, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis, "PATIENCE", timedelta(milliseconds=250))
    bus = join()
    with Memory(tmp_path / "m.db", bus=bus) as memory, bus.subscribe() as listening:
        memory.write("tea", actor_id="ada")
        assert listening.next(SOON) is not None
        own.freeze()
        for number in range(20):
            memory.write(f"note {number}", actor_id="ada")
        until(away(bus))
        own.thaw()
        until(back(bus))
        memory.write("cake", actor_id="ada")
        assert memory.stats(actor_id="ada").records == 22
        heard = 0
        while heard < 21:
            one = listening.next(SOON)
            assert one is not None
            heard += one.kind is Kind.WRITE
        # What the server took without saying so is not known: that may be told as a gap, but nothing comes twice.
        rest = listening.take()
        assert rest is None or rest.kind in (Kind.GAP, Kind.ERROR)


def test_a_server_that_comes_late_is_found(own: Valkey, join: Join) -> None:
    own.kill()
    one, other = join(), join()
    with one.subscribe() as here, other.subscribe() as there:
        told(one, "early")
        assert plain(heard_until(here, "early")) == ["early"]
        own.start()
        until(back(one, other))
        told(other, "late")
        heard = heard_until(there, "late")
        assert plain(heard) == ["early", "late"] or whats(heard) == ["gap", "late"]
        assert plain(heard_until(here, "late")) == ["late"]


def test_that_the_server_is_away_is_known_when_nothing_happens(own: Valkey, join: Join) -> None:
    own.kill()
    bus = join()
    until(away(bus))
    assert "does not answer" in bus.traffic().away
    own.start()
    until(back(bus))
    with bus.subscribe() as listening:
        told(bus, "here again")
        assert plain(heard_until(listening, "here again")) == ["here again"]


def test_that_the_server_is_away_is_told_on_the_error_bus(own: Valkey, tmp_path: Path) -> None:
    settings = Settings(second_look="off", redis=own.url)
    with Memory(tmp_path / "m.db", settings=settings) as memory:
        with memory.bus.subscribe(kinds=[Kind.ERROR]) as listening:
            own.kill()
            memory.write("tea", actor_id="ada")
            memory.search("tea", actor_id="ada")
            heard: set[str] = set()
            while heard != {"redis", "cache"}:
                notice = listening.next(SOON)
                assert notice is not None and notice.fault is not None, heard
                assert "does not answer" in notice.fault.message and notice.actor_id is None
                heard.add(notice.fault.component)


def test_health_is_degraded_while_the_server_is_away_and_then_well_again(own: Valkey, tmp_path: Path) -> None:
    settings = Settings(second_look="off", redis=own.url)
    with Memory(tmp_path / "m.db", settings=settings) as memory:

        def bus_is(state: State) -> Callable[[], bool]:
            def looked() -> bool:
                health = HealthMonitor(memory, settings, url=tmp_path / "m.db").health()
                assert health.ready, "a server stays in service without Redis"
                return {one.name: one for one in health.components}["bus"].state is state

            return looked

        with memory.bus.subscribe():
            memory.write("tea", actor_id="ada")
            until(bus_is(State.OK))
            own.kill()
            memory.write("cake", actor_id="ada")
            until(bus_is(State.DEGRADED))
            own.start()
            until(bus_is(State.OK))
            assert memory.stats(actor_id="ada").records == 2


def test_a_cache_whose_server_is_away_knows_nothing_is_let_alone_and_is_found_again(own: Valkey) -> None:
    prefix, clock, minute = uuid4().hex, ManualClock(), timedelta(minutes=1)
    cache, other = (RedisCache(own.url, prefix=prefix) for _ in range(2))
    cache.breaker = Breaker(failures=1, reset=redis.PAUSE, clock=clock)
    cache.put({"a": b"1"}, minute)
    assert cache.get(["a", "b"]) == [b"1", None] and not cache.away
    own.kill()
    assert cache.get(["a"]) == [None]
    cache.put({"a": b"2"}, minute)
    assert "does not answer" in cache.away
    own.start()
    other.put({"a": b"3"}, minute)
    assert cache.get(["a"]) == [None], "nobody asks one that was away just now"
    clock.turn(redis.PAUSE)
    assert cache.get(["a"]) == [b"3"] and not cache.away
    own.flush()
    assert cache.get(["a"]) == [None]
    cache.close()
    other.close()


def test_two_schedulers_do_each_job_once_while_the_server_is_killed(own: Valkey, tmp_path: Path) -> None:
    settings = Settings(second_look="off", redis=own.url)
    with ExitStack() as closing:
        memories = [closing.enter_context(Memory(tmp_path / "m.db", settings=settings)) for _ in range(2)]
        memories[0].write_many([f"note {number}" for number in range(50)], actor_id="ada", session_id="s")
        own.kill()
        done: list[str] = []

        def tick(memory: Memory) -> None:
            done.extend(memory.scheduler().tick())

        threads = [threading.Thread(target=tick, args=(one,)) for one in memories]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        assert sorted(done) == sorted(set(done)) and "migration" in done
