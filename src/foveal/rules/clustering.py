"""Families of phrases: k-means on the sphere, the same bytes in every run and on every machine."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

# Vectors are rounded to whole numbers of this length. Then every sum of products stays below 2**24, where single
# precision is exact: no order of summing, no number of threads and no processor can change which is nearest.
LENGTH = 4000

PHRASES_A_FAMILY = 10
# From more phrases than this, the first middles of families are found on a sample.
SAMPLE = 100_000
# A phrase that comes later joins the family it is at least so like.
JOINS = 0.75
# A family whose phrases are less like its middle than this on average is no family: it is parted further.
LOOSE = 0.7

_FLAT = 256
_ROUNDS, _LAST_ROUNDS = 6, 1
_ROOM = 1 << 24
# Of a sampled set: the share of the time for the first middles, for joining them, and how many join at once.
_FINDING, _JOINING, _BIT = 0.3, 0.5, 50_000

Whole = NDArray[np.int16]
Places = NDArray[np.int64]
Progress = Callable[[float], None]


def rounded(vectors: NDArray[np.float32]) -> Whole:
    """Unit vectors as whole numbers.

    >>> rounded(np.array([[0.6, 0.8]], np.float32)).tolist()
    [[2400, 3200]]
    """
    return np.rint(vectors * np.float32(LENGTH)).astype(np.int16)


def directed(points: Whole) -> NDArray[np.float32]:
    """Whole numbers as unit vectors again.

    >>> directed(np.array([2400, 3200], np.int16)).tolist()
    [0.6000000238418579, 0.800000011920929]
    """
    return points.astype(np.float32) / np.float32(LENGTH)


def middle(points: Whole) -> Whole:
    """The direction in which points lie together, as a point.

    >>> middle(np.array([[4000, 0], [0, 4000]], np.int16)).tolist()
    [2828, 2828]
    """
    return _pointed(points.astype(np.int64).sum(axis=0, keepdims=True))[0]


def nearest(points: Whole, centres: Whole) -> tuple[Places, NDArray[np.float32]]:
    """For each point the place of its nearest centre, and their cosine; of equals, the first.

    >>> places, likeness = nearest(np.array([[4000, 0], [0, 4000]], np.int16), np.array([[0, 4000]], np.int16))
    >>> places.tolist(), likeness.tolist()
    ([0, 0], [0.0, 1.0])
    """
    places = np.zeros(len(points), np.int64)
    likeness = np.zeros(len(points), np.float32)
    wide = np.ascontiguousarray(centres.T.astype(np.float32))
    block = max(1, _ROOM // max(1, len(centres)))
    for start in range(0, len(points), block):
        dots = points[start : start + block].astype(np.float32) @ wide
        best = dots.argmax(axis=1)
        places[start : start + block] = best
        likeness[start : start + block] = dots[np.arange(len(best)), best]
    return places, np.clip(likeness / np.float32(LENGTH * LENGTH), -1, 1).astype(np.float32)


def nearby(points: Whole, centres: Whole, count: int) -> NDArray[np.int64]:
    """For each point the places of its nearest centres, in no order.

    >>> nearby(np.array([[4000, 0]], np.int16), np.array([[0, 4000], [4000, 0]], np.int16), 1).tolist()
    [[1]]
    """
    few = min(count, len(centres))
    if not few:
        return np.empty((len(points), 0), np.int64)
    dots = points.astype(np.float32) @ centres.T.astype(np.float32)
    return np.argpartition(-dots, few - 1, axis=1)[:, :few]


def gathered(
    points: Whole, progress: Progress | None = None, *, sample: int = SAMPLE
) -> tuple[Whole, Places, NDArray[np.float32]]:
    """Families of about ten points: their middles, for each point the place of its own, and their cosine.

    Of more than `sample` points, a sample tells the first middles; every point joins the nearest, and what is then
    too large is parted again by itself. So the time grows with the points, and not with points times families.

    >>> middles, owners, likeness = gathered(np.array([[4000, 0]] * 12, np.int16))
    >>> middles.tolist(), set(owners.tolist()), float(likeness.min())
    ([[4000, 0]], {0}, 1.0)
    """
    tell: Progress = progress or (lambda _share: None)
    count = max(1, min(len(points), sample) // PHRASES_A_FAMILY)
    if len(points) <= sample:
        centres = centred(points, count, tell)
        return centres, *nearest(points, centres)
    centres = centred(points, count, lambda share: tell(_FINDING * share), sample=sample)
    owners, likeness = _joined(points, centres, lambda share: tell(_FINDING + _JOINING * share))
    chance = np.random.default_rng(20260106)
    order = np.argsort(owners, kind="stable")
    held, starts = np.unique(owners[order], return_index=True)
    middles: list[Whole] = []
    known = 0
    for place, members in zip(held.tolist(), np.split(order, starts[1:]), strict=True):
        own = points[members]
        parts = centres[place][None]
        if len(own) >= 2 * PHRASES_A_FAMILY:
            parts = _settled(own, _seeds(own, len(own) // PHRASES_A_FAMILY, chance), _ROUNDS)
            owners[members], likeness[members] = nearest(own, parts)
        else:
            owners[members] = 0
        owners[members] += known
        middles.append(parts)
        known += len(parts)
    tell(1.0)
    return np.concatenate(middles), owners, likeness


def _joined(points: Whole, centres: Whole, tell: Progress) -> tuple[Places, NDArray[np.float32]]:
    """What is nearest to every point, told bit by bit."""
    found: list[tuple[Places, NDArray[np.float32]]] = []
    for start in range(0, len(points), _BIT):
        found.append(nearest(points[start : start + _BIT], centres))
        tell(min(1.0, (start + _BIT) / len(points)))
    return np.concatenate([one[0] for one in found]), np.concatenate([one[1] for one in found])


def centred(points: Whole, count: int, progress: Progress | None = None, *, sample: int = SAMPLE) -> Whole:
    """The middles of about `count` families; `progress` is told which share is done.

    Large sets are parted twice, coarse and then fine inside each part, and everything is compared with everything
    only in the last rounds: that finds families as tight in a small part of the time.

    >>> corner = [[4000, 0]] * 3 + [[0, 4000]] * 3
    >>> sorted(centred(np.array(corner, np.int16), 2).tolist())
    [[0, 4000], [4000, 0]]
    """
    tell: Progress = progress or (lambda _share: None)
    if not len(points):
        return points
    chance = np.random.default_rng(20260105)
    if len(points) > sample:
        points = points[np.sort(chance.permutation(len(points))[:sample])]
    count = min(count, len(points))
    if count <= _FLAT:
        return _tightened(points, _settled(points, _seeds(points, count, chance), 2 * _ROUNDS), chance)
    coarse = _settled(points, _seeds(points, math.isqrt(count), chance), _ROUNDS)
    owners, _ = nearest(points, coarse)
    fine: list[Whole] = []
    for part in range(len(coarse)):
        own = points[owners == part]
        if len(own):
            fine.append(_settled(own, _seeds(own, max(1, round(count * len(own) / len(points))), chance), _ROUNDS))
        tell(0.5 * (part + 1) / len(coarse))
    centres = _tightened(points, np.concatenate(fine), chance)
    for done in range(_LAST_ROUNDS):
        centres = _settled(points, centres, 1)
        tell(0.5 + 0.5 * (done + 1) / _LAST_ROUNDS)
    return centres


def _seeds(points: Whole, count: int, chance: np.random.Generator) -> Whole:
    return points[np.sort(chance.permutation(len(points))[:count])]


def _settled(points: Whole, centres: Whole, rounds: int) -> Whole:
    """Centres after some rounds of moving each to the middle of what is nearest to it; the empty ones go."""
    before: Places | None = None
    for _ in range(rounds):
        owners, _ = nearest(points, centres)
        if before is not None and np.array_equal(owners, before):
            break
        order = np.argsort(owners, kind="stable")
        starts = np.flatnonzero(np.diff(owners[order], prepend=-1))
        sums = np.add.reduceat(points[order].astype(np.int32), starts, axis=0)
        centres = _pointed(sums.astype(np.int64))
        # The owners, told by the centres that are left.
        before = np.searchsorted(owners[order][starts], owners)
    return centres


def _tightened(points: Whole, centres: Whole, chance: np.random.Generator) -> Whole:
    """The centres, with those of loose families replaced by several of their own."""
    owners, likeness = nearest(points, centres)
    order = np.argsort(owners, kind="stable")
    held, starts = np.unique(owners[order], return_index=True)
    groups = np.split(order, starts[1:])
    loose = [bool(likeness[members].mean() < LOOSE) for members in groups]
    waiting = [members for members, apart in zip(groups, loose, strict=True) if apart]
    kept = [centres[place][None] for place, apart in zip(held.tolist(), loose, strict=True) if not apart]
    while waiting:
        members = waiting.pop()
        own = points[members]
        parts = _settled(own, _seeds(own, 2 + len(own) // PHRASES_A_FAMILY, chance), _ROUNDS)
        places, near = nearest(own, parts)
        for place in range(len(parts)):
            some = members[places == place]
            if len(parts) > 1 and len(some) > 1 and near[places == place].mean() < LOOSE:
                waiting.append(some)
            elif len(some):
                kept.append(parts[place][None])
    return np.concatenate(kept)


def _pointed(sums: NDArray[np.int64]) -> Whole:
    wide = sums.astype(np.float64)
    lengths = np.sqrt(np.square(wide).sum(axis=1, keepdims=True))
    return np.rint(wide * LENGTH / np.maximum(lengths, 1)).astype(np.int16)


def entropy(counts: list[int]) -> float:
    """How mixed a family is, in bits: 0 when all its phrases are of one language.

    >>> entropy([4]), entropy([2, 2])
    (0.0, 1.0)
    """
    total = sum(counts)
    return -sum(count / total * math.log2(count / total) for count in counts if count) + 0.0
