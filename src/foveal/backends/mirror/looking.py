"""How a store looks into a mirror for what a sight may see."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from foveal.backends.mirror.mirror import NONE, Mirror
from foveal.model.trace import Floats, Frame, Probe, Rows

# The neighbours of this many of the best of each arm are candidates too.
_AROUND = 60
# How many of the nearest by the compact vectors are measured again with the true ones.
_EXACT = 64

Seen = Callable[[Rows], Mapping[int, str]]
Exact = Callable[[Sequence[int]], Mapping[int, Floats]]


def look(
    mirror: Mirror,
    probe: Probe,
    limit: int,
    *,
    seen: Seen,
    exact: Exact,
    hidden: bool,
    among: Rows | None = None,
) -> Frame:
    """The candidates that `seen` lets through, and what stands around them.

    `seen` gives the ids of those rows that may be seen, by key, and `exact` the true vectors of keys. When
    something is `hidden`, neighbours have to be asked for too: nobody learns of a record by its neighbours' rank.
    `among` are the rows that are looked at, when it is known that `seen` lets no others through.
    """
    reading = mirror.read(probe)
    reach = limit
    while True:
        arms = reading.arms(reach, among)
        rows = np.unique(np.concatenate([*arms, *(mirror.beside(arm[:_AROUND]) for arm in arms)]))
        ids = seen(rows)
        keys = mirror.keys
        # What may not be seen makes room, in either arm, for what lies further away.
        full = reach >= (len(mirror) if among is None else len(among))
        if full or all(_visible(keys[arm], ids) >= min(limit, len(arm)) for arm in arms):
            break
        reach *= 8
    rows = rows[[key in ids for key in keys[rows].tolist()]]
    if probe.vector is not None and len(rows):
        nearest = rows[np.argsort(-reading.cosine[rows], kind="stable")[:_EXACT]]
        true = exact(keys[nearest].tolist())
        for row, key in zip(nearest.tolist(), keys[nearest].tolist(), strict=True):
            if key in true:
                reading.cosine[row] = (true[key] @ probe.vector).max()
    near = mirror.near(rows)
    if hidden and len(rows):
        around = np.unique(near[near != NONE])
        allowed = seen(around)
        near = np.where(np.isin(near, around[[key in allowed for key in keys[around].tolist()]]), near, NONE)
    return mirror.frame(reading, probe, rows, [ids[key] for key in keys[rows].tolist()], near)


def _visible(keys: Rows, ids: Mapping[int, str]) -> int:
    return sum(key in ids for key in keys.tolist())
