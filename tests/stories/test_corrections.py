"""A person corrects what is believed, and what was said before does not bring it back."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from foveal import Memory
from foveal.engine.memory import View
from foveal.engine.records.remember import draw
from foveal.errors import Conflict, Forbidden, Invalid, NotFound
from foveal.model.query import Viewpoint
from foveal.testing.builders import ManualClock

DAY = timedelta(days=1)


@pytest.fixture(params=["ram", "file"])
def memory(request: pytest.FixtureRequest, tmp_path: Path, clock: ManualClock) -> Iterator[Memory]:
    with Memory(":memory:" if request.param == "ram" else tmp_path / "facts.db", clock=clock) as memory:
        yield memory


@pytest.fixture
def ada(memory: Memory) -> View:
    return memory.view(actor_id="ada")


def homes(view: View, **asked: Any) -> list[str]:
    return [fact.value for fact in view.profile(**asked).items if fact.attribute == "home"]


def read_again(memory: Memory, view: View, turn: str) -> list[str]:
    """Draw facts from a stored turn once more. Returns the verdicts."""
    turns = [view.get(turn)]
    told, _ = draw(memory._runtime, Viewpoint(world="default", actor_id="ada"), turns)  # pyright: ignore[reportPrivateUsage]
    return [fact.verdict for fact in told]


def test_facts_are_listed_with_why_each_is_believed(ada: View, clock: ManualClock) -> None:
    ada.remember("I live in Utrecht.")
    clock.turn(30 * DAY)
    moved = ada.remember([{"role": "user", "name": "Ada", "content": "We moved to Zwolle."}])
    ada.remember([{"role": "user", "content": "I can't stand coriander."}])
    taste, *_ = ada.facts()
    assert (taste.kind, taste.by, taste.status) == ("preference", "rules", "current")
    assert taste.why == "user said so on 4 Feb 2026, read by rules"
    [told] = taste.evidence
    assert (told.text, told.speaker, told.said_at) == ("I can't stand coriander.", "user", clock.now())
    assert moved.ids[0] not in taste.sources


def test_the_list_has_what_ended_and_what_replaced_it(ada: View, clock: ManualClock) -> None:
    [old] = ada.remember("I live in Utrecht.").facts
    clock.turn(30 * DAY)
    [new] = ada.remember("We moved to Zwolle.").facts
    [current] = ada.facts()
    assert (current.id, current.replaces, current.before) == (new.id, old.id, "Utrecht")
    assert 'it replaced "Utrecht"' in current.why
    [ended] = ada.facts(status="ended")
    assert (ended.id, ended.ended) == (old.id, clock.now())
    assert [fact.id for fact in ada.facts(status="any")] == [new.id, old.id]
    assert [fact.id for fact in ada.facts(status="any", limit=1)] == [new.id]
    assert [fact.id for fact in ada.facts(about="Zwolle")] == [new.id]
    with pytest.raises(Invalid, match="current, unsure, ended, wrong, merged"):
        ada.facts(status="dubious")


def test_a_wrong_fact_leaves_the_profile_and_is_kept_as_wrong(
    memory: Memory, ada: View, clock: ManualClock
) -> None:
    done = ada.remember("I live in Utrecht.")
    before = clock.now()
    clock.turn(DAY)
    corrected = ada.correct(done.facts[0].id, "wrong")
    assert corrected.fact.status == "wrong"
    assert homes(ada) == []
    assert homes(ada, as_of=before) == ["Utrecht"]
    [wrong] = ada.facts(status="wrong")
    assert wrong.why.endswith("a person called it wrong on 6 Jan 2026")
    assert read_again(memory, ada, done.ids[0]) == []
    assert homes(ada) == []


def test_the_same_statement_of_an_older_turn_does_not_bring_it_back(ada: View, clock: ManualClock) -> None:
    start = clock.now()
    clock.turn(DAY)
    [fact] = ada.remember("I live in Utrecht.").facts
    clock.turn(DAY)
    ada.correct(fact.id, "wrong")
    [late] = ada.remember("As I said, I live in Utrecht.", occurred_at=start).facts
    assert (late.verdict, late.reason) == ("corrected", "a person corrected this on 7 Jan 2026")
    assert homes(ada) == []
    clock.turn(DAY)
    [again] = ada.remember("I live in Utrecht after all.").facts
    assert again.verdict == "new"
    assert homes(ada) != []


def test_the_right_value_stands_against_everything_said_before_it(ada: View, clock: ManualClock) -> None:
    start = clock.now()
    [fact] = ada.remember("I live in Utrecht.").facts
    clock.turn(DAY)
    done = ada.correct(fact.id, "wrong", value="Zwolle")
    assert done.instead is not None
    assert (done.instead.text, done.instead.by, done.instead.confidence) == ("I live in Zwolle.", "person", 1.0)
    ada.remember("We moved to Lyon.", occurred_at=start + timedelta(hours=1))
    assert homes(ada) == ["Zwolle"]
    assert "I live in Zwolle. [2026-01-05, corrected, 1.00]" in ada.profile().text
    clock.turn(DAY)
    [update] = ada.remember("We moved to Assen.").facts
    assert (update.verdict, update.replaces) == ("update", done.instead.id)
    assert homes(ada) == ["Assen"]


def test_what_a_wrong_fact_had_replaced_holds_again(ada: View, clock: ManualClock) -> None:
    ada.remember("I live in Utrecht.")
    clock.turn(DAY)
    [moved] = ada.remember("We moved to Zwolle.").facts
    clock.turn(DAY)
    done = ada.correct(moved.id, "wrong")
    assert [fact.value for fact in done.reopened] == ["Utrecht"]
    assert homes(ada) == ["Utrecht"]
    assert done.move is not None
    ada.lifecycle.undo(done.move)
    assert homes(ada) == ["Zwolle"]
    assert [fact.before for fact in ada.facts()] == ["Utrecht"]


def test_a_wrong_fact_in_the_middle_is_bridged(ada: View, clock: ManualClock) -> None:
    ada.remember("I live in Utrecht.")
    clock.turn(DAY)
    [middle] = ada.remember("We moved to Zwolle.").facts
    clock.turn(DAY)
    ada.remember("We moved to Assen.")
    ada.correct(middle.id, "wrong")
    [fact] = ada.facts()
    assert (fact.value, fact.before, fact.until) == ("Assen", "Utrecht", clock.now())


def test_an_outdated_fact_ends_and_the_new_value_says_what_was_before(ada: View, clock: ManualClock) -> None:
    [fact] = ada.remember("I live in Utrecht.").facts
    clock.turn(30 * DAY)
    until = clock.now() - 10 * DAY
    done = ada.correct(fact.id, "outdated", value="Zwolle", until=until)
    assert (done.fact.status, done.fact.ended) == ("ended", until)
    assert (
        '- home: Zwolle (before: "Utrecht", until 25 Jan 2026) [2026-01-25, corrected, 1.00]' in ada.profile().text
    )
    assert homes(ada, valid_at=until - DAY) == ["Utrecht"]
    assert homes(ada, valid_at=until + DAY) == ["Zwolle"]
    with pytest.raises(Invalid, match="must be later"):
        ada.correct(done.instead.id if done.instead else "", "outdated", until=until)


def test_an_outdated_fact_is_not_revived_by_an_older_turn(ada: View, clock: ManualClock) -> None:
    [fact] = ada.remember("I live in Utrecht.").facts
    clock.turn(DAY)
    ada.correct(fact.id, "outdated")
    [late] = ada.remember("You know, I live in Utrecht.", occurred_at=clock.now() - timedelta(hours=2)).facts
    assert late.verdict == "corrected"
    assert homes(ada) == []


def test_merged_facts_are_one_with_the_turns_of_both(ada: View, clock: ManualClock) -> None:
    start = clock.now()
    first = ada.remember("My dentist is Dr. Klein.")
    clock.turn(DAY)
    second = ada.remember("My tooth doctor is Klein on Main Street.")
    kept, gone = first.facts[0].id, second.facts[0].id
    clock.turn(DAY)
    done = ada.correct(gone, "merge", into=kept)
    assert done.instead is not None
    assert set(done.instead.sources) == {first.ids[0], second.ids[0]}
    [fact] = ada.facts()
    assert (fact.id, len(fact.sources)) == (kept, 2)
    [merged] = ada.facts(status="merged")
    assert (merged.id, merged.merged_into) == (gone, kept)
    [late] = ada.remember("My tooth doctor is Klein on Main Street.", occurred_at=start, speaker="user").facts
    assert (late.verdict, late.id) == ("same", kept)
    ada.forget(first.ids[0])
    assert [fact.id for fact in ada.facts()] == [kept]


def test_a_merge_is_undone_with_its_links(ada: View, clock: ManualClock) -> None:
    first = ada.remember("My dentist is Dr. Klein.")
    second = ada.remember("My tooth doctor is Klein on Main Street.")
    done = ada.correct(second.facts[0].id, "merge", into=first.facts[0].id)
    assert done.move is not None
    ada.lifecycle.undo(done.move)
    assert {fact.id: fact.sources for fact in ada.facts()} == {
        first.facts[0].id: first.ids,
        second.facts[0].id: second.ids,
    }


def test_undoing_a_repetition_takes_its_turn_from_the_fact(ada: View, clock: ManualClock) -> None:
    ada.remember("I live in Utrecht.")
    clock.turn(DAY)
    again = ada.remember("As you know, I live in Utrecht.")
    ada.lifecycle.undo(again.moves[0])
    [fact] = ada.facts()
    assert again.ids[0] not in fact.sources


@pytest.mark.parametrize(
    "asked", [{"verdict": "wrong", "value": "Zwolle"}, {"verdict": "outdated", "value": "Ede"}]
)
def test_a_correction_is_journalled_and_undone(ada: View, clock: ManualClock, asked: dict[str, Any]) -> None:
    [fact] = ada.remember("I live in Utrecht.").facts
    clock.turn(DAY)
    profile = ada.profile().text
    done = ada.correct(fact.id, **asked)
    [move] = ada.lifecycle.journal(limit=1)
    assert (move.id, str(move.what)) == (done.move, "corrected")
    assert move.why == f"fact home: a person called it {asked['verdict']}; right is {asked['value']}"
    ada.lifecycle.undo(move.id)
    assert ada.profile().text == profile
    assert ada.facts(status="wrong") == []
    assert ada.get(fact.id).valid_to is None
    with pytest.raises(Conflict):
        ada.lifecycle.undo(move.id)


def test_a_correction_with_a_later_one_is_not_undone_alone(ada: View, clock: ManualClock) -> None:
    [fact] = ada.remember("I live in Utrecht.").facts
    clock.turn(DAY)
    ended = ada.correct(fact.id, "outdated")
    clock.turn(DAY)
    ada.correct(fact.id, "wrong")
    assert ended.move is not None
    with pytest.raises(Conflict, match="undo that first"):
        ada.lifecycle.undo(ended.move)


@pytest.mark.parametrize(
    "asked", [{"verdict": "wrong", "value": "Zwolle"}, {"verdict": "outdated", "value": "Ede"}]
)
def test_a_preview_of_a_correction_changes_nothing(ada: View, clock: ManualClock, asked: dict[str, Any]) -> None:
    [fact] = ada.remember("I live in Utrecht.").facts
    clock.turn(DAY)
    profile, moves = ada.profile(), ada.lifecycle.journal()
    preview = ada.correct(fact.id, **asked, dry_run=True)
    assert (preview.dry_run, preview.move) == (True, None)
    assert (ada.profile(), ada.lifecycle.journal()) == (profile, moves)
    done = ada.correct(fact.id, **asked)
    assert preview.instead is not None
    assert done.instead is not None
    assert (preview.instead.line, preview.fact.status) == (done.instead.line, done.fact.status)


def test_an_instruction_is_replaced_by_the_words_a_person_gives(ada: View, clock: ManualClock) -> None:
    rule = ada.remember("Please always answer in Dutch.")
    clock.turn(DAY)
    done = ada.correct(rule.facts[0].id, "outdated", value="Please always answer in German.")
    assert done.instead is not None
    assert [fact.text for fact in ada.profile().items] == ["Please always answer in German."]
    shown = [item.id for item in ada.read("Write a letter to the school.").items]
    assert done.instead.id in shown


def test_forgetting_the_turn_leaves_what_a_person_gave(ada: View, clock: ManualClock) -> None:
    said = ada.remember("I live in Utrecht.")
    clock.turn(DAY)
    ada.correct(said.facts[0].id, "wrong", value="Zwolle")
    ada.forget(said.ids[0], hard=True)
    assert homes(ada) == ["Zwolle"]


def test_a_disputed_fact_is_settled_by_calling_the_other_wrong(ada: View, clock: ManualClock) -> None:
    [one] = ada.remember("My birthday is 3 May.").facts
    clock.turn(DAY)
    [two] = ada.remember("My birthday is 9 June.").facts
    ada.correct(one.id, "wrong")
    assert [(fact.id, fact.disputed) for fact in ada.profile().items] == [(two.id, ())]


def test_what_cannot_be_corrected_is_refused_by_name(ada: View) -> None:
    said = ada.remember("I live in Utrecht. My dentist is Dr. Klein.")
    home, dentist = (fact.id for fact in said.facts)
    refused: list[tuple[str, dict[str, Any], str]] = [
        (said.ids[0], {"verdict": "wrong"}, "is no fact"),
        (home, {"verdict": "silly"}, "use wrong, outdated, merge"),
        (home, {"verdict": "merge"}, "needs `into`"),
        (home, {"verdict": "wrong", "into": dentist}, "needs `into`"),
        (home, {"verdict": "merge", "into": home}, "into itself"),
        (home, {"verdict": "merge", "into": dentist, "value": "x"}, "takes no value"),
        (home, {"verdict": "wrong", "until": "2026-01-01T00:00:00Z"}, "use it with outdated"),
        (home, {"verdict": "wrong", "value": " "}, "value"),
    ]
    for fact, asked, message in refused:
        with pytest.raises(Invalid, match=message):
            ada.correct(fact, **asked)
    with pytest.raises(NotFound):
        ada.correct("nobody", "wrong")
    ada.correct(home, "wrong")
    with pytest.raises(Conflict, match="wrong already"):
        ada.correct(home, "wrong")
    with pytest.raises(Conflict, match="merge into a fact that holds"):
        ada.correct(dentist, "merge", into=home)


def test_only_who_may_change_a_fact_corrects_it(ada: View) -> None:
    planner, below = ada.view(node="/planner"), ada.view(node="/planner/writer")
    [fact] = planner.remember("I live in Utrecht.", scope="global").facts
    for dry_run in (True, False):
        with pytest.raises(Forbidden):
            below.correct(fact.id, "wrong", dry_run=dry_run)
    ada.correct(fact.id, "wrong", value="Zwolle")
    assert homes(below) == ["Zwolle"]
    with pytest.raises(NotFound):
        ada.view(actor_id="eve").correct(fact.id, "wrong")
