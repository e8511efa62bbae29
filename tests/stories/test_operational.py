"""Operational memory: fast, bounded, and what is critical is never lost."""

import tracemalloc
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from foveal import Memory
from foveal.engine.memory import View
from foveal.engine.runtime.event_ring import EventRings, Ring
from foveal.errors import FovealError, NotFound, StoreUnavailable
from foveal.model.ledger import Event
from foveal.model.query import Viewpoint
from foveal.ports.ledger import Ledger
from foveal.testing import ManualClock

HOUR = timedelta(hours=1)


@pytest.fixture
def ada(memory: Memory) -> View:
    return memory.view(actor_id="ada")


def _event(number: int, clock: ManualClock, category: str = "c", source: str = "") -> Event:
    return Event(id=str(number), timestamp=clock.now(), category=category, source=source)


def test_a_full_ring_keeps_the_newest(clock: ManualClock) -> None:
    ring = Ring(capacity=3)
    for number in range(4):
        ring.push(_event(number, clock), clock.now())
    assert [one.id for one in ring.recent(9, None, None, clock.now())] == ["3", "2", "1"]
    many = Ring(capacity=1000)
    for number in range(5000):
        many.push(_event(number, clock, category=str(number % 7), source=str(number % 3)), clock.now())
    assert len(many) == 1000
    assert [int(one.id) for one in many.recent(1000, None, None, clock.now())] == list(range(4999, 3999, -1))


def test_recent_events_come_newest_first_by_category_and_source(ada: View) -> None:
    for number in range(12):
        ada.operational.push_event(
            "error" if number % 3 == 0 else "login", {"n": number}, source="web" if number % 2 else "db"
        )

    def numbers(**said: Any) -> list[int]:
        return [one.data["n"] for one in ada.operational.get_recent(**said)]

    assert numbers(count=3) == [11, 10, 9]
    assert numbers(category="error") == [9, 6, 3, 0]
    assert numbers(source="db", count=2) == [10, 8]
    assert numbers(category="error", source="web") == [9, 3]
    assert numbers(category="nothing") == []
    assert ada.operational.get_recent_events(1) == ada.operational.get_recent(1)


def test_events_live_an_hour_and_are_counted_when_they_leave(ada: View, clock: ManualClock) -> None:
    ada.operational.push_event("login", source="web")
    clock.turn(timedelta(minutes=59))
    ada.operational.push_event("login", source="web")
    assert len(ada.operational.get_recent()) == 2
    clock.turn(timedelta(minutes=1))
    assert len(ada.operational.get_recent()) == 1
    clock.turn(HOUR)
    assert ada.operational.get_recent() == []
    assert sum(one.count for one in ada.operational.get_event_hours()) == 2
    assert {(one.category, one.source) for one in ada.operational.get_event_hours()} == {("login", "web")}


def test_critical_events_of_the_last_hour_are_in_the_ring_after_a_restart(
    ada: View, reopened: Callable[[], Memory], clock: ManualClock
) -> None:
    ada.operational.push_event("error", critical=True, event_id="old")
    clock.turn(timedelta(minutes=40))
    ada.operational.push_event("error", critical=True, event_id="new")
    clock.turn(timedelta(minutes=30))
    again = reopened().view(actor_id="ada").operational
    assert [one.id for one in again.get_recent()] == ["new"]
    assert [one.id for one in again.get_events()] == ["new", "old"]


def test_metrics_have_a_latest_value_and_hourly_roll_ups(
    ada: View, reopened: Callable[[], Memory], clock: ManualClock
) -> None:
    for value in (1, 2, 6):
        ada.operational.update_metric("load", value)
    clock.turn(HOUR)
    ada.operational.update_metric("load", 4.0)
    again = reopened().view(actor_id="ada").operational
    assert again.get_metric("load").value == 4.0
    first, second = again.get_metric_hours("load")
    assert (first.count, first.mean, first.least, first.most) == (3, 3.0, 1.0, 6.0)
    assert (second.count, second.mean) == (1, 4.0)
    assert again.get_metric_hours("load", since=clock.now() - timedelta(minutes=30)) == [second]
    with pytest.raises(NotFound):
        again.get_metric("nothing")


