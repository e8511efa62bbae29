"""The worker keeps a memory in order: one runner among many, which catches up, and stops cleanly."""

import os
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.stories.waiting import MOST, until

from foveal import Memory, MemoryConfig, Settings, Worker
from foveal.config import load_settings
from foveal.errors import Invalid
from foveal.model.policy import Schedule
from foveal.model.record import Tier, Vitals
from foveal.rules.decay import strength
from foveal.testing import ManualClock

MONDAY = datetime(2026, 1, 5, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(MONDAY)


def test_one_scheduler_among_many_does_a_job(tmp_path: Path, clock: ManualClock) -> None:
    settings = Settings(second_look="off", metabolism="worker")
    with (
        Memory(tmp_path / "m.db", clock=clock, settings=settings) as one,
        Memory(tmp_path / "m.db", clock=clock, settings=settings) as two,
    ):
        one.write("dear", importance=0.9, actor_id="ada")
        first, second = one.scheduler(), two.scheduler()
        assert first.tick()["migration"] == 1
        assert second.tick() == {}
        clock.turn(HOUR)
        assert "migration" in second.due()
        # The first went away without a word: its lease has run out.
        assert "migration" in second.tick()
        assert first.tick() == {}
        second.stop()


def test_a_lease_keeps_the_others_out_while_it_lasts(clock: ManualClock) -> None:
    with Memory(":memory:", clock=clock, settings=Settings(second_look="off", metabolism="worker")) as memory:
        first, second = memory.scheduler(), memory.scheduler()
        first.tick()
        clock.turn(timedelta(minutes=1))
        assert second.tick() == {}
        first.stop()
        assert "migration" in second.tick()


def test_what_was_missed_while_nobody_worked_is_done_once(clock: ManualClock) -> None:
    with Memory(":memory:", clock=clock, settings=Settings(second_look="off", metabolism="worker")) as memory:
        one = memory.write("dear", importance=0.9, actor_id="ada").id
        scheduler = memory.scheduler()
        scheduler.tick()
        clock.turn(timedelta(days=30))
        assert set(scheduler.tick()) == {
            *("reaping", "migration", "consolidation", "second_look", "extraction", "decay", "cleanup"),
            "health_check",
        }
        assert scheduler.tick() == {}
        assert memory.get(one, actor_id="ada").vitals.tier is Tier.SEMANTIC


def test_strength_is_the_same_however_often_the_worker_ran(clock: ManualClock) -> None:
    left: list[float] = []
    for times in (1, 24):
        own = ManualClock(MONDAY)
        with Memory(":memory:", clock=own, settings=Settings(second_look="off", metabolism="worker")) as memory:
            one = memory.write("x", tier="L2", importance=1.0, actor_id="ada").id
            scheduler = memory.scheduler()
            for _ in range(times):
                own.turn(timedelta(days=1) / times)
                scheduler.tick()
            record = memory.get(one, actor_id="ada")
            as_written = Vitals(tier=Tier.SESSION, importance=record.vitals.importance)
            left.append(strength(as_written, record.recorded_at, own.now()))
    assert left[0] == left[1]
    assert round(left[0], 9) == 0.9


def test_what_faded_away_in_l4_goes_to_the_archive(clock: ManualClock) -> None:
    with Memory(":memory:", clock=clock, settings=Settings(second_look="off", metabolism="worker")) as memory:
        dim = memory.write("a dim fact", tier="L4", importance=0.12, actor_id="ada").id
        clear = memory.write("a clear fact", tier="L4", importance=0.9, actor_id="ada").id
        clock.turn(timedelta(days=91))
        memory.scheduler().tick()
        lives = {one.id: one.vitals for one in memory.get_many([dim, clear], actor_id="ada")}
        assert lives[dim].archived_at is not None
        assert lives[clear].archived_at is None
        [move] = memory.lifecycle.journal(dim, actor_id="ada")
        assert move.why == "its strength is 0.05, below 0.1"


def test_the_journal_is_kept_as_long_as_it_says(clock: ManualClock) -> None:
    settings = Settings(second_look="off", metabolism="worker", scheduler=Schedule(journal_days=10))
    with Memory(":memory:", clock=clock, settings=settings) as memory:
        one = memory.write("dear", importance=0.9, actor_id="ada").id
        scheduler = memory.scheduler()
        scheduler.tick()
        clock.turn(timedelta(days=11))
        scheduler.tick()
        assert [move.what for move in memory.lifecycle.journal(one, actor_id="ada")] == ["sedimented", "digested"]


def test_the_configuration_file_changes_what_happens(tmp_path: Path) -> None:
    (tmp_path / "memory_config.yaml").write_text(
        """
        database: {path: mine.db}
        memory:
          strategy: time_based
          l1: {capacity: 20}
        decay: {L2: 0.2}
        types:
          rumour: {tier: L1, importance: 0.1, reinforcement: 1.05}
        scheduler: {cleanup: 24}
        """
    )
    found = load_settings({}, tmp_path)
    assert found.url == "mine.db"
    l1 = found.memory.l1
    assert (found.memory.strategy, l1.capacity, l1.retention_hours) == ("time_based", 20, 1)
    assert (found.memory.kind("rumour").importance, found.scheduler.cleanup) == (0.1, 24)
    with Memory(":memory:", settings=found) as memory:
        assert memory.get(memory.write("x", kind="rumour", actor_id="a").id, actor_id="a").vitals.importance == 0.1
        assert memory.get_stats(actor_id="a")["max_l1_size"] == 20
    assert load_settings({"FOVEAL_URL": "other.db"}, tmp_path).url == "other.db"
    assert load_settings({"FOVEAL_MEMORY": '{"l1": {"capacity": 5}}'}, tmp_path).memory.l1.capacity == 5


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("memroy: {}", "did you mean memory"),
        ("memory: {l1: {capasity: 3}}", "did you mean capacity"),
        ("scheduler: {cleenup: 3}", "did you mean cleanup"),
        ("database: {pth: x}", "did you mean path"),
        ("memory: {strategy: clever}", "strategy"),
        ("memory: {l1: {capacity: many}}", "capacity"),
        ("memory: 7", "must be a mapping"),
        ("- 1", "must be a mapping"),
        ("a: [", "is not YAML"),
        ("decay: {L7: 0.1}", "not a tier"),
    ],
)
def test_a_wrong_key_in_the_file_is_refused_with_the_nearest(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "memory_config.yaml").write_text(text)
    with pytest.raises(Invalid, match=told):
        load_settings({}, tmp_path)


