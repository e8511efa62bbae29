"""The bus between processes passes the exam of buses, and what is told in one process is heard in the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from uuid import uuid4

import pytest

from foveal.backends.redis import RedisBus
from foveal.errors import Invalid
from foveal.model.notice import mark_of
from foveal.ports.system import Bus
from foveal.testing import BusContract, ManualClock
from foveal.testing.ports import AT, ROOM, next_of, told, whats
from foveal.testing.servers import Valkey

pytestmark = pytest.mark.server

OpenBus = Callable[[], RedisBus]


@pytest.fixture
def join(valkey: Valkey) -> Iterator[OpenBus]:
    """Buses on one stream."""
    prefix = uuid4().hex
    with ExitStack() as closing:

        def opened() -> RedisBus:
            bus = RedisBus(valkey.url, prefix=prefix, room=ROOM, clock=ManualClock(AT))
            closing.callback(bus.close)
            return bus

        yield opened


class TestRedisBus(BusContract):
    @pytest.fixture
    def open_bus(self, valkey: Valkey) -> Iterator[Callable[[], Bus]]:
        with ExitStack() as closing:

            def opened() -> Bus:
                bus = RedisBus(valkey.url, prefix=uuid4().hex, room=ROOM, clock=ManualClock(AT))
                closing.callback(bus.close)
                return bus

            yield opened


def test_what_one_tells_all_hear_in_one_order_and_under_one_id(join: OpenBus) -> None:
    one, other = join(), join()
    with one.subscribe() as here, other.subscribe() as there:
        for number in range(3):
            told(one, f"one {number}")
            told(other, f"other {number}")
        heard, also = next_of(here, 6), next_of(there, 6)
    assert heard == also
    assert whats([note for note in heard if note.what.startswith("one")]) == ["one 0", "one 1", "one 2"]
    marks = [mark_of(note.id) for note in heard]
    assert marks == sorted(set(marks))


def test_who_comes_back_to_another_process_goes_on_there(join: OpenBus) -> None:
    one = join()
    with one.subscribe() as listening:
        told(one, "a", "b", "c")
        first = next_of(listening, 3)[0]
    other = join()
    with other.subscribe(first.id) as listening:
        told(one, "d")
        assert whats(next_of(listening, 3)) == ["b", "c", "d"]
    with other.subscribe("1-0") as listening:
        assert whats(next_of(listening, 2)) == ["gap", "a"]


def test_who_counts_what_happens_here_hears_no_other_process(join: OpenBus) -> None:
    one, other = join(), join()
    with one.subscribe(here=True) as here, one.subscribe() as every:
        told(other, "there")
        told(one, "here")
        assert sorted(whats(next_of(every, 2))) == ["here", "there"]
        assert whats(next_of(here, 1)) == ["here"]
        assert here.take() is None


def test_what_was_told_last_is_sent_before_the_end(join: OpenBus) -> None:
    one, other = join(), join()
    with other.subscribe() as listening:
        told(one, *map(str, range(ROOM)))
        one.close()
        assert whats(next_of(listening, ROOM)) == [*map(str, range(ROOM))]


@pytest.mark.parametrize("url", ["http://127.0.0.1", "redis://:hunter2/@127.0.0.1:port", "nothing"])
def test_an_address_that_is_none_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(Invalid, match="redis://host") as refused:
        RedisBus(url)
    assert "hunter" not in refused.value.message
