"""Two fits by Newton's method: which of many is chosen, and how likely something is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def chosen(
    rows: Sequence[Floats],
    targets: Sequence[Floats],
    weights: Floats,
    ridge: float = 6e-3,
    *,
    beside: Sequence[Floats] | None = None,
) -> Floats:
    """The weights of features under which the targets are most likely drawn from their rows.

    Each target is a distribution over the rows of one question. The ridge pulls weights of features, in units of
    their deviation, towards nothing. `beside` has scores that the rows get besides.
    """
    counts = np.array([len(one) for one in rows])
    starts = np.cumsum(counts) - counts
    flat = np.concatenate(list(rows)).astype(np.float64)
    spread = flat.std(axis=0) + 1e-9
    flat /= spread
    wanted, weight = np.concatenate(list(targets)), np.repeat(weights, counts)
    fixed = np.zeros(len(flat)) if beside is None else np.concatenate(list(beside))

    def loss(guess: Floats) -> tuple[float, Floats]:
        score = fixed + flat @ guess
        score -= np.repeat(np.maximum.reduceat(score, starts), counts)
        odds = np.exp(score)
        total = np.repeat(np.add.reduceat(odds, starts), counts)
        return float(-(weight * wanted * (score - np.log(total))).sum() + ridge * guess @ guess), odds / total

    guess = np.zeros(flat.shape[1])
    now, chance = loss(guess)
    for _ in range(25):
        slope: Floats = flat.T @ (weight * (chance - wanted)) + 2 * ridge * guess
        means: Floats = np.add.reduceat(flat * chance[:, None], starts, axis=0)
        bend: Floats = (flat * (weight * chance)[:, None]).T @ flat - (means * weights[:, None]).T @ means
        step: Floats = np.linalg.solve(bend + 2 * ridge * np.eye(len(guess)), slope).astype(np.float64)
        size = 1.0
        while (then := loss(guess - size * step))[0] > now and size > 1e-4:
            size /= 2
        guess, better = guess - size * step, now - then[0]
        now, chance = then
        if better < 1e-7:
            break
    return guess / spread


def likely(rows: Floats, true: Floats, weights: Floats, ridge: float = 1.0) -> Floats:
    """The weights of a logistic regression."""
    guess = np.zeros(rows.shape[1])
    for _ in range(40):
        chance = 1 / (1 + np.exp(-(rows @ guess)))
        slope = rows.T @ (weights * (chance - true)) + ridge * guess
        bend = (rows * (weights * chance * (1 - chance))[:, None]).T @ rows + ridge * np.eye(len(guess))
        step = np.linalg.solve(bend, slope)
        guess = guess - step
        if np.abs(step).max() < 1e-7:
            break
    return guess


def likely_signed(rows: Floats, true: Floats, weights: Floats, ridge: float, signs: Sequence[int]) -> Floats:
    """The weights of a logistic regression in which the weight of each column has its sign, or none: 0 allows any.

    The column that is most at odds with its sign is left out, until none is.
    """
    kept = list(range(rows.shape[1]))
    while True:
        found = likely(rows[:, kept], true, weights, ridge)
        wrong = [-weight * signs[place] for place, weight in zip(kept, found.tolist(), strict=True)]
        if max(wrong) <= 0:
            whole = np.zeros(rows.shape[1])
            whole[kept] = found
            return whole
        del kept[wrong.index(max(wrong))]
