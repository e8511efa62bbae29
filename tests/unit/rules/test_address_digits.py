"""Digits: a point keeps its cell, near points share prefixes, cells fill evenly."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from foveal.rules.addresses import corners, digits, generic_plane

UNIT = st.floats(0, 1, allow_nan=False)


@given(UNIT, UNIT)
def test_every_point_has_a_path_of_the_levels_asked(u: float, v: float) -> None:
    side = u**0.5
    point = (1 - side, side * (1 - v), side * v)
    for levels in (0, 1, 9):
        path = digits(point, levels)
        assert len(path) == levels
        assert set(path) <= set("012")
    assert digits(point, 9).startswith(digits(point, 4))


def test_near_points_share_more_digits_than_far_ones() -> None:
    a, b, far = digits((0.7, 0.2, 0.1)), digits((0.7001, 0.1999, 0.1)), digits((0.1, 0.2, 0.7))
    shared = [next((n for n in range(9) if a[n] != other[n]), 9) for other in (b, far)]
    assert shared[0] > shared[1]


def test_cells_fill_evenly_for_ordinary_vectors() -> None:
    plane = generic_plane(64)
    vectors = np.random.default_rng(7).standard_normal((3000, 64)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    counts = Counter(digits(corners(vector, plane), 2) for vector in vectors)
    assert len(counts) == 9
    assert max(counts.values()) < 5 * min(counts.values())
