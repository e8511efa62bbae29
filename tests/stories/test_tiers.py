"""Memories move from tier to tier as their policy says, and nothing is lost on the way."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from foveal import Memory, MemoryConfig, MemoryLayerConfig, Settings
from foveal.backends.models.static import StaticEmbedder
from foveal.engine.memory import View
from foveal.errors import Conflict, Invalid, NotFound
from foveal.model.record import Tier
from foveal.model.results import What
from foveal.testing import ManualClock

MONDAY = datetime(2026, 1, 5, 9, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
WORKER = Settings(second_look="off", metabolism="worker")

Open = Callable[..., View]


def _tier(view: View, record_id: str) -> tuple[int, bool]:
    vitals = view.get(record_id).vitals
    return int(vitals.tier), vitals.archived_at is not None


def test_what_matters_goes_to_l2_and_the_rest_to_the_archive(opened: Open, clock: ManualClock) -> None:
    ada = opened()
    dear, plain = ada.write("the alarm code is 4711", importance=0.9).id, ada.write("it rains").id
    edge = ada.write("on the edge", importance=0.6).id
    ada.lifecycle.run()
    assert (_tier(ada, dear), _tier(ada, plain), _tier(ada, edge)) == ((2, False), (1, False), (1, False))
    clock.turn(HOUR)
    ada.lifecycle.run()
    assert (_tier(ada, plain), _tier(ada, edge)) == ((1, True), (1, True))
    assert ada.search("does it rain?")[0].id == plain


def test_nothing_is_promoted_twice(opened: Open) -> None:
    ada = opened()
    one = ada.write("the alarm code is 4711", importance=0.9).id
    assert ada.lifecycle.run().counts == {"promoted": 1}
    assert ada.lifecycle.run().moves == 0
    assert [move.what for move in ada.lifecycle.journal(one)] == [What.PROMOTED]


def test_l1_holds_the_newest_of_each_session(opened: Open, clock: ManualClock) -> None:
    ada = opened(l1=MemoryLayerConfig(capacity=3, retention_hours=1))
    ids: list[str] = []
    for number in range(5):
        ids.append(ada.write(f"note {number}").id)
        clock.turn(timedelta(seconds=1))
    other = ada.write("another sitting", session_id="s2").id
    ada.lifecycle.run()
    assert [_tier(ada, one)[1] for one in ids] == [True, True, False, False, False]
    assert _tier(ada, other) == (1, False)


def test_a_full_l2_lets_the_least_important_go_first(opened: Open) -> None:
    ada = opened(l2=MemoryLayerConfig(capacity=10, retention_hours=24, promote_threshold=5))
    ids = {n: ada.write(f"fact {n}", tier="L2", importance=0.1 * n).id for n in range(1, 10)}
    ada.lifecycle.run()
    gone = [n for n, one in ids.items() if _tier(ada, one) != (2, False)]
    assert gone == [1]
    assert _tier(ada, ids[1]) == (2, True)


def test_what_left_l1_for_l2_survives_when_l1_overflows(opened: Open, clock: ManualClock) -> None:
    ada = opened(l1=MemoryLayerConfig(capacity=2, retention_hours=1))
    dear = ada.write("the alarm code is 4711", importance=0.9).id
    ada.lifecycle.run()
    for number in range(5):
        clock.turn(timedelta(seconds=1))
        ada.write(f"note {number}")
    ada.lifecycle.run()
    assert _tier(ada, dear) == (2, False)


def test_what_sediments_to_l4_is_found_by_search_with_its_text(opened: Open, clock: ManualClock) -> None:
    ada = opened()
    one = ada.write("the alarm code is 4711", importance=0.9).id
    for _ in range(9):
        ada.lifecycle.run()
        clock.turn(DAY)
    assert _tier(ada, one) == (4, False)
    elsewhere = ada.view(actor_id="ada", session_id="s2")
    assert elsewhere.search("what is the alarm code?")[0].text == "the alarm code is 4711"
    assert elsewhere.search("alarm code", filters={"tier": 4})[0].id == one
    moves = [(move.what, move.why) for move in reversed(ada.lifecycle.journal(one))]
    assert [what for what, _ in moves] == [What.PROMOTED, What.DIGESTED, What.SEDIMENTED]
    assert moves[1][1] == "L2 keeps 24 h; importance 0.90 is above 0.6"


def test_a_long_sleep_is_caught_up_in_one_run(opened: Open, clock: ManualClock) -> None:
    ada = opened()
    one = ada.write("the alarm code is 4711", importance=0.9).id
    clock.turn(30 * DAY)
    ada.lifecycle.run()
    assert _tier(ada, one) == (4, False)


def test_the_simple_strategy_counts_uses(opened: Open) -> None:
    ada = opened(strategy="simple")
    dear, used = ada.write("dear", importance=1.0).id, ada.write("used").id
    for _ in range(3):
        ada.read("used")
        ada.write("used")  # what was recalled and comes back is a use
    ada.lifecycle.run()
    assert (_tier(ada, dear), _tier(ada, used)) == ((1, False), (2, False))


def test_the_time_based_strategy_promotes_what_has_come_of_age(opened: Open, clock: ManualClock) -> None:
    ada = opened(strategy="time_based")
    one = ada.write("anything at all").id
    ada.lifecycle.run()
    assert _tier(ada, one) == (1, False)
    clock.turn(HOUR)
    ada.lifecycle.run()
    assert _tier(ada, one) == (2, False)
    clock.turn(DAY)
    ada.lifecycle.run()
    assert _tier(ada, one) == (3, False)


def test_what_is_pinned_or_preserved_is_never_archived(opened: Open, clock: ManualClock) -> None:
    ada = opened(l1=MemoryLayerConfig(capacity=1, retention_hours=1))
    pinned, kept = ada.write("a", pin=True).id, ada.write("b", linearity="preserved").id
    clock.turn(30 * DAY)
    ada.lifecycle.run()
    assert _tier(ada, pinned) == _tier(ada, kept) == (4, False)


def test_closed_gates_keep_records_from_the_colder_tiers(opened: Open, clock: ManualClock) -> None:
    ada = opened(enable_compression=False)
    one = ada.write("dear", importance=0.9).id
    clock.turn(2 * DAY)
    ada.lifecycle.run()
    assert _tier(ada, one) == (2, True)


def test_a_bounded_l4_lets_its_oldest_go_to_the_archive(
    opened: Open, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    ada = opened(l4=MemoryLayerConfig(capacity=2, promote_threshold=0))
    words = ["the kettle is blue", "Rome was sacked in 410", "Ines plays chess", "a router needs power"]
    ids: list[str] = []
    for text in words:
        ids.append(ada.write(text, tier="L4").id)
        clock.turn(HOUR)
    with caplog.at_level("INFO", "foveal.metabolism"):
        ada.lifecycle.run()
    assert [_tier(ada, one)[1] for one in ids] == [True, True, False, False]
    assert "L4 prune archived 2 records" in caplog.text
    stats = ada.get_stats()
    assert (stats["l4_size"], stats["max_l4_size"], stats["l4_pruned_count"]) == (2, 2, 2)
    assert stats["l4_last_pruned_at"] == clock.now()
    assert ada.search("when was Rome sacked?")[0].id == ids[1]


def test_stats_have_every_key_of_the_tiers(opened: Open) -> None:
    ada = opened()
    ada.write("x", importance=0.9)
    ada.lifecycle.run()
    stats = ada.get_stats()
    assert set(stats) >= {
        *(f"l{n}_size" for n in range(1, 5)),
        *(f"max_l{n}_size" for n in range(1, 5)),
        *(f"l{n}_retention_hours" for n in range(1, 5)),
        *("l4_index_size", "total_tasks", "total_facts", "l4_pruned_count", "l4_last_pruned_at"),
        *("has_vector_store", "has_embedding_provider"),
    }
    assert (stats["l1_size"], stats["l2_size"], stats["max_l1_size"], stats["max_l4_size"]) == (0, 1, 10, None)
    assert [stats[f"l{n}_retention_hours"] for n in range(1, 5)] == [1, 24, 168, None]


def test_a_dry_run_says_what_would_happen_and_changes_nothing(opened: Open) -> None:
    ada = opened()
    one = ada.write("dear", importance=0.9).id
    would = ada.lifecycle.run(dry_run=True)
    assert (would.counts, would.dry_run) == ({"promoted": 1}, True)
    assert [(move.record_id, move.why) for move in would.examples] == [(one, "importance 0.90 is above 0.6")]
    assert (_tier(ada, one), ada.lifecycle.journal()) == ((1, False), [])


def test_a_move_can_be_undone_once(opened: Open) -> None:
    ada = opened()
    one = ada.write("dear", importance=0.9).id
    ada.lifecycle.run()
    [move] = ada.lifecycle.journal(one)
    ada.lifecycle.undo(move.id)
    assert _tier(ada, one) == (1, False)
    with pytest.raises(Conflict, match="undone already"):
        ada.lifecycle.undo(move.id)
    with pytest.raises(NotFound):
        ada.lifecycle.undo("no such move")


def test_a_move_is_not_undone_under_a_later_one(opened: Open, clock: ManualClock) -> None:
    ada = opened()
    one = ada.write("dear", importance=0.9).id
    ada.lifecycle.run()
    clock.turn(2 * DAY)
    ada.lifecycle.run()
    digested, promoted = ada.lifecycle.journal(one)
    with pytest.raises(Conflict, match="moved again"):
        ada.lifecycle.undo(promoted.id)
    ada.lifecycle.undo(digested.id)
    ada.lifecycle.undo(promoted.id)
    assert _tier(ada, one) == (1, False)


def test_forgetting_can_be_undone(opened: Open) -> None:
    ada = opened()
    ids = [ada.write(text).id for text in ("the kettle is blue", "the lamp is red")]
    gone = ada.forget(ids)
    assert ada.search("kettle") == []
    assert gone.move is not None
    ada.lifecycle.undo(gone.move)
    assert ada.search("kettle")[0].id == ids[0]


def test_what_expires_is_told_and_can_be_brought_back(opened: Open, clock: ManualClock) -> None:
    ada = opened()
    one = ada.write("a short-lived note", ttl=HOUR).id
    clock.turn(HOUR)
    assert ada.search("note") == []
    ada.lifecycle.run()
    [move] = [move for move in ada.lifecycle.journal(one) if move.what is What.EXPIRED]
    assert move.why == "its time ran out at 2026-01-05 10:00"
    ada.lifecycle.undo(move.id)
    assert ada.search("note")[0].id == one
    assert ada.lifecycle.run().counts.get("expired") is None


def test_a_forecast_comes_true(opened: Open, clock: ManualClock) -> None:
    ada = opened()
    ids = [ada.write("dear", importance=0.9).id, ada.write("plain").id, ada.write("brief", ttl=HOUR / 2).id]
    told = {one: [(step.at, step.what) for step in ada.lifecycle.forecast(one)] for one in ids}
    assert [what for _, what in told[ids[0]]] == [What.PROMOTED, What.DIGESTED, What.SEDIMENTED]
    for _ in range(9 * 24 * 2):
        ada.lifecycle.run()
        clock.turn(HOUR / 2)
    for one in ids:
        assert [(move.at, move.what) for move in reversed(ada.lifecycle.journal(one))] == told[one]


def test_a_file_that_is_read_only_can_be_read_when_moves_are_due(tmp_path: Path, clock: ManualClock) -> None:
    with Memory(tmp_path / "m.db", clock=clock, settings=WORKER) as memory:
        memory.write("the alarm code is 4711", actor_id="ada")
    clock.turn(DAY)
    with Memory(f"sqlite:///{tmp_path}/m.db?mode=ro", clock=clock) as memory:
        memory.operational.update_metric("cpu", 1.0, actor_id="ada")
        assert memory.search("alarm code", actor_id="ada")[0].text == "the alarm code is 4711"


def test_a_pin_set_while_a_version_was_on_its_way_stays(tmp_path: Path, clock: ManualClock) -> None:
    class Slow(StaticEmbedder):
        def embed(self, texts: Any, *, asking: bool = False) -> Any:
            for action in waiting:
                action()
            return super().embed(texts, asking=asking)

    waiting: list[Callable[[], object]] = []
    with (
        Memory(tmp_path / "m.db", clock=clock) as other,
        Memory(tmp_path / "m.db", clock=clock, embedder=Slow()) as one,
    ):
        record = one.write("x", actor_id="ada").id
        waiting.append(lambda: other.pin(record, actor_id="ada"))
        assert one.supersede(record, "y", importance=0.9, actor_id="ada").vitals.pinned
        vitals = other.get(record, actor_id="ada").vitals
        assert (vitals.pinned, vitals.importance) == (True, 0.9)


def test_a_config_that_cannot_be_is_refused() -> None:
    with pytest.raises(Invalid, match="there is no strategy"):
        MemoryConfig(strategy="clever")  # pyright: ignore[reportArgumentType]
    with pytest.raises(Invalid, match="capacity"):
        MemoryLayerConfig(capacity=0)
    with pytest.raises(Invalid, match="between 0 and 1"):
        MemoryConfig(importance_threshold=2)
    with pytest.raises(Invalid, match="not a tier"):
        MemoryConfig(decay={"L9": 0.1})


def test_tiers_survive_a_restart(tmp_path: Path, clock: ManualClock) -> None:
    with Memory(tmp_path / "m.db", clock=clock, settings=WORKER) as memory:
        one = memory.write("dear", importance=0.9, actor_id="ada").id
        memory.lifecycle.run(actor_id="ada")
    with Memory(tmp_path / "m.db", clock=clock, settings=WORKER) as memory:
        assert memory.get(one, actor_id="ada").vitals.tier is Tier.SESSION
        assert [move.what for move in memory.lifecycle.journal(actor_id="ada")] == [What.PROMOTED]
        clock.turn(2 * DAY)
        memory.lifecycle.run(actor_id="ada")
        assert memory.get(one, actor_id="ada").vitals.tier is Tier.EPISODIC


def test_a_library_without_a_worker_moves_records_after_writes(tmp_path: Path, clock: ManualClock) -> None:
    with Memory(tmp_path / "m.db", clock=clock) as memory:
        ada = memory.view(actor_id="ada", session_id="s1")
        for number in range(64):
            ada.write(f"note {number}")
        assert 10 <= ada.get_stats()["l1_size"] < 26
    with Memory(tmp_path / "m.db", clock=clock, settings=Settings(second_look="off", metabolism="off")) as memory:
        assert memory.get_stats(actor_id="ada")["l1_size"] == 10
        memory.write_many([f"more {n}" for n in range(64)], actor_id="ada", session_id="s1")
        assert memory.get_stats(actor_id="ada")["l1_size"] == 74
