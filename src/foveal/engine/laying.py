"""What is laid out in a budget: which records, how sharp, what they replaced, and what stands around them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache, partial
from itertools import islice

import msgspec
from msgspec import Struct

from foveal.engine.candidates import Excerpt, candidates
from foveal.engine.core import Core
from foveal.engine.periphery import periphery
from foveal.engine.tape.showing import glyphed
from foveal.errors import BudgetTooSmall
from foveal.model.query import Sight
from foveal.model.record import Record, Rendition
from foveal.model.results import Cut, Hit
from foveal.rules.budget import Candidate, Choice, Zone, fitted
from foveal.rules.rendering import IN_SHORT, block, line

# For so many of the best it is asked whether an older version, or a record outside what was asked, matched better.
LOOKED_AT = 50


class Manner(Struct, frozen=True, kw_only=True):
    """How a read wants its records shown: `whole` or not at all, as `glyphs`, with a periphery around them.

    `excerpt` shortens a text to what the question points at; what is less relevant than `least` is faint.
    """

    zones: tuple[Zone, ...]
    budget: int
    excerpt: Excerpt
    whole: bool = False
    glyphs: bool = False
    around: bool = False
    least: float = 0.0


class Laid(Struct, frozen=True, kw_only=True):
    """What was laid out of what was `given`: the chosen and the cut, what the best replaced, what stands around,
    and the tokens that are left."""

    given: Sequence[Candidate]
    chosen: list[Choice]
    cut: list[Cut]
    before: Mapping[str, Record]
    edge: Sequence[tuple[Rendition, str, int]]
    left: int


def laid(
    core: Core,
    sight: Sight,
    manner: Manner,
    hits: Mapping[str, Hit],
    records: Mapping[str, Record],
    works: Collection[str],
) -> Laid:
    """Lay records out in the budget."""
    given = _given(core, sight, manner, hits, records, works)
    frame = core.counter.count(block([("", "")]))
    fit = partial(fitted, count=cache(core.counter.count), zones=manner.zones)
    room = manner.budget - frame
    chosen, cut = fit(given, budget=room)
    edge: list[tuple[Rendition, str, int]] = []
    if manner.around and any(one.reason == "budget" for one in cut):
        edge = periphery(core, sight, manner.budget, hits, {one.candidate.id for one in chosen})
    if edge:
        room -= core.counter.count(IN_SHORT + "\n") + sum(cost for _, _, cost in edge)
        chosen, cut = fit(given, budget=room)
    before = _before(core, sight, [records[one.candidate.id] for one in chosen if one.depth == 2], hits)
    retold = _retold(given, chosen, records, before)
    if retold is not None:
        chosen, cut = fit(retold, budget=room)
    left = room - sum(one.tokens for one in chosen)
    return Laid(given=given, chosen=chosen, cut=cut, before=before, edge=edge, left=left)


def too_small(core: Core, given: Sequence[Candidate], budget: int) -> BudgetTooSmall:
    """The error that says how much a budget would need to hold one of these."""
    frame = core.counter.count(block([("", "")]))
    least = frame + min(core.counter.count(f"{one.heading}\n{one.line(0)}\n") for one in given)
    return BudgetTooSmall(f"a budget of {budget} tokens holds no item; the smallest needs {least}", needed=least)


def _given(
    core: Core,
    sight: Sight,
    manner: Manner,
    hits: Mapping[str, Hit],
    records: Mapping[str, Record],
    works: Collection[str],
) -> list[Candidate]:
    deepest = core.policy.default_depth
    given = candidates(records, hits, sight, manner.excerpt, works=works, deepest=deepest, least=manner.least)
    if manner.whole:
        given = [msgspec.structs.replace(one, shorter=partial(_unchanged, one.whole), deepest=2) for one in given]
    return glyphed(core, sight, records, given) if manner.glyphs else given


def _unchanged(text: str, _depth: int) -> str:
    return text


def _before(core: Core, sight: Sight, shown: Sequence[Record], hits: Mapping[str, Hit]) -> dict[str, Record]:
    """What was replaced by the records that are shown whole, and by the best that were found."""
    best = (hit.record for hit in islice(hits.values(), LOOKED_AT))
    changed = {one.id: one for one in (*shown, *best) if one.version > 1}
    return core.store.previous(sight, list(changed.values())) if changed else {}


def _retold(
    given: Sequence[Candidate],
    chosen: Sequence[Choice],
    records: Mapping[str, Record],
    before: Mapping[str, Record],
) -> list[Candidate] | None:
    """The candidates with what they replaced told, if one of those that are shown whole replaced something."""
    if not any(one.candidate.id in before and one.depth == 2 for one in chosen):
        return None
    told = {one: line(records[one], records[one].text, was=old.text) for one, old in before.items()}
    return [msgspec.structs.replace(one, told=told.get(one.id)) for one in given]
