"""Learn the weights of the ranking from the evaluation data: `python -m bench.fit` prints them."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.recall import DATA, Remembered, available, scorer
from foveal.engine import recall
from foveal.rules import ranking

# Towards these, where the data says little; the others towards nothing.
PRIOR = {"speaker": 1.0, "role": 1.5}
RIDGE = 1e-3
# Questions that have no answer in the conversation count this much.
UNANSWERED = 0.2

Floats = NDArray[np.float64]
Sample = tuple[Floats, Floats, float]


def samples(data: Path, name: str, parts: tuple[str, ...]) -> list[Sample]:
    """For each question: the features of its candidates, which of them are evidence, and its weight."""
    judge: Any = scorer(data)
    found: list[Sample] = []
    for case in judge.load(name):
        system = Remembered()
        system.add(case["turns"])
        for question in case["questions"]:
            columns, turns = _asked(system, question["question"])
            evidence = np.array([bool(set(some) & set(question["evidence"])) for some in turns], float)
            if evidence.any():
                rows = np.stack([columns.get(part, np.zeros(len(turns))) for part in parts], axis=1)
                unanswered = name.startswith("locomo") and question["category"] == "5"
                found.append((rows.astype(float), evidence / evidence.sum(), UNANSWERED if unanswered else 1.0))
        system.close()
    total = sum(weight for *_, weight in found)
    return [(rows, evidence, weight / total) for rows, evidence, weight in found]


def _asked(system: Remembered, question: str) -> tuple[dict[str, Any], list[list[str]]]:
    """The unweighted features of all candidates, caught where the ranking computes them."""
    caught: list[tuple[dict[str, Any], list[str]]] = []
    original = recall.ranked

    def catching(asked: Any, meant: Any, frame: Any, likeness: Any) -> Any:
        columns = ranking.features(asked, frame)
        columns["pieces"] = ranking.piece_likeness(meant, frame, np.arange(len(frame.ids)), likeness)
        caught.append((columns, list(frame.ids)))
        return original(asked, meant, frame, likeness)

    recall.ranked = catching
    try:
        system.search(question, 1)
    finally:
        recall.ranked = original
    columns, ids = caught[-1]
    return columns, [system.turns(one) for one in ids]


def learned(given: list[Sample], parts: tuple[str, ...], steps: int = 400) -> dict[str, float]:
    """The weights under which evidence is most likely to be drawn from its candidates."""
    spread = np.concatenate([rows for rows, *_ in given]).std(axis=0) + 1e-9
    prior = np.array([PRIOR.get(part, 0.0) for part in parts]) * spread
    weights = prior.copy()
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, steps + 1):
        slope = 2 * RIDGE * (weights - prior)
        for rows, evidence, weight in given:
            scaled = rows / spread
            odds = np.exp(scaled @ weights - (scaled @ weights).max())
            slope += weight * ((odds / odds.sum() - evidence) @ scaled)
        first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope**2
        weights -= 0.05 * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
    return dict(zip(parts, (weights / spread).round(2).tolist(), strict=True))


def main(say: Callable[[str], None] = print) -> None:
    """Print the weights that both data sets together ask for."""
    parser = argparse.ArgumentParser("python -m bench.fit", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="the folder with the data and evaluate.py")
    data: Path = parser.parse_args().data
    for name, weights in (("WEIGHTS", ranking.WEIGHTS), ("FIRST", ranking.FIRST)):
        parts = tuple(weights)
        given = [sample for one in available(data) for sample in samples(data, one, parts)]
        say(f"{name} learned {learned(given, parts)}\n{name} in use  {weights}")


if __name__ == "__main__":
    main()
