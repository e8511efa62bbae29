"""The values of the policy change what a read shows, and the receipt says what was left out and why."""

from collections import Counter
from pathlib import Path

import pytest

from foveal import Memory, MemoryPolicyConfig, Settings
from foveal.config import load_settings
from foveal.errors import Invalid

OTHERS = [f"Small talk number {n} about the garden and the weather." for n in range(80)]
LONG = "The boat is blue. " + "Nobody knows why it is so. " * 11 + "So it is."


@pytest.mark.parametrize(
    "values",
    [
        {"shallow_budget_ratio": 0.5},
        {"early_ratio": 0.5},
        {"working_ratio": 1.5},
        {"recent_ratio": -0.1, "early_ratio": 0.8},
        {"earlier_sessions_ratio": 0.4},
        {"default_depth": 3},
        {"default_world": "a/b"},
        {"recent_records": -1},
        {"relevant_ratio": "x"},
    ],
)
def test_values_that_cannot_be_are_refused(values: dict[str, object]) -> None:
    with pytest.raises(Invalid):
        MemoryPolicyConfig(**values)  # pyright: ignore[reportArgumentType]


def test_shares_may_be_off_by_a_hundredth() -> None:
    assert MemoryPolicyConfig(shallow_budget_ratio=0.33, deep_budget_ratio=0.66).deep_budget_ratio == 0.66


def test_the_policy_comes_from_the_settings_and_the_environment() -> None:
    found = load_settings({"FOVEAL_POLICY": '{"recent_records": 7}'})
    assert found.policy == MemoryPolicyConfig(recent_records=7)
    for wrong in ('{"recent": 7}', "7", "{", '{"early_ratio": 1}'):
        with pytest.raises(Invalid):
            load_settings({"FOVEAL_POLICY": wrong})
    settings = Settings(second_look="off", policy=MemoryPolicyConfig(default_world="earth"))
    with Memory(":memory:", settings=settings) as memory:
        assert memory.write("hello", actor_id="ada").address.world == "earth"
        assert memory.read("hello", actor_id="ada", world="mars").items == ()
    with Memory(":memory:", settings=settings, policy=MemoryPolicyConfig()) as memory:
        assert memory.write("hello", actor_id="ada").address.world == "default"


def _zones(policy: MemoryPolicyConfig, budget: int = 600, **asked: str) -> Counter[str]:
    with Memory(":memory:", policy=policy) as memory:
        ada = memory.view(actor_id="ada")
        days = [f"On day {n} of the journey we got up early and had bread with cheese." for n in range(9)]
        # Nothing in L1, which has a zone of its own.
        ada.write_many([*days, *(f"The boat number {n} is blue and large." for n in range(60)), *OTHERS], tier="L2")
        context = ada.read("Which boat is blue?", token_budget=budget, **asked)  # pyright: ignore[reportArgumentType]
        return Counter(item.zone for item in context.items)


def test_the_records_of_a_zone_are_a_value() -> None:
    plain = _zones(MemoryPolicyConfig())
    assert (plain["early"], plain["recent"]) == (1, 2)
    more = _zones(MemoryPolicyConfig(early_records=3, recent_records=5))
    assert (more["early"], more["recent"]) == (3, 5)
    assert _zones(MemoryPolicyConfig(), budget=150)["early"] == 0
    assert _zones(MemoryPolicyConfig(early_from_tokens=100), budget=150)["early"] == 1


def test_a_share_bounds_its_zone_and_is_spent_again() -> None:
    recent = MemoryPolicyConfig(early_ratio=0.0, relevant_ratio=0.1, recent_ratio=0.9, recent_records=99)
    found = _zones(recent)
    # However large its share, what is only recent never takes more than three tenths.
    assert found["relevant"] > found["recent"] > 5
    none = MemoryPolicyConfig(early_ratio=0.0, relevant_ratio=1.0, recent_ratio=0.0)
    assert _zones(none)["recent"] == _zones(none)["early"] == 0


