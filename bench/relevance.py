"""Fit the relevance of a hit to how often such hits help, on the evaluation data."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.recall import DATA, Remembered, available, scorer
from foveal.rules.relevance import features

# How many hits of each question are judged.
JUDGED = 5

Rows = NDArray[np.float64]


class Judged(Remembered):
    """A case whose hits are kept with what relevance is made of."""

    def hits(self, query: str) -> list[tuple[tuple[float, ...], list[str]]]:
        """The features of the best hits, and the turns each stands for."""
        found = self._memory.search(query, k=JUDGED, explain=True)
        return [(features(hit.parts or {}, hit.cosine), self._turns[hit.id]) for hit in found]


def gathered(data: Path) -> tuple[Rows, Rows]:
    """The features of hits, and 1 for those that are evidence."""
    judge = scorer(data)
    rows: list[tuple[float, ...]] = []
    helps: list[bool] = []
    for name in available(data):
        for case in judge.load(name):
            memory = Judged()
            memory.add(case["turns"])
            for question in case["questions"]:
                for row, turns in memory.hits(question["question"]):
                    rows.append((1.0, *row))
                    helps.append(bool(set(turns) & set(question["evidence"])))
            memory.close()
    return np.array(rows), np.array(helps, np.float64)


def fitted(rows: Rows, helps: Rows) -> Rows:
    """The weights of a logistic regression, by Newton's method."""
    weights = np.zeros(rows.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (helps - chance) - 1e-3 * weights
        bend = (rows * (chance * (1 - chance))[:, None]).T @ rows + 1e-3 * np.eye(len(weights))
        weights = weights + np.linalg.solve(bend, slope)
    return weights


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the weights, and how often hits of each relevance helped."""
    parser = argparse.ArgumentParser("python -m bench.relevance", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="the folder with the data and evaluate.py")
    rows, helps = gathered(parser.parse_args(arguments).data)
    # Every second hit is fitted, the others are judged.
    weights = fitted(rows[::2], helps[::2])
    print("weights:", ", ".join(f"{one:.2f}" for one in weights), f"({len(helps):,} hits, {helps.mean():.2f} help)")
    chance = 1 / (1 + np.exp(-rows[1::2] @ weights))
    for low in np.arange(0, 1, 0.1):
        inside = (chance >= low) & (chance < low + 0.1)
        if inside.any():
            print(f"{low:.1f}-{low + 0.1:.1f}: {int(inside.sum()):5} hits, {helps[1::2][inside].mean():.2f} help")


if __name__ == "__main__":
    main()
