"""Families: tight, of about the size asked for, the same bytes however they are computed."""

import numpy as np
import pytest
from numpy.typing import NDArray

from foveal.rules import glyphs
from foveal.rules.addresses import corners, fitted_plane, generic_plane
from foveal.rules.glyphs import LENGTH, centred, gathered, middle, nearest, rounded


def _near_topics(count: int, topics: int, dimension: int = 48, seed: int = 3) -> NDArray[np.float32]:
    chance = np.random.default_rng(seed)
    middles = chance.standard_normal((topics, dimension))
    rows = middles[np.arange(count) % topics] + 0.35 * chance.standard_normal((count, dimension))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize(("count", "families"), [(300, 30), (4000, 400)])
def test_phrases_of_one_topic_come_together(count: int, families: int) -> None:
    points = rounded(_near_topics(count, families))
    centres = centred(points, families)
    owners, likeness = nearest(points, centres)
    assert 0.6 * families <= len(centres) <= families
    assert likeness.mean() > 0.85
    topics = np.arange(count) % families
    together = [np.bincount(owners[topics == one]).max() / (topics == one).sum() for one in range(families)]
    assert np.mean(together) > 0.9


def test_two_runs_give_the_same_bytes() -> None:
    points = rounded(_near_topics(4000, 400))
    assert centred(points, 400).tobytes() == centred(points, 400).tobytes()


def test_no_order_of_summing_changes_what_is_nearest() -> None:
    points, centres = rounded(_near_topics(200, 20)), rounded(_near_topics(40, 20, seed=5))
    owners, likeness = nearest(points, centres)
    exact = points.astype(np.int64) @ centres.astype(np.int64).T
    assert (owners == exact.argmax(axis=1)).all()
    assert (likeness == (exact.max(axis=1).astype(np.float32) / np.float32(LENGTH**2))).all()
    shuffled = np.random.default_rng(1).permutation(points.shape[1])
    again, same = nearest(points[:, shuffled], centres[:, shuffled])
    assert (again == owners).all()
    assert (same == likeness).all()


def test_the_block_that_is_compared_at_once_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    points, centres = rounded(_near_topics(200, 20)), rounded(_near_topics(40, 20, seed=5))
    owners, _ = nearest(points, centres)
    monkeypatch.setattr(glyphs, "_ROOM", 100)
    assert (nearest(points, centres)[0] == owners).all()


def test_families_of_a_set_that_is_sampled_are_as_small_and_as_tight() -> None:
    points = rounded(_near_topics(6000, 300))
    whole, sampled = gathered(points), gathered(points, sample=1500)
    for centres, owners, likeness in (whole, sampled):
        assert 300 <= len(np.unique(owners)) <= len(centres) <= 900
        dots = (points.astype(np.float32) * centres[owners]).sum(axis=1) / np.float32(LENGTH**2)
        assert np.allclose(dots, likeness, atol=1e-3)
    assert sampled[2].mean() > whole[2].mean() - 0.01
    again = gathered(points, sample=1500)
    assert [one.tobytes() for one in again] == [one.tobytes() for one in sampled]


def test_equal_phrases_are_one_family_and_nothing_gives_none() -> None:
    assert len(centred(np.tile(rounded(_near_topics(1, 1)), (30, 1)), 3)) == 1
    assert len(centred(np.empty((0, 8), np.int16), 3)) == 0
    assert middle(np.zeros((1, 3), np.int16)).tolist() == [0, 0, 0]


@pytest.mark.parametrize("sample", [4000, 1500])
def test_progress_runs_to_its_end(sample: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(glyphs, "_BIT", 500)
    points, told = rounded(_near_topics(4000, 400)), list[float]()
    found = gathered(points, told.append, sample=sample)
    assert told == sorted(told)
    assert (told[-1], len(told) > 5) == (1.0, True)
    monkeypatch.undo()
    assert [one.tobytes() for one in gathered(points, sample=sample)] == [one.tobytes() for one in found]


def test_the_plane_of_a_tape_spreads_its_families_and_ignores_their_order() -> None:
    vectors = _near_topics(500, 40)
    plane = fitted_plane(vectors)
    flipped = fitted_plane(vectors[::-1])
    assert np.allclose(plane.axes, flipped.axes, atol=1e-5)
    assert {int(np.argmax(corners(one, plane))) for one in vectors} == {0, 1, 2}
    assert fitted_plane(vectors[:2]) is generic_plane(vectors.shape[1])
    assert fitted_plane(vectors[:1].repeat(5, axis=0)) is generic_plane(vectors.shape[1])
