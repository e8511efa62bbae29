"""Vectors as they go into an index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from foveal.errors import Invalid
from foveal.model.search import Floats


def unit_rows(vectors: Floats, ids: Sequence[str]) -> Floats:
    """One row of length 1 for each id; a row of zeros stays as it is.

    >>> unit_rows(np.array([[3, 4], [0, 0]], np.float32), ["a", "b"]).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    rows = np.asarray(vectors, np.float32)
    if rows.ndim != 2 or len(rows) != len(ids):
        raise Invalid(f"{len(ids)} ids need as many rows of vectors, not an array of shape {rows.shape}")
    if not np.isfinite(rows).all():
        raise Invalid("vectors must be finite numbers")
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(norms > 0, norms, 1)).astype(np.float32)


def nearest(found: Iterable[tuple[str, float]], k: int) -> list[tuple[str, float]]:
    """The `k` ids with the largest numbers, each with its largest, the largest first.

    >>> nearest([("a", 0.1), ("b", 0.5), ("a", 0.9)], 2)
    [('a', 0.9), ('b', 0.5)]
    """
    best: dict[str, float] = {}
    for one, cosine in found:
        best[one] = max(cosine, best.get(one, cosine))
    return sorted(best.items(), key=lambda pair: -pair[1])[:k]
