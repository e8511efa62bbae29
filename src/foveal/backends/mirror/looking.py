"""How a store looks into a mirror for what a sight may see."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from foveal.backends.mirror.image import NONE, Image, Seen
from foveal.model.search import Floats, Frame, Probe, Rows

# The neighbours of this many of the best of each arm are candidates too.
AROUND = 60
# How many of the nearest by the compact vectors are measured again with the true ones.
_EXACT = 16

Exact = Callable[[Sequence[int], Floats], Mapping[int, float]]


def both(first: Seen, then: Seen) -> Seen:
    """What two let through; the second is asked only of what the first does."""

    def seen(rows: Rows) -> NDArray[np.bool_]:
        let = first(rows)
        let[let] = then(rows[let])
        return let

    return seen


def look(
    image: Image,
    probe: Probe,
    limit: int,
    *,
    seen: Seen,
    beside: Seen,
    exact: Exact,
    few: Callable[[], Rows] | None = None,
) -> Frame:
    """The candidates that `seen` lets through, and of what stands around them what `beside` does.

    `exact` gives the cosines of keys by their true vectors. Nobody learns of a record by its neighbours' rank, so
    `beside` lets nothing through that is hidden; a filter has no part in it, for it narrows and does not hide.
    `few` gives keys outside of which nothing may be seen: it is asked when little of what is best may be.
    """
    reading = image.read(probe, image.rows_near(probe.near, limit, seen))
    # What an index found cannot be more: it was asked for enough.
    growing = 2 if reading.near is None else 1
    reach = limit
    while True:
        arms = reading.arms(reach)
        found = [arm[seen(arm)] for arm in arms]
        # What may not be seen makes room, in either arm, for what lies further away.
        if reach >= len(image) or all(
            len(kept) >= min(limit, len(arm)) for kept, arm in zip(found[:growing], arms[:growing], strict=True)
        ):
            break
        if few is not None:
            own = np.flatnonzero(np.isin(image.keys, few()))
            found = reading.arms(limit, own[seen(own)])
            break
        reach *= 8
    close = image.near(np.concatenate([kept[:AROUND] for kept in found]))[:, 1:5]
    close = image.union([close[close != NONE]])
    rows = image.union([*found, close[seen(close)]])
    if probe.vector is not None and len(rows):
        if reading.near is not None:
            reading.cosine[rows] = image.cosines_of(probe.vector, rows)
        nearest = rows[np.argsort(-reading.cosine[rows], kind="stable")[:_EXACT]]
        true = exact(image.keys[nearest].tolist(), probe.vector)
        known = [key in true for key in image.keys[nearest].tolist()]
        reading.cosine[nearest[known]] = [true[key] for key in image.keys[nearest[known]].tolist()]
    near = image.near(rows)
    if len(rows):
        near = np.where(beside(near), near, NONE)
    return image.frame(reading, probe, rows, near)
