"""Tiers and kinds can be asked for, and what a session works on comes by itself."""

import random
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from foveal import Memory, Tier
from foveal.engine.memory import View
from foveal.errors import Invalid

OTHERS = [f"Small talk number {n} about the garden and the weather." for n in range(80)]


@pytest.fixture(params=["ram", "sqlite"])
def ada(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[View]:
    with Memory(":memory:" if request.param == "ram" else tmp_path / "memory.db") as memory:
        yield memory.view(actor_id="ada")


def _texts(ada: View, **asked: object) -> set[str]:
    found = {hit.text for hit in ada.search("tea", **asked)}  # pyright: ignore[reportArgumentType]
    assert {item.record.text for item in ada.read("tea", **asked).items} == found  # pyright: ignore[reportArgumentType]
    return found


def test_tiers_are_asked_for_by_any_of_their_names(ada: View) -> None:
    for tier in Tier:
        ada.write(f"tea {tier.name}", tier=tier)
    assert _texts(ada, tiers=["L1", "semantic"]) == {"tea WORKING", "tea SEMANTIC"}
    assert _texts(ada, tiers=["short", Tier.EPISODIC]) == {"tea SESSION", "tea EPISODIC"}
    assert len(_texts(ada)) == 4


def test_from_a_session_the_lower_tiers_mean_that_session_or_none(ada: View) -> None:
    for session in ("s1", "s2", None):
        for tier in ("L2", "L4"):
            ada.write(f"tea {session} {tier}", tier=tier, session_id=session)
    assert _texts(ada, tiers=["L2", "L4"], session_id="s1") == {
        *("tea s1 L2", "tea None L2"),
        *("tea s1 L4", "tea s2 L4", "tea None L4"),
    }
    assert len(_texts(ada, tiers=["L2"])) == 3
    assert len(_texts(ada, session_id="s1")) == 6


def test_kinds_and_filters_narrow_together(ada: View) -> None:
    ada.write("tea is hot", kind="fact", tags=["x"])
    ada.write("tea is green", kind="fact")
    ada.write("more tea", kind="note", tags=["x"])
    assert _texts(ada, kinds=["fact"]) == {"tea is hot", "tea is green"}
    assert _texts(ada, kinds=["fact"], filters={"tags": "x"}) == {"tea is hot"}
    assert _texts(ada, kinds=["fact", "note"], tiers=["L4"]) == set()


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"tiers": ["warm"]}, "l1, working"),
        ({"tiers": "L1"}, "['L1']"),
        ({"kinds": []}, "kinds is empty"),
        ({"kinds": "fact"}, "['fact']"),
    ],
)
def test_what_is_asked_wrongly_is_told(ada: View, asked: dict[str, object], says: str) -> None:
    for verb in (ada.search, ada.read):
        with pytest.raises(Invalid) as refused:
            verb("tea", **asked)  # pyright: ignore[reportArgumentType]
        assert says in str(refused.value)


def test_what_a_session_works_on_comes_by_itself_newest_first(ada: View) -> None:
    mine = ada.write_many([f"Step {n}: polish the brass lamp." for n in range(30)], session_id="s1").ids
    kept = ada.write("Step of a colder tier.", session_id="s1", tier="L3").id
    ada.write_many(OTHERS, session_id="s2")
    context = ada.read("What about the garden?", token_budget=300, session_id="s1")
    works = [item for item in context.items if item.zone == "working"]
    assert [item.id for item in works] == list(mine[-len(works) :])
    assert len(works) > 3
    assert context.receipt.zones["working"] <= 0.3 * 300
    assert kept not in {item.id for item in works}
    elsewhere = ada.read("What about the garden?", token_budget=300)
    assert elsewhere.receipt.zones["working"] <= 0.3 * 300


def test_what_is_archived_does_not_come_by_itself(ada: View) -> None:
    old = ada.write("Polish the brass lamp.", session_id="s1").id
    ada.write_many(OTHERS, session_id="s2")
    store = ada._runtime.store  # pyright: ignore[reportPrivateUsage]
    access = ada._runtime.access(ada._access({}).viewpoint)  # pyright: ignore[reportPrivateUsage]
    assert "working" in ada.read("garden", token_budget=200, session_id="s1").receipt.zones
    store.records.revise(access, [old], lambda one: msgspec.structs.replace(one.vitals, archived_at=access.now))
    assert "working" not in ada.read("garden", token_budget=200, session_id="s1").receipt.zones


def test_kinds_are_found_alike_by_whoever_knows_them(ada: View) -> None:
    # The same condition in words that only the file understands, among more records than one look brings.
    rng = random.Random(7)
    words = [f"word{n}" for n in range(120)]
    kinds = ["note", "fact", "fact", "fact", "fact", "fact", "plan"]
    written = ada.write_many(
        [{"text": " ".join(rng.choices(words, k=9)), "kind": rng.choice(kinds)} for _ in range(900)]
    ).ids
    before = ada.snapshots.take("before")
    for one in rng.sample(written, 60):
        ada.forget(one)
    for one in rng.sample([one.id for one in ada.get_many(written)], 60):
        ada.supersede(one, " ".join(rng.choices(words, k=9)), kind=rng.choice(kinds))
    for _ in range(12):
        question = " ".join(rng.choices(words, k=3))
        for wanted in (["plan"], ["fact"], ["note", "plan"], ["nothing"]):
            asked = {"or": [{"kind": wanted}]}
            for view in (ada, ada.snapshots.at(before)):
                known = view.search(question, k=20, kinds=wanted)
                again = view.search(question, k=20, filters=asked)
                assert [hit.id for hit in known] == [hit.id for hit in again]
                assert [hit.relevance for hit in known] == pytest.approx([hit.relevance for hit in again], abs=1e-4)
                assert {hit.record.kind for hit in known} <= set(wanted)
