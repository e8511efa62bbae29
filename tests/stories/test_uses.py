"""Every read, get and search counts as a use; only a read raises importance, and uses decide what stays."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from foveal import Memory, MemoryClient, MemoryConfig, MemoryLayerConfig, Settings
from foveal.model.record import Tier, Vitals
from foveal.model.results import What
from foveal.testing import ManualClock

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
ALLERGY = "I am allergic to penicillin"
WORKER = Settings(second_look="off", metabolism="worker")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def memory(tmp_path: Path, clock: ManualClock) -> Iterator[Memory]:
    with Memory(tmp_path / "m.db", clock=clock, settings=WORKER) as memory:
        yield memory


def _vitals(memory: Memory, record_id: str) -> Vitals:
    return memory.get(record_id, actor_id="ada", touch=False).vitals


def test_every_read_get_and_search_counts_and_only_a_read_raises_importance(
    memory: Memory, clock: ManualClock
) -> None:
    ada = memory.view(actor_id="ada")
    one = ada.write(ALLERGY, importance=0.5).id
    for uses, use in enumerate(
        (
            lambda: ada.get(one),
            lambda: ada.get_many([one]),
            lambda: ada.search("what am I allergic to?"),
        ),
        start=1,
    ):
        moment = clock.turn(HOUR)
        use()
        vitals = _vitals(memory, one)
        assert (vitals.uses, vitals.used_at, vitals.importance) == (uses, moment, 0.5)
    ada.read("what am I allergic to?")
    assert (_vitals(memory, one).uses, round(_vitals(memory, one).importance, 3)) == (4, 0.55)
    before = _vitals(memory, one)
    clock.turn(HOUR)
    ada.get(one, touch=False)
    ada.get_many([one], touch=False)
    ada.search("what am I allergic to?", touch=False)
    ada.read("what am I allergic to?", touch=False)
    ada.get(one, as_of=clock.now())
    assert _vitals(memory, one) == before
    ada.write("something else")
    assert _vitals(memory, one) == before


def test_the_client_shows_how_often_a_memory_was_accessed(memory: Memory) -> None:
    client = MemoryClient(memory.view(actor_id="ada"))
    added = client.add_memory(ALLERGY)
    assert added["memory"]["access_count"] == 0
    client.get_memory(added["memory_id"])
    client.search_memory("what am I allergic to?")
    client.batch_get_memories([added["memory_id"]])
    again = client.get_memory(added["memory_id"])["memory"]
    assert (again["access_count"], again["importance"]) == (3, 0.5)
    assert again["last_accessed_at"] is not None


def test_uses_reach_the_metabolism_before_it_decides(memory: Memory, clock: ManualClock) -> None:
    ada = memory.view(actor_id="ada")
    one, other = ada.write(ALLERGY, importance=0.1).id, ada.write("it rains", importance=0.1).id
    for _ in range(4):
        ada.read("what am I allergic to?")
    clock.turn(2 * HOUR)
    ada.lifecycle.run()
    assert (_vitals(memory, one).tier, _vitals(memory, one).archived_at) == (Tier.SESSION, None)
    assert _vitals(memory, other).archived_at is not None
    assert ada.lifecycle.journal(one)[0].why == "used 4 times"


def test_an_archived_record_that_is_used_again_comes_back(memory: Memory, clock: ManualClock) -> None:
    ada = memory.view(actor_id="ada")
    one, other = ada.write(ALLERGY, importance=0.5).id, ada.write("it rains", importance=0.5).id
    clock.turn(2 * HOUR)
    ada.lifecycle.run()
    assert _vitals(memory, one).archived_at is not None
    clock.turn(30 * DAY)
    ada.get(other)
    for _ in range(5):
        ada.read("what am I allergic to?")
    [move] = [move for move in ada.lifecycle.run(dry_run=True).examples if move.what is What.RETURNED]
    assert (move.record_id, move.why) == (one, "it was used again; used 5 times")
    ada.lifecycle.run()
    vitals = _vitals(memory, one)
    assert (vitals.tier, vitals.archived_at, vitals.uses) == (Tier.SESSION, None, 5)
    # One use is not enough, and nothing moves to and fro.
    assert _vitals(memory, other).archived_at is not None
    assert ada.lifecycle.run().moves == 0
    clock.turn(2 * DAY)
    ada.lifecycle.run()
    assert (_vitals(memory, one).tier, _vitals(memory, one).archived_at) == (Tier.EPISODIC, None)


def test_an_archived_record_whose_importance_rises_comes_back(memory: Memory, clock: ManualClock) -> None:
    ada = memory.view(actor_id="ada")
    reinforced, rewritten = ada.write(ALLERGY, importance=0.5).id, ada.write("it rains", importance=0.5).id
    clock.turn(2 * HOUR)
    ada.lifecycle.run()
    clock.turn(HOUR)
    ada.lifecycle.reinforce(reinforced, 1.5)
    ada.supersede(rewritten, "it rains", importance=0.9)
    ada.lifecycle.run()
    for one in (reinforced, rewritten):
        assert (_vitals(memory, one).tier, _vitals(memory, one).archived_at) == (Tier.SESSION, None)
    undone = next(move for move in ada.lifecycle.journal(reinforced) if move.what is What.RETURNED)
    ada.lifecycle.undo(undone.id)
    assert _vitals(memory, reinforced).archived_at is not None


def test_what_was_consolidated_does_not_come_back(memory: Memory, clock: ManualClock) -> None:
    ada = memory.view(actor_id="ada")
    said = ["Ada drinks green tea every morning.", "Every morning Ada drinks green tea."]
    ids = [ada.write(text, tier="L4").id for text in (*said, "Ada drinks green tea each morning.")]
    ada.lifecycle.run()
    assert all(_vitals(memory, one).archived_at is not None for one in ids)
    clock.turn(HOUR)
    for _ in range(12):
        ada.get_many(ids)
    assert ada.lifecycle.run().moves == 0


@pytest.mark.parametrize("gate", ["l1", "l4"])
def test_the_gates_of_l1_and_l4_work(gate: str, clock: ManualClock) -> None:
    closed = MemoryLayerConfig(capacity=None, retention_hours=None, auto_compress=False)
    config = MemoryConfig(l1=closed) if gate == "l1" else MemoryConfig(l4=closed)
    with Memory(":memory:", clock=clock, config=config, settings=WORKER) as memory:
        ada = memory.view(actor_id="ada")
        dear = ada.write("The alarm code is 4711.", importance=0.9).id
        said = ["Ada drinks green tea every morning.", "Every morning Ada drinks green tea."]
        ids = [ada.write(text, tier="L4").id for text in (*said, "Ada drinks green tea each morning.")]
        ada.lifecycle.run()
        assert _vitals(memory, dear).tier is (Tier.WORKING if gate == "l1" else Tier.SESSION)
        merged = [_vitals(memory, one).archived_at is not None for one in ids]
        assert merged == [gate == "l1"] * 3


def test_the_threshold_of_l4_brings_a_pruned_record_back(clock: ManualClock) -> None:
    layer = MemoryLayerConfig(capacity=1, retention_hours=None, promote_threshold=2)
    with Memory(":memory:", clock=clock, config=MemoryConfig(l4=layer), settings=WORKER) as memory:
        ada = memory.view(actor_id="ada")
        old = ada.write("The alarm code is 4711.", tier="L4", importance=0.1).id
        clock.turn(HOUR)
        ada.write("Ben plays chess.", tier="L4", importance=0.1)
        ada.lifecycle.run()
        assert _vitals(memory, old).archived_at is not None
        clock.turn(HOUR)
        ada.get(old)
        assert ada.lifecycle.run().moves == 0
        ada.get(old)
        assert What.RETURNED in {move.what for move in ada.lifecycle.run().examples}
