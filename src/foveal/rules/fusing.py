"""How a second opinion is added to a score."""

from __future__ import annotations

import math
from collections.abc import Sequence

WEIGHT = 1.5


def second_opinions(scores: Sequence[float], opinions: Sequence[float]) -> list[float]:
    """What opinions on any scale add to scores: from nothing to half more than the scores themselves span.

    So the second opinion weighs more than the first. None is negative: what was asked about does not fall behind
    what was not.

    >>> second_opinions([5.0, 4.0, 3.0], [-9.0, 1.0, 11.0])
    [0.0, 1.5, 3.0]
    """
    low, high = min(opinions, default=0.0), max(opinions, default=0.0)
    span = WEIGHT * (max(scores) - min(scores)) if scores else 0.0
    return [span * (one - low) / (high - low) if high > low else 0.0 for one in opinions]


def log_odds(chance: float) -> float:
    """How much more likely something is than not, as a number that parts can add up to.

    >>> log_odds(0.5), log_odds(0.9) > 2
    (0.0, True)
    """
    chance = min(max(chance, 1e-9), 1 - 1e-9)
    return math.log(chance / (1 - chance))


def usable(opinions: Sequence[float], wanted: int) -> bool:
    """Whether these are as many finite numbers as were asked for.

    >>> usable([0.5, 1.0], 2), usable([0.5], 2), usable([math.nan], 1)
    (True, False, False)
    """
    return len(opinions) == wanted and all(math.isfinite(one) for one in opinions)
