"""How much a shared word tells: BM25."""

from __future__ import annotations

import math

K1, B = 1.2, 0.75


def rarity(holders: int, records: int) -> float:
    """How telling a term is that `holders` of all `records` have; never negative.

    >>> rarity(1, 1000) > rarity(100, 1000) > rarity(1000, 1000) > 0
    True
    """
    return math.log(1 + (records - holders + 0.5) / (holders + 0.5))