def test_the_default_depth_is_the_sharpest_that_is_shown() -> None:
    for depth in (0, 1, 2):
        with Memory(":memory:", policy=MemoryPolicyConfig(default_depth=depth)) as memory:
            ada = memory.view(actor_id="ada")
            ada.write(LONG)
            [item] = ada.read("boat").items
            assert (item.depth, item.record.text in item.text.replace("\n", " ")) == (depth, depth == 2)
            assert ada.read("boat", mode="text").items[0].depth == 2


def test_the_shallow_share_is_for_what_does_not_fit_whole() -> None:
    shown: dict[float, Counter[int]] = {}
    for shallow in (0.0, 0.3):
        policy = MemoryPolicyConfig(shallow_budget_ratio=shallow, deep_budget_ratio=1 - shallow)
        with Memory(":memory:", policy=policy) as memory:
            ada = memory.view(actor_id="ada")
            ada.write_many([f"Boat {n}. {LONG}" for n in range(40)])
            context = ada.read("Which boat is blue?", token_budget=700)
            shown[shallow] = Counter(item.depth for item in context.items)
            shallowly = sum(item.tokens for item in context.items if item.depth < 2)
            assert shallowly >= shallow * 0.8 * 700
    assert len(list(shown[0.3].elements())) > len(list(shown[0.0].elements()))


def test_a_threshold_keeps_the_faint_out(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db") as memory:
        ada = memory.view(actor_id="ada")
        code = ada.write("The locker code is 4711.").id
        ada.write_many(OTHERS, tier="L2")
        context = ada.read("What is the locker code?", min_relevance=0.2)
        assert [item.id for item in context.items if item.zone == "relevant"] == [code]
        assert len(context.items) <= 4
        assert {one.reason for one in context.receipt.cut} == {"irrelevant"}
        assert context.receipt.considered == len(context.items) + len(context.receipt.cut)
        for wrong in (1.5, -1, "x"):
            with pytest.raises(Invalid):
                ada.read("locker", min_relevance=wrong)  # pyright: ignore[reportArgumentType]


def test_an_older_version_that_matched_better_is_told_with_its_successor(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db") as memory:
        ada = memory.view(actor_id="ada")
        home = ada.write("I live in Oslo.").id
        ada.supersede(home, "I live in Bergen.")
        receipt = ada.read("Who lives in Oslo?").receipt
        [cut] = receipt.cut
        assert (cut.id, cut.reason, cut.version, cut.successor) == (home, "superseded", 1, 2)
        assert receipt.hidden == {"superseded": 1, "scope": 0}
        assert ada.read("Who lives in Bergen?").receipt.hidden["superseded"] == 0


def test_what_the_caller_left_out_itself_is_counted(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db") as memory:
        ada = memory.view(actor_id="ada")
        ada.write("tea is hot", kind="fact")
        note = ada.write("tea is green").id
        receipt = ada.read("tea", kinds=["fact"]).receipt
        assert receipt.hidden == {"superseded": 0, "scope": 1}
        assert [(one.id, one.reason) for one in receipt.cut] == [(note, "scope")]
        assert receipt.considered == 2
        assert ada.read("tea").receipt.hidden["scope"] == 0


def test_the_receipt_does_not_count_what_others_keep_to_themselves(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db") as memory:
        ada = memory.view(actor_id="ada")
        ada.write("tea is secret", node="/other")
        secret = ada.write("tea from Assam", node="/other").id
        ada.supersede(secret, "coffee", node="/other", scope="local")
        ada.write("tea is mine", node="/me", kind="fact")
        muted = ada.write("tea is muted", node="/me").id
        ada.mute(muted, node="/me")
        receipt = ada.read("tea from Assam", node="/me", kinds=["fact"]).receipt
        assert (receipt.hidden, receipt.cut, receipt.considered) == ({"superseded": 0, "scope": 0}, (), 1)
