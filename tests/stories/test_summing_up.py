"""What many records say becomes one, seen by those who see them, and gone when one of them goes."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from foveal import Memory, MemoryPolicyConfig, Settings
from foveal.engine.memory import View
from foveal.errors import NotFound
from foveal.model.record import Tier
from foveal.model.results import What
from foveal.testing import ManualClock
from foveal.testing.servers import ModelServer

MONDAY = datetime(2026, 1, 5, 9, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
WORKER = Settings(second_look="off", metabolism="worker")

Open = Callable[..., View]


_LONG = [f"We talked about item {n} of the long list for the house, and what it may cost us." for n in range(9)]
_SAID = "They talked about nine items of the long list for the house and what each item may cost."


def _tier(view: View, record_id: str) -> tuple[int, bool]:
    vitals = view.get(record_id).vitals
    return int(vitals.tier), vitals.archived_at is not None


def test_near_duplicates_of_l4_become_one_once(opened: Open, clock: ManualClock) -> None:
    ada = opened()
    said = [
        "The printer in the office needs a new toner cartridge.",
        "The office printer needs a new toner cartridge.",
        "A new toner cartridge is needed for the printer in the office.",
    ]
    ids = [ada.write(text, tier="L4", importance=0.5 + n / 10).id for n, text in enumerate(said)]
    apart = ada.write("Ines plays chess on Sundays.", tier="L4").id
    assert ada.lifecycle.run().counts == {"consolidated": 1}
    [made] = ada.timeline(filters={"kind": "consolidated"})
    assert made.metadata == {"compressed_from": 3, "original_ids": made.metadata["original_ids"]}
    assert sorted(made.metadata["original_ids"]) == sorted(ids)
    assert (made.vitals.importance, made.vitals.tier) == (0.7, Tier.SEMANTIC)
    assert {one.link.kind for one in ada.links.related(made.id)} == {"consolidated_into"}
    assert {one.record.id for one in ada.links.related(made.id)} == set(ids)
    assert [ada.get(one).text for one in ids] == said
    assert [_tier(ada, one) for one in [*ids, apart]] == [(4, True)] * 3 + [(4, False)]
    clock.turn(DAY)
    assert ada.lifecycle.run().moves == 0
    [move] = [move for move in ada.lifecycle.journal() if move.what is What.CONSOLIDATED]
    ada.lifecycle.undo(move.id)
    assert [_tier(ada, one) for one in ids] == [(4, False)] * 3
    assert ada.timeline(filters={"kind": "consolidated"}) == []


@pytest.mark.parametrize("how", ["erase", "forget", "mute", "supersede"])
def test_a_consolidated_fact_goes_with_what_it_was_made_of(opened: Open, clock: ManualClock, how: str) -> None:
    ada = opened()
    said = "The office printer needs a new toner cartridge of the kind {} now."
    ids = [ada.write(said.format(word), tier="L4").id for word in ("black", "dark black", "deep black")]
    assert ada.lifecycle.run().counts == {"consolidated": 1}
    [made] = ada.timeline(filters={"kind": "consolidated"})
    if how == "mute":
        ada.mute(ids[0])
    elif how == "supersede":
        ada.supersede(ids[0], "The office printer was sold.")
    else:
        ada.forget(ids[0], hard=how == "erase")
    assert made.id not in [hit.id for hit in ada.search("which toner does the printer need?")]
    with pytest.raises(NotFound):
        ada.get(made.id)
    assert [_tier(ada, one) for one in ids[1:]] == [(4, False)] * 2


def test_what_may_not_last_is_not_consolidated(opened: Open) -> None:
    ada = opened()
    said = "The office printer needs a new toner cartridge."
    ada.write(said, tier="L4", occurred_at=MONDAY)
    ada.write(said + " Really.", tier="L4", ttl=DAY)
    ada.mute(ada.write(said + " Soon.", tier="L4").id)
    assert ada.lifecycle.run().moves == 0


def test_a_summary_is_made_anew_without_what_was_forgotten(opened: Open, clock: ManualClock) -> None:
    ada = opened()
    ids = ada.write_many(
        [f"We talked about item {n} of the long list for the house, and its cost." for n in range(9)]
    ).ids
    clock.turn(HOUR)
    ada.lifecycle.run()
    ada.forget(ids[3])
    assert ada.lifecycle.summaries() == []
    clock.turn(2 * HOUR)
    ada.lifecycle.run()
    assert [one.records for one in ada.lifecycle.summaries()] == [8]


def test_facts_of_other_nodes_are_not_consolidated_together(opened: Open) -> None:
    ada = opened()
    for node in ("/", "/a", "/b"):
        ada.write("The office printer needs a new toner cartridge.", tier="L4", node=node, occurred_at=MONDAY)
    assert ada.lifecycle.run().moves == 0


def test_a_quiet_session_is_summed_up_and_its_words_are_kept(opened: Open, clock: ManualClock) -> None:
    ada = opened()
    said = [f"We talked about item {n} of the long list for the house, and what it may cost us." for n in range(9)]
    said[4] = "We decided that the gate code is 4711 from Thursday on, and not 4712 as before."
    ids = [ada.write(text, scope="local").id for text in said]
    ada.lifecycle.run()
    assert ada.lifecycle.summaries() == []
    clock.turn(HOUR)
    ada.lifecycle.run()
    [found] = ada.lifecycle.summaries()
    assert "4711" in found.text
    assert {one for one, _ in found.sources} == set(ids)
    assert [ada.get(one).text for one in ids] == said
    assert ada.view(actor_id="ada", node="/child").lifecycle.summaries() == []
    ada.forget(ids[4])
    assert ada.lifecycle.summaries() == []


def test_a_search_finds_the_summary_of_the_session_that_the_question_is_about(
    opened: Open, clock: ManualClock
) -> None:
    ada = opened()
    ids: dict[str, list[str]] = {}
    for session, topic in (
        ("boats", "the harbour, boat {}, its sails and ropes"),
        ("cakes", "cake {} and its flour"),
    ):
        said = [
            f"We talked for a long while about {topic.format(turn)}, and what it may cost." for turn in range(9)
        ]
        ids[session] = list(ada.write_many(said, session_id=session, scope="local").ids)
    assert ada.search("what about the boats and their sails?", kinds=["summary"], session_id=None) == []
    clock.turn(DAY)
    ada.lifecycle.run()
    [first, *_] = ada.search("what about the boats and their sails?", kinds=["summary"], session_id=None)
    [kept] = [one for one in ada.lifecycle.summaries() if one.subject == "boats"]
    assert (first.record.kind, first.record.session_id, first.text) == ("summary", "boats", kept.text)
    assert set(first.record.metadata["sources"]) == set(ids["boats"])
    plain = ada.search("what about the boats and their sails?", k=50, session_id=None)
    assert {hit.record.kind for hit in plain} == {"note"}
    assert ada.view(node="/other").search("boats and sails", kinds=["summary"], session_id=None) == []
    ada.forget(ids["boats"][0])
    found = ada.search("what about the boats and their sails?", kinds=["summary"], session_id=None)
    assert "boats" not in [hit.record.session_id for hit in found]


def test_a_read_shows_in_short_what_it_does_not_quote(opened: Open, clock: ManualClock) -> None:
    ada = opened()
    for day in range(8):
        said = [
            f"On walk {day} we saw the harbour, boat {day}-{turn}, and talked of sails, ropes and tides for long."
            for turn in range(40)
        ]
        ada.write_many(said, session_id=f"walk {day}", scope="local")
        clock.turn(DAY)
    ada.lifecycle.run()
    found = ada.read("what did we say about boats and sails?", token_budget=2000, session_id=None)
    assert found.periphery
    assert found.tokens <= 2000
    assert 0 < found.receipt.zones["periphery"] <= 160
    assert "[in short]" in found.text
    assert all(one.text.split()[0] in found.text for one in found.periphery)
    assert ada.read("boats and sails?", token_budget=600, session_id=None).periphery == ()
    assert ada.read("boats and sails?", token_budget=2000, mode="text", session_id=None).periphery == ()
    assert ada.view(actor_id="ada", node="/x").read("boats and sails?", token_budget=2000).periphery == ()


def test_a_read_may_show_in_short_what_the_cells_around_hold(tmp_path: Path) -> None:
    said = [
        f"On walk {day} we saw the harbour and talked of boat {day}, sails, ropes and tides." for day in range(200)
    ]
    for cells in (False, True):
        policy = MemoryPolicyConfig(periphery_cells=cells)
        with Memory(
            tmp_path / f"{cells}.db", policy=policy, settings=Settings(second_look="off", metabolism="off")
        ) as memory:
            ada = memory.view(actor_id="ada")
            ada.write_many(said)
            found = ada.read("what did we say about boats and sails?", token_budget=2000)
            assert bool(found.periphery) == cells
            assert found.tokens <= 2000
            quoted = {item.id for item in found.items}
            for one in found.periphery:
                assert one.kind == "cell"
                assert one.records == len(one.sources) >= 3
                assert one.text.split(".")[0] in " ".join(said)
                assert f"cell {one.subject} (" in found.text
                assert 2 * len(quoted & {source for source, _ in one.sources}) <= len(one.sources)
            assert ada.lifecycle.summaries() == []


@pytest.mark.parametrize(("said", "maker"), [(_SAID, "model:tiny"), ("Bananas.", "extractive-1")])
def test_a_model_sums_up_if_it_is_there_and_faithful(said: str, maker: str, clock: ManualClock) -> None:
    with ModelServer([said, said]) as server:
        settings = Settings(second_look="off", metabolism="off", llm=f"{server.url}#tiny")
        with Memory(":memory:", clock=clock, settings=settings) as memory:
            ada = memory.view(actor_id="ada", session_id="s1")
            ada.write_many(_LONG)
            clock.turn(HOUR)
            ada.lifecycle.run()
            assert {one.maker for one in ada.lifecycle.summaries()} == {maker}
            assert len(server.asked) == 2
