"""Contracts of buses and vector indexes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foveal.errors import Invalid
from foveal.model.notice import Fault, Kind, Notice, Severity, mark_of
from foveal.ports.system import Bus, Subscription, VectorIndex

AT = datetime(2026, 1, 5, 9, tzinfo=UTC)
# Long enough for the slowest machine: a wait that times out is a failure.
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
    """Publish a notice for each text."""
    for what in whats:
        bus.publish(note(what, actor=actor))


def next_of(listening: Subscription, count: int) -> list[Notice]:
    """The next `count` notices, waiting for each."""
    notices = [listening.next(SOON) for _ in range(count)]
    return [notice for notice in notices if notice is not None]


def settled(bus: Bus) -> None:
    """Wait until all published notices have arrived: they arrive in order, so the last one shows it."""
    with bus.subscribe(heard=lambda notice: notice.actor_id == "last") as listening:
        told(bus, "last", actor="last")
        assert listening.next(SOON) is not None


def whats(notices: list[Notice]) -> list[str]:
    """The texts of notices, with "gap" for a gap."""
    return ["gap" if notice.kind is Kind.GAP else notice.what for notice in notices]


class BusContract:
    """The contract of a bus. A subclass supplies `open_bus`: it opens a bus that keeps 8 notices and 8 errors."""

    @pytest.fixture
    def open_bus(self) -> OpenBus:
        raise NotImplementedError

    def test_who_listens_hears_what_is_told_in_order(self, open_bus: OpenBus) -> None:
        bus = open_bus()
        told(bus, "before")
        with bus.subscribe() as first, bus.subscribe() as second:
            told(bus, "a", "b", "c")
            for listening in (first, second):
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
            marks = [mark_of(notice.id) for notice in next_of(listening, 5)]
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
            heard = whats(next_of(listening, ROOM + 1))
        assert heard == ["gap", *map(str, range(ROOM, 2 * ROOM))]

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
            bus.subscribe("0", heard=lambda notice: notice.actor_id == "ada") as ada,
        ):
            told(bus, "ben's", actor="ben")
            bus.publish(note("ada's", kind=Kind.READ))
            assert whats(next_of(reads, 1)) == ["ada's"]
            assert whats(next_of(ada, 1)) == ["ada's"]

    def test_who_is_slow_gets_a_counted_gap_and_goes_on(self, open_bus: OpenBus) -> None:
        bus = open_bus()
        with bus.subscribe(heard=lambda notice: notice.actor_id == "ada") as slow:
            told(bus, *map(str, range(ROOM)))
            told(bus, *["lost"] * 3)
            told(bus, *["not for ada"] * 5, actor="ben")
            settled(bus)
            notices = next_of(slow, ROOM + 1)
            assert whats(notices) == [*map(str, range(ROOM)), "gap"]
            assert notices[-1].missed == 3
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
            notice = listening.take()
            assert notice is not None and notice.what == "a"

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
                    told(bus, *map(str, range(number, number + step)))
                    number += step
                    continue
                while seen < number:
                    notice = listening.next(SOON)
                    assert notice is not None
                    if notice.kind is Kind.GAP:
                        seen += notice.missed or 0
                    else:
                        assert notice.what == str(seen)
                        seen += 1
        assert seen == number


NOTE, TASK = "note", "task"
ADA, BOB = ("default", "ada"), ("default", "bob")
EAST, NORTH, UP = np.eye(3, dtype=np.float32)


class VectorIndexContract:
    """The contract of a vector index. A subclass supplies `index`, an empty one."""

    def test_the_nearest_come_first_with_their_cosines(self, index: VectorIndex) -> None:
        index.upsert(ADA, NOTE, ["east", "both", "north"], np.array([EAST, 3 * (EAST + NORTH), NORTH]))
        hits = index.query(ADA, None, 2 * EAST, 2)
        assert [record_id for record_id, _ in hits] == ["east", "both"]
        assert [cosine for _, cosine in hits] == pytest.approx([1.0, 0.5**0.5], abs=1e-3)

    def test_an_organism_never_sees_the_vectors_of_another(self, index: VectorIndex) -> None:
        index.upsert(ADA, NOTE, ["a"], EAST[None])
        index.upsert(BOB, NOTE, ["b"], EAST[None])
        index.upsert(("other", "ada"), NOTE, ["c"], EAST[None])
        assert [record_id for record_id, _ in index.query(ADA, None, EAST, 9)] == ["a"]
        index.delete(BOB, ["a"])
        assert [record_id for record_id, _ in index.query(ADA, None, EAST, 9)] == ["a"]
        assert index.query(("default", "nobody"), None, EAST, 9) == []

    def test_kinds_are_asked_together_or_apart(self, index: VectorIndex) -> None:
        index.upsert(ADA, NOTE, ["a"], EAST[None])
        index.upsert(ADA, TASK, ["b", "c"], np.array([EAST + NORTH, UP]))
        assert [record_id for record_id, _ in index.query(ADA, None, EAST, 2)] == ["a", "b"]
        assert [record_id for record_id, _ in index.query(ADA, [TASK], EAST, 9)] == ["b", "c"]
        assert index.query(ADA, ["nothing"], EAST, 9) == []
        index.delete(ADA, ["a", "c"])
        assert [record_id for record_id, _ in index.query(ADA, [NOTE, TASK], EAST, 9)] == ["b"]

    def test_a_long_text_is_found_by_each_of_its_rows_and_comes_once(self, index: VectorIndex) -> None:
        index.upsert(ADA, NOTE, ["long", "long", "long", "short"], np.array([EAST, EAST + NORTH, UP, NORTH]))
        for wanted in (EAST, UP):
            assert [record_id for record_id, _ in index.query(ADA, None, wanted, 2)] == ["long", "short"]
        assert index.query(ADA, None, UP, 1)[0][1] == pytest.approx(1.0, abs=1e-3)
        index.upsert(ADA, NOTE, ["long"], NORTH[None])
        assert dict(index.query(ADA, None, UP, 9))["long"] == pytest.approx(0.0, abs=1e-3)
        index.delete(ADA, ["long"])
        assert [record_id for record_id, _ in index.query(ADA, None, EAST, 9)] == ["short"]

    def test_a_mark_is_kept_until_it_is_cleared(self, index: VectorIndex) -> None:
        assert index.mark(ADA) is None
        index.set_mark(ADA, "as far as this")
        index.set_mark(BOB, "further")
        index.upsert(ADA, NOTE, ["a"], EAST[None])
        index.upsert(BOB, NOTE, ["b"], EAST[None])
        assert index.mark(ADA) == "as far as this"
        index.clear(ADA)
        index.clear(("default", "nobody"))
        assert (index.mark(ADA), index.query(ADA, None, EAST, 9)) == (None, [])
        assert index.mark(BOB) == "further"
        assert [record_id for record_id, _ in index.query(BOB, None, EAST, 9)] == ["b"]
        index.upsert(ADA, NOTE, ["a"], np.ones((1, 7), np.float32))
        assert len(index.query(ADA, None, np.ones(7, np.float32), 9)) == 1

    def test_an_id_has_one_vector_the_last(self, index: VectorIndex) -> None:
        index.upsert(ADA, NOTE, ["a", "b"], np.array([EAST, NORTH]))
        index.upsert(ADA, NOTE, ["a"], UP[None])
        index.upsert(ADA, NOTE, ["a"], UP[None])
        assert [record_id for record_id, _ in index.query(ADA, None, UP, 1)] == ["a"]
        assert len(index.query(ADA, None, EAST, 9)) == 2

    def test_what_was_deleted_is_not_found(self, index: VectorIndex) -> None:
        index.upsert(ADA, NOTE, ["a", "b"], np.array([EAST, NORTH]))
        index.delete(ADA, ["a", "never there"])
        assert [record_id for record_id, _ in index.query(ADA, None, EAST, 9)] == ["b"]
        index.delete(ADA, [])
        index.upsert(ADA, NOTE, [], np.empty((0, 3), np.float32))
        assert len(index.query(ADA, None, EAST, 9)) == 1

    def test_it_finds_what_comparing_each_would_find(self, index: VectorIndex) -> None:
        rng = np.random.default_rng(4)
        rows = rng.normal(size=(300, 16)).astype(np.float32)
        index.upsert(ADA, NOTE, [str(n) for n in range(300)], rows)
        wanted = rng.normal(size=16).astype(np.float32)
        cosines = rows @ wanted / np.linalg.norm(rows, axis=1)
        ids = [record_id for record_id, _ in index.query(ADA, None, wanted, 10)]
        assert len(set(ids) & {str(n) for n in np.argsort(-cosines)[:10]}) >= 9
        assert ids[0] == str(int(np.argmax(cosines)))

    def test_what_does_not_fit_together_is_refused(self, index: VectorIndex) -> None:
        index.upsert(ADA, NOTE, ["a"], EAST[None])
        for ids, rows in (
            (["b", "c"], EAST[None]),
            (["b"], EAST),
            (["b"], np.ones((1, 4))),
            (["b"], EAST[None] * np.nan),
        ):
            with pytest.raises(Invalid):
                index.upsert(ADA, NOTE, ids, rows.astype(np.float32))
        assert len(index.query(ADA, None, EAST, 9)) == 1
