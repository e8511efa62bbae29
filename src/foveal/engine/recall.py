"""The recall flow: every arm looks, the scores become one."""

from __future__ import annotations

from foveal.engine.core import Core
from foveal.errors import ModelUnavailable
from foveal.model.context import Hit
from foveal.model.sight import Sight
from foveal.rules.fusion import fused
from foveal.rules.words import asked_terms

# How many candidates each arm brings, at least: the best of one arm is often far down in another.
CANDIDATES = 100
MOST_TERMS = 64


def recall(core: Core, sight: Sight, question: str, k: int, *, explain: bool = False) -> list[Hit]:
    """The `k` best records for a question. Candidates are the union of all arms.

    When the encoder is away, the words answer alone, and the hits name no encoder.
    """
    limit = max(CANDIDATES, k)
    arms = {"words": core.store.matching(sight, asked_terms(question)[:MOST_TERMS], limit)}
    encoder: str | None = core.embedder.id
    try:
        vector = core.embedder.embed([question], asking=True)[0]
        arms["meaning"] = core.store.nearest(sight, vector, limit, core.encoder)
    except ModelUnavailable:
        encoder = None
    parts = fused(arms)
    best = sorted(parts, key=lambda one: (-sum(parts[one].values()), one))[:k]
    return [
        Hit(
            record=record,
            score=sum(parts[record.id].values()),
            parts=parts[record.id] if explain else None,
            encoder=encoder,
        )
        for record in core.store.get(sight, best)
    ]
