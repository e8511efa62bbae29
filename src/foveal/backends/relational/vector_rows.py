"""Between vectors and bytes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def middle(rows: NDArray[np.float16]) -> NDArray[np.float32]:
    """The direction in which the rows of a record point together.

    >>> middle(np.array([[1, 0], [0, 1]], np.float16)).round(3).tolist()
    [0.7070000171661377, 0.7070000171661377]
    """
    mean = rows.astype(np.float32).mean(axis=0)
    return (mean / max(float(np.linalg.norm(mean)), 1e-12)).astype(np.float32)
