"""Crystals keep what was decided, leave out small talk, are merged once, and are reaped by the scheduler."""

from datetime import timedelta

import pytest

from foveal import Memory
from foveal.engine.lifecycle.scheduler import Scheduler
from foveal.engine.memory import View
from foveal.errors import Conflict, Invalid
from foveal.model.crystal import Role
from foveal.model.policy import Schedule
from foveal.model.record import Linearity
from foveal.rules.windows import grade_of
from foveal.testing import ManualClock


@pytest.fixture
def ada(memory: Memory) -> View:
    return memory.view(actor_id="ada")


def _said(*texts: str) -> list[dict[str, str]]:
    return [{"role": "assistant", "content": text} for text in texts]


def test_the_scheduler_reaps_expired_crystals(memory: Memory, ada: View, clock: ManualClock) -> None:
    # Preserved turns leave no record: this actor has nothing but crystals.
    said = [{"role": "user", "content": "The gate code is 4711."}]
    short = ada.crystals.crystallize(said, ttl=timedelta(hours=1))
    long = memory.view(actor_id="bob", node="/planner").crystals.crystallize(said, ttl=timedelta(days=9))
    kept = ada.crystals.crystallize(said, ttl=timedelta(hours=1), pin=True)
    scheduler = Scheduler(memory._runtime, Schedule())  # pyright: ignore[reportPrivateUsage]
    scheduler.tick()
    assert ada.crystals.get(short.crystal_id).reaped_at is None
    clock.turn(timedelta(hours=2))
    assert scheduler.tick()["reaping"] == 1
    assert ada.crystals.get(short.crystal_id).reaped_at == clock.now()
    assert ada.crystals.get(kept.crystal_id).reaped_at is None
    clock.turn(timedelta(days=10))
    assert scheduler.tick()["reaping"] == 1
    assert [line.tombstone for line in memory.view(actor_id="bob").crystals.lineage(long.crystal_id)] == [True]


def test_a_summary_leaves_out_small_talk_and_repeats(ada: View) -> None:
    crystal = ada.crystals.crystallize(
        _said(
            *["ok, noted, nice weather"] * 10, "The parcel is at the depot.", "Thanks! The parcel is at the depot."
        )
    )
    assert crystal.history_summary == "The parcel is at the depot."


@pytest.mark.parametrize(
    "text",
    [
        *("We went with Postgres.", "In the end we settled on Oslo.", "The team decided against Redis."),
        *("I'd settle on the red one.", "They agreed to move it to May.", "We're going to use SQLite."),
        *(
            "Wir haben uns für Hamburg entschieden.",
            "Nous avons choisi le train de nuit.",
            "Elegimos la casa azul.",
        ),
        *("Abbiamo deciso di restare.", "Decidimos mudar para o Porto.", "We hebben besloten te wachten."),
        *("Мы решили остаться.", "我们决定用蓝色。", "青にすることにしました。", "파란색으로 결정했습니다."),
    ],
)
def test_decisions_are_required_in_any_language(ada: View, text: str) -> None:
    assert grade_of(Role.ASSISTANT, text).linearity is Linearity.REQUIRED
    assert text in {fragment.content for fragment in ada.crystals.crystallize(_said(text)).focus_fragments}


@pytest.mark.parametrize(
    "text",
    ["It rained all day.", "We are going for a walk.", "Das dauert eine Weile.", "Il fait beau.", "Hace sol."],
)
def test_other_remarks_stay_droppable(text: str) -> None:
    assert grade_of(Role.ASSISTANT, text).linearity is Linearity.DROPPABLE


def test_a_branch_is_merged_once(ada: View) -> None:
    trunk = ada.crystals.crystallize([{"role": "user", "content": "Paint the fence."}])
    window = ada.crystals.resume(ada.crystals.branch(trunk.crystal_id, "try blue").crystal_id).window
    branch = ada.crystals.crystallize(ada.crystals.add(window, [{"role": "user", "content": "Use blue."}]))
    merged = ada.crystals.merge(branch.crystal_id, trunk.crystal_id)
    for into in (trunk.crystal_id, merged.crystal_id):
        with pytest.raises(Conflict, match="was merged before"):
            ada.crystals.merge(branch.crystal_id, into)


def test_too_many_arguments_by_position_are_named(ada: View) -> None:
    with pytest.raises(Invalid, match=r"takes 2 arguments by position \(context, chosen\), not 3: .*options=…"):
        ada.ledger.store_decision("Which city?", "Oslo", "cheap")  # pyright: ignore[reportCallIssue]
    with pytest.raises(Invalid, match="by position"):
        ada.operational.push_event("error", {}, "disk")  # pyright: ignore[reportCallIssue]
