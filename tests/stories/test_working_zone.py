"""What an actor works on is shown unasked, without a session too, and never takes more than its share."""

from datetime import timedelta
from pathlib import Path

import pytest

from foveal import Memory, Settings
from foveal.engine.memory import View
from foveal.model.record import Tier
from foveal.testing import ManualClock

REMARKS = [
    "The kettle is on.",
    "My left shoe squeaks.",
    "Ben waved from the bus.",
    "The printer is jammed again.",
    "Lunch was too salty.",
    "A crow sits on the roof.",
    "The lift smells of paint.",
    "Someone took my umbrella.",
]


@pytest.fixture
def ada(tmp_path: Path, clock: ManualClock) -> View:
    memory = Memory(tmp_path / "m.db", clock=clock, settings=Settings(second_look="off"))
    ada = memory.view(actor_id="ada")
    long_ago = [f"Voyage {n} went to island {n} with a cargo of spices and cloth." for n in range(60)]
    ada.write_many(long_ago, tier="L3")
    clock.turn(timedelta(days=1))
    for remark in REMARKS:
        ada.write(remark)
        clock.turn(timedelta(seconds=5))
    return ada


def test_the_newest_of_l1_come_without_a_session(ada: View) -> None:
    found = ada.read("Which voyage carried spices to island 7?", token_budget=1024)
    assert [item.record.text for item in found.items if item.zone == "working"] == REMARKS
    assert "island 7 " in found.text
    spent = found.receipt.zones.get("working", 0) + found.receipt.zones.get("recent", 0)
    assert 0 < spent <= 0.3 * 1024


@pytest.mark.parametrize("budget", [128, 300, 512, 700])
def test_they_stay_within_the_share_of_the_recent_zone(ada: View, budget: int) -> None:
    found = ada.read("Which voyage carried spices to island 7?", token_budget=budget)
    spent = found.receipt.zones.get("working", 0) + found.receipt.zones.get("recent", 0)
    assert spent <= 0.3 * budget
    assert found.tokens <= budget
    assert "island 7 " in found.text


def test_what_left_l1_is_not_included_by_itself(ada: View) -> None:
    ada.lifecycle.run()
    promoted = ada.write("The alarm code is 4711.", importance=0.9).id
    ada.lifecycle.run()
    found = ada.read("Which voyage carried spices to island 7?", token_budget=1024)
    assert promoted not in [item.id for item in found.items if item.zone == "working"]


def test_a_remark_that_tells_something_stays_at_hand_and_is_kept_when_l1_lets_go_of_it(
    ada: View, clock: ManualClock
) -> None:
    told, idle = ada.write("My locker is number 14 now.").id, ada.write("Lovely weather today.").id
    ada.lifecycle.run()
    assert ada.get(told).vitals.tier is Tier.WORKING
    clock.turn(timedelta(hours=2))
    ada.lifecycle.run()
    assert (ada.get(told).vitals.tier, ada.get(told).vitals.archived_at) == (Tier.SESSION, None)
    assert ada.get(idle).vitals.archived_at is not None
