"""How much a shared word tells: BM25."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from foveal.model.search import Floats

K1, B = 1.2, 0.75
# Of a question with more terms than this, the rarest are looked for.
MOST_TERMS = 64


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


def rarest(holders: Floats, most: int = MOST_TERMS) -> NDArray[np.int64]:
    """Which terms to look for, in their order: those that some record holds, and of them the `most` rarest.

    >>> rarest(np.array([5, 0, 900, 2], np.float32), 2).tolist()
    [0, 3]
    """
    held = np.flatnonzero(holders)
    return np.sort(held[np.argsort(holders[held], kind="stable")[:most]])
