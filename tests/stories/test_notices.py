"""What happens to a memory is told, to those who listen, without a word of what it says."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from foveal import FractalMemory, Memory, MemoryConfig, MemoryLayerConfig
from foveal.backends.in_process import RingBus
from foveal.errors import ModelUnavailable, NotFound
from foveal.model.notice import Kind, Notice, Severity
from foveal.ports.system import Subscription
from foveal.testing import ManualClock

SECRET = "xylophone"


def _all(listening: Subscription) -> list[Notice]:
    found: list[Notice] = []
    while (one := listening.take()) is not None:
        found.append(one)
    return found


def _short(notices: Sequence[Notice]) -> list[tuple[str, str, int]]:
    return [(one.kind.value, one.what, one.count) for one in notices]


def test_every_change_of_a_record_is_told(memory: Memory) -> None:
    ada = memory.view(actor_id="ada", node="/planner", session_id="s1")
    with memory.bus.subscribe() as listening:
        first = ada.write("Ada drinks tea").id
        second = ada.write("Ada likes ships").id
        ada.supersede(first, "Ada drinks coffee now")
        ada.pin(first)
        ada.unpin(first)
        ada.mute(second)
        ada.unmute(second)
        ada.lifecycle.reinforce(second)
        move = ada.forget(second).move
        assert move is not None
        ada.lifecycle.undo(move)
        ada.forget(second, hard=True)
        ada.read("what does Ada drink?")
        told = _all(listening)
    assert _short(told) == [
        ("memory.write", "", 1),
        ("memory.write", "", 1),
        ("memory.change", "superseded", 1),
        ("memory.change", "pinned", 1),
        ("memory.change", "unpinned", 1),
        ("memory.change", "muted", 1),
        ("memory.change", "unmuted", 1),
        ("memory.change", "reinforced", 1),
        ("memory.forget", "forgotten", 1),
        ("memory.change", "undone", 1),
        ("memory.forget", "erased", 1),
        ("memory.read", "", 1),
    ]
    assert {(one.world, one.actor_id, one.node, one.session_id) for one in told} == {
        ("default", "ada", "/planner", "s1")
    }
    assert told[0].ids == (first,) and told[-1].ids == (first,)


def test_links_groups_and_the_ledger_are_told(memory: Memory) -> None:
    ada = memory.view(actor_id="ada", node="/planner")
    one, two = ada.write("tea").id, ada.write("ships").id
    with memory.bus.subscribe() as listening:
        ada.links.add(one, two)
        ada.links.remove(one, two)
        ada.links.remove(one, two)
        group = ada.groups.add("trip", [one, two])
        ada.groups.remove(group.id, [two])
        assert [(one.kind.value, one.what, one.count, one.ids) for one in _all(listening)] == [
            ("memory.change", "linked", 2, (one, two)),
            ("memory.change", "unlinked", 2, (one, two)),
            ("memory.change", "grouped", 2, (one, two)),
            ("memory.change", "ungrouped", 1, (two,)),
        ]
        goal = ada.ledger.store_goal(f"sail {SECRET}")
        task = ada.ledger.store_task(goal.id, SECRET)
        call = ada.ledger.store_tool_call(task.id, "sail", given={"to": SECRET}, output=SECRET)
        ada.ledger.update_goal(goal.id, "completed", result=SECRET)
        choice = ada.ledger.store_decision(SECRET, SECRET)
        pattern = ada.ledger.store_pattern(SECRET, SECRET)
        ada.ledger.update_pattern_stats(pattern.id, True)
        ada.ledger.store_agent_state("planner", {"mood": SECRET})
        event = ada.operational.push_event("error", {"of": SECRET}, critical=True)
        told = _all(listening)
    rows = [(one.what, one.ids) for one in told if one.kind is Kind.LEDGER]
    assert rows == [
        ("goal stored", (goal.id,)),
        ("task stored", (task.id,)),
        ("tool call stored", (call.id,)),
        ("goal changed", (goal.id,)),
        ("decision stored", (choice.id,)),
        ("pattern stored", (pattern.id,)),
        ("pattern changed", (pattern.id,)),
        ("agent state stored", ("planner",)),
        ("event stored", (event.id,)),
    ]
    assert {one.node for one in told} == {"/planner"}
    assert SECRET not in msgspec.json.encode(told).decode()


def test_a_notice_says_nothing_of_what_is_stored(memory: Memory) -> None:
    ada = memory.view(actor_id="ada")
    with memory.bus.subscribe() as listening:
        one = ada.write(f"the {SECRET}", tags=[SECRET], region="music", speaker=SECRET)
        ada.supersede(one.id, f"no {SECRET}")
        ada.read(f"the {SECRET}?")
        ada.forget(one.id)
        assert SECRET not in msgspec.json.encode(_all(listening)).decode()


def test_a_batch_is_one_notice_for_each_place_it_writes_to(memory: Memory) -> None:
    with memory.bus.subscribe() as listening:
        memory.write_many(
            [{"text": f"note {one}", "actor_id": "ada" if one % 3 else "ben"} for one in range(30)], actor_id="ada"
        )
        told = _all(listening)
    assert sorted((one.actor_id, one.count) for one in told if one.kind is Kind.WRITE) == [("ada", 20), ("ben", 10)]


def test_what_was_refused_or_sent_twice_is_not_told(memory: Memory, clock: ManualClock) -> None:
    ada = memory.view(actor_id="ada", session_id="s")
    ada.write("tea", occurred_at=clock.now())
    with memory.bus.subscribe() as listening:
        assert ada.write("tea", occurred_at=clock.now()).duplicates
        with pytest.raises(NotFound):
            ada.pin("nothing")
        assert _all(listening) == []


def test_the_metabolism_tells_its_moves(url: str, clock: ManualClock) -> None:
    config = MemoryConfig(l1=MemoryLayerConfig(capacity=5, retention_hours=1))
    with Memory(url, clock=clock, config=config) as memory:
        memory.write_many([f"note {one}" for one in range(8)], actor_id="ada", session_id="s")
        with memory.bus.subscribe(kinds=[Kind.MOVE]) as listening:
            clock.turn(timedelta(days=2))
            made = memory.lifecycle.run(actor_id="ada")
            told = _all(listening)
    assert made.moves > 0
    assert sum(one.count for one in told) == made.moves
    assert {one.what for one in told} == set(made.counts)


class Broken:
    """An encoder that worked once."""

    id, dimension = "broken", 8
    away = False

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> NDArray[np.float32]:
        if self.away:
            raise ModelUnavailable(f"cannot encode {texts[0]}")
        return np.full((len(texts), 8), 8**-0.5, np.float32)


def test_a_part_that_is_away_is_told_once_a_minute_and_not_what_it_was_asked(clock: ManualClock) -> None:
    encoder = Broken()

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        return encoder.embed(texts)

    with Memory(":memory:", clock=clock, embedder=encode) as memory:
        memory.write("tea", actor_id="ada")
        encoder.away = True
        with memory.bus.subscribe("0", kinds=[Kind.ERROR]) as listening:
            for one in range(5):
                memory.write(f"{SECRET} {one}", actor_id="ada")
            memory.read(f"{SECRET}?", actor_id="ada")
            [told] = _all(listening)
            clock.turn(timedelta(minutes=2))
            memory.read(f"{SECRET} again?", actor_id="ada")
            assert len(_all(listening)) == 1
    assert told.fault is not None and told.actor_id is None
    assert (told.fault.component, told.fault.code) == ("encoder", "model_unavailable")
    assert told.fault.severity is Severity.WARNING
    assert SECRET not in told.fault.message


def test_memories_may_share_a_bus_which_outlives_them(tmp_path: Path) -> None:
    bus = RingBus()
    with bus.subscribe() as listening:
        for name in ("a", "b"):
            with Memory(tmp_path / f"{name}.db", bus=bus) as memory:
                memory.write("tea", actor_id=name)
        bus.publish(Notice(at=ManualClock().now(), kind=Kind.READ, actor_id="c"))
        assert [one.actor_id for one in _all(listening)] == ["a", "b", "c"]


def test_changes_of_crystals_and_tapes_are_told(memory: Memory) -> None:
    ada = memory.view(actor_id="ada")
    with memory.bus.subscribe(kinds=[Kind.CRYSTAL, Kind.TAPE]) as listening:
        kept = ada.crystals.crystallize([{"role": "user", "content": f"sail to {SECRET}"}], reason=SECRET)
        ada.crystals.compost(kept.crystal_id)
        ada.write("the harbour is deep")
        tape = ada.tape.build()
        told = _all(listening)
    assert [(one.kind.value, one.what, one.ids) for one in told] == [
        ("crystal.change", "stored", (kept.crystal_id,)),
        ("crystal.change", "composted", (kept.crystal_id,)),
        ("tape.change", "built", (str(tape.number),)),
        ("tape.change", "used", (str(tape.number),)),
    ]
    assert SECRET not in msgspec.json.encode(told).decode()


def test_a_fork_publishes_what_it_changes_and_forgets(memory: Memory) -> None:
    ada = memory.view(actor_id="ada")
    drink, ship = ada.write("Ada drinks tea").id, ada.write("Ada likes ships").id
    fork = ada.snapshots.fork(ada.snapshots.take("before"))
    with memory.bus.subscribe() as listening:
        fork.supersede(drink, "Ada drinks coffee now")
        fork.forget(ship)
        assert _short(_all(listening)) == [("memory.change", "superseded", 1), ("memory.forget", "forgotten", 1)]


def test_entries_of_a_node_are_published(memory: Memory) -> None:
    node = FractalMemory(memory, actor_id="ada", node="/planner")
    with memory.bus.subscribe() as listening:
        node.write("plan", "Sail north")
        node.write("plan", "Sail south")
        assert _short(_all(listening)) == [("memory.write", "", 1), ("memory.change", "superseded", 1)]
