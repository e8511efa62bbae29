"""Where a vector lies on the map: a path down a ternary tree over a triangle."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

LEVELS = 9


class Plane(Struct, frozen=True):
    """The map of one tape: two directions of the vector space, frozen with it.

    `centre` and `spread` are those of the coordinates over everyday text, so that cells fill evenly.
    """

    axes: NDArray[np.float32]
    centre: tuple[float, float]
    spread: tuple[float, float]


@lru_cache(maxsize=16)
def generic_plane(dimension: int) -> Plane:
    """The plane for an encoder that brings none: two fixed random directions.

    >>> generic_plane(8).axes.shape
    (8, 2)
    """
    axes = np.random.default_rng(dimension).standard_normal((dimension, 2)).astype(np.float32)
    axes /= np.linalg.norm(axes, axis=0)
    spread = 1 / math.sqrt(dimension)
    return Plane(axes, (0.0, 0.0), (spread, spread))


def fitted_plane(vectors: NDArray[np.float32]) -> Plane:
    """The plane in which vectors lie widest apart: their two principal directions, with the signs fixed.

    The largest number of a direction is positive, and all are rounded, so that every run gives the same plane.
    Fewer than three vectors span no plane, and get the generic one.

    >>> fitted_plane(np.array([[1, 0, 0], [-1, 0, 0], [0, 0.5, 0], [0, -0.5, 0]], np.float32)).axes.tolist()
    [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    """
    wide = vectors.astype(np.float64)
    away = wide - wide.mean(axis=0) if len(wide) else wide
    if len(wide) < 3 or vectors.shape[1] < 2 or not np.any(away):
        return generic_plane(vectors.shape[1])
    _, directions = np.linalg.eigh(away.T @ away)
    axes = directions[:, [-1, -2]]
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), [0, 1]])
    axes = np.round(axes, 6).astype(np.float32) + 0
    points = wide @ axes.astype(np.float64)
    (x, y), (broad, high) = points.mean(axis=0).round(6).tolist(), points.std(axis=0).round(6).tolist()
    return Plane(axes, (x, y), (max(broad, 1e-6), max(high, 1e-6)))


def corners(vector: NDArray[np.float32], plane: Plane) -> tuple[float, float, float]:
    """How near a vector lies to each corner of the triangle: three weights that sum to 1.

    The normal distribution function makes the coordinates about uniform on a square, and the square
    is folded onto the triangle without changing areas.
    """
    x, y = (float(value) for value in vector @ plane.axes)
    u = 0.5 * (1 + math.erf((x - plane.centre[0]) / (plane.spread[0] * math.sqrt(2))))
    v = 0.5 * (1 + math.erf((y - plane.centre[1]) / (plane.spread[1] * math.sqrt(2))))
    side = math.sqrt(u)
    return (1 - side, side * (1 - v), side * v)


def digits(weights: tuple[float, float, float], levels: int = LEVELS) -> str:
    """The path from the root to the cell of a point: at each level, the corner it is nearest to.

    Three corner triangles leave a hole in the middle. A point in the hole goes to its nearest corner
    triangle, at the edge it faces; a tie goes to the lower digit.

    >>> digits((1.0, 0.0, 0.0), 3), digits((0.2, 0.5, 0.3), 2)
    ('000', '12')
    """
    path = ""
    a, b, c = weights
    for _ in range(levels):
        corner = 0 if a >= b and a >= c else 1 if b >= c else 2
        path += "012"[corner]
        a = max(0.0, 2 * a - (corner == 0))
        b = max(0.0, 2 * b - (corner == 1))
        c = max(0.0, 2 * c - (corner == 2))
        total = a + b + c
        a, b, c = a / total, b / total, c / total
    return path
