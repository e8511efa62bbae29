"""How likely a hit is to help, as a number from 0 to 1 that means the same for every question."""

from __future__ import annotations

import math
from collections.abc import Mapping

from foveal.rules.ranking import WEIGHTS

# Fitted by `python -m bench.relevance` on conversations: below .4, hits help about as often as their relevance
# says; above it there were too few hits to tell.
INTERCEPT, SLOPES = -3.49, (1.74, 3.80)


def features(parts: Mapping[str, float], cosine: float) -> tuple[float, ...]:
    """What relevance is made of: how near the meaning is, and how much of the question's word pieces is held.

    The score of a hit, and the words in it, only rank it among the hits of its question; these compare across.
    """
    return (cosine, parts.get("pieces", 0.0) / WEIGHTS["pieces"])


def relevance(parts: Mapping[str, float], cosine: float) -> float:
    """The chance that a hit helps, from the parts of its score and the cosine of its meaning.

    >>> near = {"pieces": 0.8 * WEIGHTS["pieces"], "words": WEIGHTS["words"]}
    >>> relevance({}, 0.0) < 0.1 < 0.5 < relevance(near, 0.7)
    True
    """
    told = INTERCEPT + sum(slope * one for slope, one in zip(SLOPES, features(parts, cosine), strict=True))
    return 1 / (1 + math.exp(-told))