def test_a_worker_in_this_process_stops_when_asked(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.db", settings=Settings(second_look="off", metabolism="worker")) as memory:
        one = memory.write("dear", importance=0.9, actor_id="ada").id
        done: list[str] = []
        with Worker(memory.scheduler(), seconds=0.01, told=lambda name, _: done.append(name)):
            until(lambda: "health_check" in done)
        assert memory.get(one, actor_id="ada").vitals.tier is Tier.SESSION
        assert memory.scheduler().tick() == {}


def test_foveal_worker_ends_cleanly_on_sigterm(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with Memory(path, settings=Settings(second_look="off", metabolism="worker")) as memory:
        one = memory.write("dear", importance=0.9, actor_id="ada").id
    command = [sys.executable, "-m", "foveal.doors.cli", "--url", str(path), "worker"]
    worker = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "NO_COLOR": "1"})
    with Memory(path, settings=Settings(second_look="off", metabolism="off")) as memory:
        until(lambda: memory.get(one, actor_id="ada").vitals.tier is Tier.SESSION)
    worker.send_signal(signal.SIGTERM)
    _, said = worker.communicate(timeout=MOST)
    assert worker.returncode == 0
    assert said.strip().endswith("stopped")


def test_a_pass_that_was_killed_is_taken_up_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    config = MemoryConfig()
    with Memory(path, settings=Settings(second_look="off", metabolism="off"), config=config) as memory:
        memory.write_many([{"text": f"note {n}", "importance": 0.9} for n in range(3_000)], actor_id="ada")
    script = f"from foveal import Memory; Memory({str(path)!r}).lifecycle.run(actor_id='ada')"
    child = subprocess.Popen([sys.executable, "-c", script])
    with Memory(path, settings=Settings(second_look="off", metabolism="off")) as memory:
        ada = memory.view(actor_id="ada")
        until(lambda: ada.get_stats()["l2_size"] > 0 or child.poll() is not None)
        child.kill()
        child.wait()
        ada.lifecycle.run()
        stats = ada.stats()
        assert (stats.records, stats.tiers.get("working", 0)) == (3_000, 0)
        moves = [move.record_id for move in ada.lifecycle.journal(limit=100_000) if move.what == "promoted"]
        assert len(moves) == len(set(moves)) == 3_000
