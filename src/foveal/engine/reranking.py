"""The recall flow with a second opinion on the best, if there is a reranker."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import msgspec

from foveal.engine.core import Core
from foveal.engine.recall import recalled
from foveal.errors import Invalid, TimedOut, Unavailable, Unsupported
from foveal.model.query import Sight
from foveal.model.results import Hit
from foveal.ports.models import Reranker
from foveal.ports.system import Clock
from foveal.rules.recall.ranking import log_odds, second_opinions, usable

# How many of the best are ranked once more at most, and how many are given to the model at a time.
MOST, AT_A_TIME = 50, 5

PART = "reranker"


def reranked(
    core: Core, sight: Sight, text: str, k: int, *, explain: bool = False
) -> tuple[list[Hit], str | None, tuple[str, ...]]:
    """The best records, the encoder that helped to find them, and what did not answer."""
    if core.reranker is None:
        return recalled(core, sight, text, k, explain=explain)
    found, encoder, away = recalled(core, sight, text, max(k, MOST), explain=explain)
    try:
        opinions = _opinions(core.reranker, core.clock, text, found[:MOST], core.reranker_limit)
    except (Invalid, Unavailable, TimedOut, Unsupported) as error:
        core.degraded("reranker", error)
        return found[:k], encoder, (*away, PART)
    best = found[: len(opinions)]
    odds = [log_odds(hit.relevance) for hit in best]
    fused = [own + more for own, more in zip(odds, second_opinions(odds, opinions), strict=True)]
    places = sorted(range(len(best)), key=lambda place: -fused[place])
    # A second opinion changes the order; how relevant the best are stays what it was.
    ordered = [_moved(best[place], odds[place], hit.relevance) for place, hit in zip(places, best, strict=True)]
    return [*ordered, *found[len(opinions) :]][:k], encoder, away


def _opinions(reranker: Reranker, clock: Clock, text: str, hits: Sequence[Hit], limit: timedelta) -> list[float]:
    """What the reranker says of the best: of as many as fit the time, going by how long the first ones took."""
    opinions: list[float] = []
    start, spent = clock.now(), timedelta(0)
    while len(opinions) < len(hits):
        batch = hits[len(opinions) : len(opinions) + AT_A_TIME]
        each = spent / len(opinions) if opinions else timedelta(0)
        if opinions and spent + each * len(batch) > limit:
            break
        said = reranker.scores(text, [hit.text for hit in batch])
        if not usable(said, len(batch)):
            raise Invalid(f"the reranker gave {len(said)} scores for {len(batch)} texts, or not finite ones")
        opinions += said
        spent = clock.now() - start
    return opinions


def _moved(hit: Hit, odds: float, relevance: float) -> Hit:
    parts = None if hit.parts is None else {**hit.parts, PART: log_odds(relevance) - odds}
    return msgspec.structs.replace(hit, relevance=relevance, parts=parts)
