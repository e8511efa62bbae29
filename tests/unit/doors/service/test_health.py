"""A server says how it is, quickly, also when a part of it hangs."""

from __future__ import annotations

import threading
from datetime import timedelta
from pathlib import Path

import pytest

from foveal import Memory, Settings
from foveal.backends.models.llm import OpenAIModel
from foveal.doors.service.health import HealthMonitor, Probes, caches_of
from foveal.doors.service.metrics import Metrics
from foveal.errors import ModelUnavailable, StoreUnavailable
from foveal.model.server import Breaker, CircuitState, Component, Health, State
from foveal.ports.models import Message
from foveal.testing import ManualClock

PARTS = ["store", "index", "vectors", "embedder", "cache", "bus", "scheduler", "disk", "clock"]


def _part(health: Health, name: str) -> Component:
    return next(one for one in health.components if one.name == name)


def test_a_memory_that_works_is_ok_in_every_part(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Memory(path) as memory:
        memory.write("tea", actor_id="ada")
        health = HealthMonitor(memory, Settings(second_look="off"), url=path).health()
    assert [one.name for one in health.components] == PARTS
    assert health.state is State.OK and health.ready, health
    assert _part(health, "store").unit == "ms" and (_part(health, "disk").figure or 0) > 0


def test_a_store_that_is_gone_takes_all_down(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "memory.db")
    monitor = HealthMonitor(memory, Settings(second_look="off"), url=tmp_path / "memory.db")
    memory.close()
    health = monitor.health()
    assert health.state is State.DOWN and not health.ready
    assert "closed" in _part(health, "store").reason


def test_an_encoder_that_is_away_leaves_less_not_nothing() -> None:
    away = False

    def encode(texts: object) -> list[list[float]]:
        if away:
            raise ModelUnavailable("away")
        return [[1.0] * 8 for _ in texts]  # pyright: ignore[reportGeneralTypeIssues, reportUnknownVariableType]

    with Memory(":memory:", embedder=encode) as memory:
        memory.write("tea", actor_id="ada")
        away = True
        memory.write("coffee", actor_id="ada")
        health = HealthMonitor(memory, Settings(second_look="off"), url=":memory:").health()
    assert health.state is State.DEGRADED and health.ready
    assert _part(health, "embedder").state is State.DOWN
    assert (_part(health, "index").figure, _part(health, "index").state) == (1, State.DEGRADED)


def test_who_drains_is_well_and_not_ready() -> None:
    with Memory(":memory:") as memory:
        monitor = HealthMonitor(memory, Settings(second_look="off"), url=":memory:")
        assert monitor.health().ready
        monitor.drain()
        health = monitor.health()
    assert health.state is State.OK and health.draining and not health.ready


def test_a_clock_that_was_set_is_seen() -> None:
    clock = ManualClock()
    with Memory(":memory:", clock=clock) as memory:
        monitor = HealthMonitor(memory, Settings(second_look="off"), url=":memory:")
        clock.turn(timedelta(hours=1))
        assert _part(monitor.health(), "clock").state is State.DEGRADED


def test_a_worker_that_never_came_is_missed() -> None:
    with Memory(":memory:", settings=Settings(second_look="off", metabolism="worker")) as memory:
        monitor = HealthMonitor(memory, Settings(second_look="off", metabolism="worker"), url=":memory:")
        assert "worker" in _part(monitor.health(), "scheduler").reason
        memory.scheduler().tick()
        again = HealthMonitor(memory, Settings(second_look="off", metabolism="worker"), url=":memory:").health()
        assert _part(again, "scheduler").state is State.OK


def test_a_part_that_hangs_is_down_and_is_not_asked_twice() -> None:
    begun, release, asked = threading.Event(), threading.Event(), 0

    def hang() -> Component:
        nonlocal asked
        asked += 1
        begun.set()
        release.wait()
        return Component(name="x", state=State.OK, reason="back")

    rounds, soon = Probes(), timedelta(milliseconds=5)
    assert "within" in rounds.ask("x", hang, soon).reason
    assert begun.wait(240)
    assert "still" in rounds.ask("x", hang, soon).reason
    assert asked == 1
    release.set()
    while rounds.ask("x", hang, timedelta(seconds=240)).state is State.DOWN:
        pass
    assert asked == 2


def test_a_part_that_fails_is_down_with_its_reason() -> None:
    def fail() -> Component:
        raise StoreUnavailable("no file")

    assert Probes().ask("store", fail).reason == "no file (store_unavailable)"


def test_a_breaker_is_told_as_it_stands() -> None:
    # Nobody listens at port 9.
    settings = Settings(
        second_look="off", llm="http://127.0.0.1:9/v1#tiny", breaker=Breaker(failures=2, seconds=60)
    )
    with Memory(":memory:", settings=settings) as memory:
        monitor = HealthMonitor(memory, settings, url=":memory:")
        metrics = Metrics(memory)
        [before] = monitor.health().breakers
        assert (before.name, before.state, before.failures, before.allowed) == ("model", CircuitState.CLOSED, 0, 2)
        assert _part(monitor.health(), "model").state is State.OK
        assert isinstance(memory.llm, OpenAIModel)
        model = OpenAIModel("http://127.0.0.1:9/v1", model="tiny", wait=lambda _: None, breaker=memory.llm.breaker)
        for _ in range(3):
            with pytest.raises(ModelUnavailable):
                model.complete([Message(role="user", content="hello")])
        health = HealthMonitor(memory, settings, url=":memory:").health()
        [after] = health.breakers
        assert (after.state, after.failures) == (CircuitState.OPEN, 2)
        assert 0 < after.seconds <= 60 and after.failed_at is not None
        assert _part(health, "model").state is State.DEGRADED
        assert health.state is State.DEGRADED and health.ready
        told = metrics.exposition().decode()
        metrics.close()
    assert 'foveal_breaker_state{breaker="model"} 2.0' in told
    assert 'foveal_breaker_failures{breaker="model"} 2.0' in told


def test_a_server_that_asks_no_other_has_no_breaker() -> None:
    with Memory(":memory:") as memory:
        assert HealthMonitor(memory, Settings(second_look="off"), url=":memory:").health().breakers == ()


def test_looking_after_a_memory_does_not_count_as_asking_its_caches() -> None:
    clock = ManualClock()
    with Memory(":memory:", clock=clock) as memory:
        memory.write("Ada drinks tea.", actor_id="ada")
        memory.search("What does Ada drink?", actor_id="ada")
        before = caches_of(memory)
        for _ in range(3):
            clock.turn(timedelta(minutes=2))
            assert (
                _part(HealthMonitor(memory, Settings(second_look="off"), url=":memory:").health(), "embedder").state
                is State.OK
            )
        assert caches_of(memory) == before
