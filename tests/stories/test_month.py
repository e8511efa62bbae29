"""A month of an agent's life: what matters stays, capacities hold, and every move is told."""

import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

from foveal import Memory, MemoryConfig, Settings
from foveal.engine.memory import View
from foveal.model.record import Tier
from foveal.model.results import What
from foveal.testing import ManualClock

DAYS, A_DAY = 30, 400
_PLACES = ("attic", "cellar", "garage", "hallway", "office", "shed", "balcony", "pantry")
_THINGS = ("kettle", "printer", "bicycle", "router", "piano", "drill", "tent", "camera")


def test_a_month_in_the_life_of_an_agent(tmp_path: Path) -> None:
    clock, dice = ManualClock(datetime(2026, 1, 1, tzinfo=UTC)), random.Random(0)
    dear: list[str] = []
    with Memory(
        tmp_path / "month.db", clock=clock, settings=Settings(second_look="off", metabolism="worker")
    ) as memory:
        scheduler = memory.scheduler()
        for day in range(DAYS):
            for hour in range(8):
                session = memory.view(actor_id="ada", session_id=f"day {day}, {hour}")
                said = [_said(dice, day, hour, number) for number in range(A_DAY // 8)]
                ids = session.write_many(said).ids
                dear += [one for one, item in zip(ids, said, strict=True) if item["importance"] == 0.9]
                scheduler.tick()
                if (day, hour) in ((3, 2), (12, 7), (25, 0)):
                    _capacities_hold(session)
                clock.turn(timedelta(hours=1))
            clock.turn(timedelta(hours=16))
        scheduler.tick()
        ada = memory.view(actor_id="ada")
        _nothing_important_was_lost(ada, dear)
        _every_move_is_told(ada)


def _said(dice: random.Random, day: int, hour: int, number: int) -> dict[str, object]:
    if number == 7:
        text = f"Remember: the code of locker {day * 8 + hour + 1000} is {dice.randint(10000, 99999)}."
        return {"text": text, "importance": 0.9}
    text = f"We moved the {dice.choice(_THINGS)} from the {dice.choice(_PLACES)}, remark {day} {hour} {number}."
    return {"text": text, "importance": 0.4}


def _capacities_hold(view: View) -> None:
    config = MemoryConfig()
    stats = view.get_stats()
    session = {"session_id": view.timeline(limit=1)[0].session_id, "archived": False}
    assert len(view.timeline(filters={**session, "tier": 1}, limit=999)) <= (config.l1.capacity or 0)
    assert len(view.timeline(filters={**session, "tier": 2}, limit=999)) <= (config.l2.capacity or 0)
    assert stats["l3_size"] <= (config.l3.capacity or 0)


def _nothing_important_was_lost(ada: View, dear: list[str]) -> None:
    assert len(dear) == DAYS * 8
    records = [record for start in range(0, len(dear), 100) for record in ada.get_many(dear[start : start + 100])]
    assert len(records) == len(dear)
    # After a week, all of it is knowledge: held in L4, or consolidated into what is.
    old = [one for one in records if one.occurred_at < records[-1].occurred_at - timedelta(days=9)]
    for record in old:
        assert record.vitals.tier is Tier.SEMANTIC
        assert record.vitals.archived_at is None or ada.links.related(record.id, kind="consolidated_into")
    for record in old[:: len(old) // 10]:
        locker = record.text.split()[5]
        found = ada.search(f"what is the code of locker {locker}?", k=3)
        assert any(locker in hit.text for hit in found)
    assert ada.stats().records >= DAYS * A_DAY


def _every_move_is_told(ada: View) -> None:
    moved = Counter[str]()
    for move in ada.lifecycle.journal(limit=100_000):
        for change in move.changes:
            # A tape is built for all records, and moves none.
            assert change.before != change.after or move.what is What.TAPED
            moved[change.record_id] += 1
    for record in ada.timeline(limit=DAYS * A_DAY):
        fresh = record.vitals.tier is Tier.WORKING and record.vitals.archived_at is None
        assert fresh or moved[record.id] or record.kind == "consolidated", record
    kinds = {move.what for move in ada.lifecycle.journal(limit=100_000)}
    assert kinds >= {What.PROMOTED, What.DIGESTED, What.SEDIMENTED, What.ARCHIVED}
