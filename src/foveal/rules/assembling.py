"""Which tiers a context is assembled from, and how its budget is shared between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from msgspec import Struct

from foveal.errors import Invalid
from foveal.rules.fitting import Candidate, Choice, Fit, Zone

TIERS: tuple[str, ...] = ("operational", "working", "longterm", "knowledge")
_NAMES = {
    **{name: name for name in TIERS},
    **{"long_term": "longterm", "long": "longterm", "semantic": "longterm", "l4": "longterm"},
}
# The state of the machine takes at most this much, and at most this part of a short budget.
SNAPSHOT_TOKENS, SNAPSHOT_SHARE, SNAPSHOT = 500, 4, "snapshot"
# The part of the budget that is kept for each tier, and how many chunks of it come before all others.
SHARES = {"operational": (0.2, 3), "working": (0.4, 5), "longterm": (0.3, 3), "knowledge": (0.3, 2)}


class Offer(Struct, frozen=True, kw_only=True):
    """A chunk that could be shown, and the tier it comes from."""

    tier: str
    candidate: Candidate


def named_tiers(tiers: Sequence[str]) -> tuple[str, ...]:
    """The tiers that names mean, each once, in the order they are shown.

    >>> named_tiers(["long_term", "operational", "longterm"])
    ('operational', 'longterm')
    """
    if isinstance(tiers, str):
        raise Invalid(f"tiers must be a list of names; for one write [{tiers!r}]")
    for name in tiers:
        if str(name).lower() not in _NAMES:
            raise Invalid(f"{name!r} is not a tier to assemble from; use one of {', '.join(_NAMES)}")
    wanted = {_NAMES[str(name).lower()] for name in tiers}
    return tuple(one for one in TIERS if one in wanted)


def snapshot_room(budget: int) -> int:
    """How many tokens the state of the machine may take.

    >>> snapshot_room(4000), snapshot_room(400)
    (500, 100)
    """
    return min(SNAPSHOT_TOKENS, budget // SNAPSHOT_SHARE)


def shared_out(offers: Sequence[Offer], budget: int, count: Callable[[str], int]) -> list[Choice]:
    """What fits the budget: the snapshot, then the best of each tier, then whatever helps most.

    A share is a floor, not a wall. One that does not fit is shown shallower or passed over, and the rest goes on.
    """
    candidates = [one.candidate for one in offers]
    tiers = {one.candidate.id: one.tier for one in offers}
    fit = Fit(budget, count)
    first = [Zone("operational", 1.0, _snapshot, most=1)]
    each = [
        Zone(tier, share, partial(_of, tiers, tier), most=most)
        for tier, (share, most) in SHARES.items()
        if tier in tiers.values()
    ]
    for zone in [*first, *each, Zone("rest", 1.0, partial(_of, tiers, None))]:
        fit.fill(zone, candidates, {}, budget)
    order = list(TIERS)
    return sorted(
        fit.chosen.values(),
        key=lambda one: (
            order.index(tiers[one.candidate.id]),
            one.candidate.id != SNAPSHOT,
            -one.candidate.relevance,
            one.candidate.id,
        ),
    )


def _snapshot(candidates: Sequence[Candidate]) -> list[Candidate]:
    return [one for one in candidates if one.id == SNAPSHOT]


def _of(tiers: dict[str, str], tier: str | None, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates of a tier, or of all, best first."""
    found = [one for one in candidates if one.id != SNAPSHOT and tier in (None, tiers[one.id])]
    return sorted(found, key=lambda one: (-one.relevance, one.id))
