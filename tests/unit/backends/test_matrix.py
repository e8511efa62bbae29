"""The compact index finds what the plain one finds."""

import numpy as np
import pytest
from numpy.typing import NDArray

from foveal.backends.matrix import Matrix, largest
from foveal.backends.ram.flat import FlatIndex
from foveal.ports.vectors import VectorIndex

RANDOM = np.random.default_rng(3)


def _unit(rows: int, dimension: int = 64) -> NDArray[np.float32]:
    vectors = RANDOM.standard_normal((rows, dimension)).astype(np.float32)
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(params=[FlatIndex, lambda: Matrix(64)], ids=["flat", "matrix"])
def index(request: pytest.FixtureRequest) -> VectorIndex:
    return request.param()


def test_groups_never_mix_and_keys_come_once(index: VectorIndex) -> None:
    a, b = _unit(50), _unit(50)
    index.add(1, np.arange(50) // 2, a)
    index.add(2, np.arange(100, 150), b)
    found = index.nearest(1, b[0], 50)
    assert len(found) == len(set(found.tolist())) == 25
    assert set(found.tolist()) <= set(range(25))
    assert index.nearest(3, b[0], 5).tolist() == []
    assert index.nearest(2, b[7], 1).tolist() == [107]


def test_what_is_removed_is_not_found(index: VectorIndex) -> None:
    vectors = _unit(20)
    index.add(1, np.arange(20), vectors)
    index.remove(1, np.array([3, 4]))
    assert index.size(1) == 18
    assert 3 not in index.nearest(1, vectors[3], 18)
    index.drop(1)
    assert index.size(1) == 0


@pytest.mark.parametrize("rows", [10, 1000, 40_000])
def test_the_compact_index_finds_what_the_plain_one_finds(rows: int) -> None:
    vectors, questions = _unit(rows), _unit(20)
    plain, compact = FlatIndex(), Matrix(64)
    for index in (plain, compact):
        for part in np.array_split(np.arange(rows), 7):
            index.add(1, part, vectors[part])
    k = min(10, rows)
    found = [len(set(plain.nearest(1, q, k).tolist()) & set(compact.nearest(1, q, k + 32).tolist())) for q in questions]
    assert sum(found) / (k * len(questions)) >= 0.99


def test_groups_not_asked_for_make_room() -> None:
    index = Matrix(64, room=3000 * 64)
    for group in range(5):
        index.add(group, np.arange(1000), _unit(1000))
    sizes = [index.size(group) for group in range(5)]
    assert sizes[-1] == 1000
    assert sizes[0] == 0


def test_the_largest_are_the_largest() -> None:
    for size in (0, 1, 255, 256, 5000):
        scores = RANDOM.standard_normal(size).astype(np.float32)
        for k in (1, 10, 300):
            assert scores[largest(scores, k)].tolist() == sorted(scores.tolist(), reverse=True)[:k]
