"""How much a shared word tells: BM25."""

from __future__ import annotations

import numpy as np

from foveal.model.trace import Floats

K1, B = 1.2, 0.75


def rarities(holders: Floats, records: int) -> Floats:
    """How telling terms are that `holders` of all `records` have; never negative.

    >>> rare, common, everywhere = rarities(np.array([1, 100, 1000], np.float32), 1000).tolist()
    >>> rare > common > everywhere > 0
    True
    """
    return np.log1p((records - holders + 0.5) / (holders + 0.5)).astype(np.float32)


def worth(times: Floats, lengths: Floats, mean_length: float) -> Floats:
    """What occurring `times` in a record of this length is worth, at most K1 + 1.

    >>> once, thrice = worth(np.array([1, 3], np.float32), np.array([10, 10], np.float32), 10.0).tolist()
    >>> round(once, 3), round(thrice, 3)
    (1.0, 1.571)
    """
    return (times * (K1 + 1) / (times + K1 * (1 - B + B * lengths / max(mean_length, 1.0)))).astype(np.float32)
