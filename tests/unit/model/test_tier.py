"""Tiers go by many names, and an unknown one is an error that lists them."""

import pytest

from foveal.errors import Invalid
from foveal.model.record import Tier


@pytest.mark.parametrize(
    ("names", "tier"),
    [
        (("L1", "working", "operational", 1), Tier.WORKING),
        (("l2", "session", "short"), Tier.SESSION),
        (("L3", "Episodic", "medium"), Tier.EPISODIC),
        (("L4", "semantic", "long", "longterm", "long_term", Tier.SEMANTIC), Tier.SEMANTIC),
    ],
)
def test_every_name_means_its_tier(names: tuple[str | int | Tier, ...], tier: Tier) -> None:
    assert {Tier.named(name) for name in names} == {tier}


def test_an_unknown_tier_lists_the_names() -> None:
    with pytest.raises(Invalid, match="long_term"):
        Tier.named("lukewarm")
