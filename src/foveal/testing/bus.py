"""What a bus promises to those who tell and to those who listen."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foveal.errors import Invalid
from foveal.model.notice import Fault, Kind, Notice, Severity, mark_of
from foveal.ports.system import Bus, Subscription

AT = datetime(2026, 1, 5, 9, tzinfo=UTC)
# Long enough for the slowest machine: whoever waits in vain has found an error.
SOON = timedelta(seconds=60)
ROOM = 8
CHECKS = [HealthCheck.function_scoped_fixture, HealthCheck.differing_executors, HealthCheck.too_slow]

OpenBus = Callable[[], Bus]


def note(what: str = "", *, actor: str = "ada", kind: Kind = Kind.WRITE, minutes: int = 0) -> Notice:
    """A notice to publish."""
    fault = Fault(component="x", code="x", severity=Severity.ERROR, message=what) if kind is Kind.ERROR else None
    return Notice(
        at=AT + timedelta(minutes=minutes), kind=kind, what=what, world="default", actor_id=actor, fault=fault
    )


def told(bus: Bus, *whats: str, actor: str = "ada") -> None:
    """Publish one notice for each."""
    for what in whats:
        bus.publish(note(what, actor=actor))


def next_of(listening: Subscription, count: int) -> list[Notice]:
    """So many notices, each waited for."""
    found = [listening.next(SOON) for _ in range(count)]
    return [one for one in found if one is not None]


def settled(bus: Bus) -> None:
    """Wait until all that was told reached those who listen: it goes in order, so the last one says it."""
    with bus.subscribe(heard=lambda one: one.actor_id == "last") as listening:
        told(bus, "last", actor="last")
        assert listening.next(SOON) is not None


def whats(notices: list[Notice]) -> list[str]:
    """What they tell, a gap as such."""
    return ["gap" if one.kind is Kind.GAP else one.what for one in notices]


class BusContract:
    """Subclass it, and give it a fixture `open_bus`: a function to a bus that keeps 8 notices and 8 errors."""

    @pytest.fixture
    def open_bus(self) -> OpenBus:
        raise NotImplementedError

    def test_who_listens_hears_what_is_told_in_order(self, open_bus: OpenBus) -> None:
        bus = open_bus()
        told(bus, "before")
        with bus.subscribe() as one, bus.subscribe() as other:
            told(bus, "a", "b", "c")
            for listening in (one, other):
                assert whats(next_of(listening, 3)) == ["a", "b", "c"]

    def test_a_notice_arrives_as_it_was_told_with_an_id(self, open_bus: OpenBus) -> None:
        bus = open_bus()
        with bus.subscribe() as listening:
            sent = Notice(
                at=AT,
                kind=Kind.CHANGE,
                what="pinned",
                world="w",
                actor_id="ada",
                node="/a",
                session_id="s",
                ids=("x",),
            )
            bus.publish(sent)
            bus.publish(note("oops", kind=Kind.ERROR))
            got, error = next_of(listening, 2)
        assert (got.what, got.world, got.actor_id, got.node, got.session_id, got.ids, got.at) == (
            "pinned", "w", "ada", "/a", "s", ("x",), AT
        )  # fmt: skip
        assert error.fault is not None and error.fault.message == "oops"
        assert mark_of(got.id) < mark_of(error.id)

    def test_ids_grow_also_when_the_clock_is_set_back(self, open_bus: OpenBus) -> None:
        bus = open_bus()
        with bus.subscribe() as listening:
            for minutes in (5, 3, 3, 9, 0):
                bus.publish(note(minutes=minutes))
            marks = [mark_of(one.id) for one in next_of(listening, 5)]
        assert marks == sorted(set(marks))

    def test_who_comes_back_goes_on_after_the_last_it_heard(self, open_bus: OpenBus) -> None:
        bus = open_bus()
        with bus.subscribe() as listening:
            told(bus, "a", "b")
            last = next_of(listening, 1)[0]
        told(bus, "c")
        with bus.subscribe(last.id) as listening:
            told(bus, "d")
            assert whats(next_of(listening, 3)) == ["b", "c", "d"]

    def test_who_comes_back_too_late_is_told_so(self, open_bus: OpenBus) -> None:
        bus = open_bus()
        with bus.subscribe() as listening:
            told(bus, "first")
            last = next_of(listening, 1)[0]
        told(bus, *map(str, range(2 * ROOM)))
        with bus.subscribe(last.id) as listening:
            found = whats(next_of(listening, ROOM + 1))
        assert found == ["gap", *map(str, range(ROOM, 2 * ROOM))]

    def test_an_id_from_before_the_bus_is_a_gap_and_zero_is_all_there_is(self, open_bus: OpenBus) -> None:
        bus = open_bus()
        told(bus, "a")
        with bus.subscribe("1-0") as listening:
            assert whats(next_of(listening, 2)) == ["gap", "a"]
        with bus.subscribe("0") as listening:
            assert whats(next_of(listening, 1)) == ["a"]

    def test_traffic_drives_no_error_out(self, open_bus: OpenBus) -> None:
        bus = open_bus()
        bus.publish(note("oops", kind=Kind.ERROR))
        told(bus, *map(str, range(5 * ROOM)))
        with bus.subscribe("0", kinds=[Kind.ERROR]) as listening:
            bus.publish(note("again", kind=Kind.ERROR))
            assert whats(next_of(listening, 2)) == ["oops", "again"]

    def test_who_listens_to_some_kinds_or_actors_hears_no_other(self, open_bus: OpenBus) -> None:
        bus = open_bus()
        told(bus, "old", actor="ben")
        with (
            bus.subscribe("0", kinds=[Kind.READ]) as reads,
            bus.subscribe("0", heard=lambda one: one.actor_id == "ada") as ada,
        ):
            told(bus, "ben's", actor="ben")
            bus.publish(note("ada's", kind=Kind.READ))
            assert whats(next_of(reads, 1)) == ["ada's"]
            assert whats(next_of(ada, 1)) == ["ada's"]

    def test_who_is_slow_gets_a_counted_gap_and_goes_on(self, open_bus: OpenBus) -> None:
        bus = open_bus()
        with bus.subscribe(heard=lambda one: one.actor_id == "ada") as slow:
            told(bus, *map(str, range(ROOM)))
            told(bus, *["lost"] * 3)
            told(bus, *["not for ada"] * 5, actor="ben")
            settled(bus)
            found = next_of(slow, ROOM + 1)
            assert whats(found) == [*map(str, range(ROOM)), "gap"]
            assert found[-1].missed == 3
            told(bus, "and on")
            assert whats(next_of(slow, 1)) == ["and on"]
            assert bus.traffic().dropped == 3

    def test_waiting_ends_with_the_time_and_with_the_subscription(self, open_bus: OpenBus) -> None:
        bus = open_bus()
        listening = bus.subscribe()
        assert listening.take() is None
        assert listening.next(timedelta(0)) is None
        heard: list[Notice] = []
        thread = threading.Thread(target=lambda: heard.extend(listening))
        thread.start()
        told(bus, "a")
        while not heard:
            thread.join(0.001)
        bus.close()
        thread.join(SOON.total_seconds())
        assert not thread.is_alive() and whats(heard) == ["a"]
        assert bus.traffic().subscribers == 0

    def test_who_cannot_wait_is_woken(self, open_bus: OpenBus) -> None:
        bus = open_bus()
        woken = threading.Event()
        with bus.subscribe(wake=woken.set) as listening:
            told(bus, "a")
            assert woken.wait(SOON.total_seconds())
            found = listening.take()
            assert found is not None and found.what == "a"

    @pytest.mark.parametrize("after", ["", "x", "-1", "1-2-3", "\u0663-1", "9" * 30])
    def test_an_id_that_is_none_is_refused(self, open_bus: OpenBus, after: str) -> None:
        with pytest.raises(Invalid):
            open_bus().subscribe(after)

    @settings(max_examples=30, deadline=None, suppress_health_check=CHECKS)
    @given(story=st.lists(st.one_of(st.integers(1, ROOM), st.none()), max_size=30))
    def test_what_is_heard_and_what_is_missed_are_all_that_was_told(
        self, open_bus: OpenBus, story: list[int | None]
    ) -> None:
        bus = open_bus()
        number = seen = 0
        with bus.subscribe() as listening:
            for step in (*story, None):
                if step is not None:
                    told(bus, *(str(number + one) for one in range(step)))
                    number += step
                    continue
                while seen < number:
                    one = listening.next(SOON)
                    assert one is not None
                    if one.kind is Kind.GAP:
                        seen += one.missed or 0
                    else:
                        assert one.what == str(seen)
                        seen += 1
        assert seen == number