def test_a_snapshot_shows_the_machine_and_the_work_on_it(ada: View) -> None:
    goal = ada.ledger.store_goal("Rebuild the index")
    ada.ledger.store_task(goal.id, "read everything", agent="reader", status="in_progress")
    ada.ledger.store_task(goal.id, "write everything", agent="writer")
    ada.ledger.store_agent_state("watcher", {"asleep": False})
    ada.operational.update_metric("gpu.utilization", 0.5)
    ada.operational.update_metric("queue", 3)
    found = ada.operational.get_system_snapshot()
    assert set(found.values) == {
        *("cpu.usage", "memory.used_mb", "memory.total_mb", "disk.used_gb", "disk.total_gb"),
        *("gpu.utilization", "tasks.active", "agents.active"),
    }
    assert 0 < found.values["memory.used_mb"] < found.values["memory.total_mb"]
    assert 0 < found.values["disk.used_gb"] <= found.values["disk.total_gb"]
    assert (found.values["tasks.active"], found.values["agents.active"]) == (1.0, 2.0)
    assert (dict(found.metrics), found.loaded_models) == ({"queue": 3.0}, ("foveal-static-1",))
    assert [one.description for one in found.active_tasks] == ["read everything"]


def test_a_million_events_keep_memory_flat(clock: ManualClock) -> None:
    ring = Ring()
    for number in range(20_000):
        ring.push(_event(number, clock, category=f"c{number % 50}"), clock.now())
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for number in range(20_000, 120_000):
        ring.push(_event(number, clock, category=f"c{number % 50}"), clock.now())
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert len(ring) == 10_000
    # The ten thousand events that replaced the untraced ones, and nothing for the ninety thousand that left.
    assert grown < 10_000 * 700


def test_rings_of_viewpoints_that_are_quiet_are_let_go(clock: ManualClock) -> None:
    rings = EventRings(most=2)
    views = [Viewpoint(actor_id=name) for name in "abc"]
    for view in views:
        rings.made(view, [], clock.now())
    assert rings.known(views[0]) is not None
    assert [view for view, _ in rings.spare()] == [views[1]]
    assert rings.known(views[1]) is None


def test_what_could_not_be_written_waits_for_the_next_time(
    ada: View, monkeypatch: pytest.MonkeyPatch, clock: ManualClock
) -> None:
    ada.operational.update_metric("load", 2.0)
    ada.operational.push_event("login")
    clock.turn(HOUR)

    def away(*_: object) -> None:
        raise StoreUnavailable

    ledger: Ledger = ada._runtime.store.ledger  # pyright: ignore[reportPrivateUsage]
    with monkeypatch.context() as patch:
        patch.setattr(ledger, "add_up", away)
        with pytest.raises(FovealError):
            ada.operational.get_event_hours()
    ada.operational.update_metric("load", 4.0)
    assert sum(one.count for one in ada.operational.get_event_hours()) == 1
    assert [one.count for one in ada.operational.get_metric_hours("load")] == [1, 1]


def test_much_that_waits_is_written_in_between(ada: View, clock: ManualClock) -> None:
    for number in range(1_100):
        ada.operational.update_metric(f"m{number}", 1.0)
    store = ada._runtime.store  # pyright: ignore[reportPrivateUsage]
    from foveal.model.ledger import MetricHour
    from foveal.ports.ledger import COMMON

    assert store.ledger.count_rows(Viewpoint(actor_id="ada", node=COMMON), MetricHour) > 1_000


def test_every_metric_is_listed_with_its_latest_value(tmp_path: Path) -> None:
    clock = ManualClock()
    with Memory(tmp_path / "m.db", clock=clock) as one:
        one.operational.update_metric("heat", 20, actor_id="ada")
        one.operational.update_metric("cold", 1, actor_id="ada")
    with Memory(tmp_path / "m.db", clock=clock) as one, Memory(tmp_path / "m.db", clock=clock) as other:
        ada = one.view(actor_id="ada")
        clock.turn(timedelta(minutes=1))
        ada.operational.update_metric("heat", 21)
        assert [(metric.name, metric.value) for metric in ada.operational.get_metrics()] == [
            ("cold", 1),
            ("heat", 21),
        ]
        clock.turn(timedelta(minutes=1))
        other.operational.update_metric("heat", 25, actor_id="ada")
        other.operational.get_metric_hours("heat", actor_id="ada")
        assert [metric.value for metric in ada.operational.get_metrics()] == [1, 25]
        assert one.operational.get_metrics(actor_id="bob") == []
