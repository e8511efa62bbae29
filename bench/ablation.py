"""What each part of the ranking is worth: the same questions, with one part taken away, or by one arm alone."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import numpy as np

from bench.recall import Remembered, scorer
from bench.samples import ARMS, arms, asked_of
from foveal.rules.recall.ranking import PARTS as FEATURES
from foveal.rules.recall.weights import TABLE

COLUMNS = ("R@10", "R@1024t", "MRR")
PARTS = tuple(FEATURES)
# How many turns are asked for.
MOST = 200


class Asked:
    """One data set, written once and asked often."""

    def __init__(self, data: Path, name: str) -> None:
        self._judge: Any = scorer(data)
        self._locomo = name.startswith("locomo")
        self._cases: list[tuple[Any, Remembered]] = []
        for case in self._judge.load(name):
            system = Remembered()
            system.add(case["turns"])
            self._cases.append((case, system))

    def scores(self, arm: str | None = None) -> dict[str, float]:
        """The figures over all questions that count; `arm` ranks by that arm alone."""
        rows: list[Any] = []
        for case, system in self._cases:
            costs = {turn["id"]: self._judge.cost(turn) for turn in case["turns"]}
            sessions = {turn["id"]: turn["session"] for turn in case["turns"]}
            for question in case["questions"]:
                evidence = {one for one in question["evidence"] if one in costs}
                if evidence and not (self._locomo and question["category"] == "5"):
                    text = question["question"]
                    found = system.search(text, MOST) if arm is None else _by_arm(system, text, arm)
                    rows.append(self._judge.score(found, evidence, costs, sessions))
        return {column: sum(row[column] for row in rows) / len(rows) for column in COLUMNS}

    def close(self) -> None:
        """Remove the files."""
        for _, system in self._cases:
            system.close()


def _by_arm(system: Remembered, question: str, arm: str) -> list[str]:
    """The turns that answer by one arm alone, best first."""
    _, _, frame, _, fine = asked_of(system.view, question)
    best: list[int] = np.argsort(-arms(frame, fine)[arm], kind="stable")[:MOST].tolist()
    return [turn for place in best for turn in system.turns(frame.ids[place])]


@contextmanager
def _without(part: str) -> Generator[None, None, None]:
    """Take the weights of a part away for a while."""
    assert TABLE.second is not None
    tables = [dict(one) for one in (TABLE.first, TABLE.whole, TABLE.second.whole)]
    kept = [{name: dict(weights) for name, weights in one.items()} for one in tables]
    named = [weights for one in tables for name, weights in one.items() if name in FEATURES[part]]
    try:
        for weights in named:
            cast(dict[str, float], weights).clear()
        yield
    finally:
        for one, before in zip(tables, kept, strict=True):
            for name, weights in one.items():
                cast(dict[str, float], weights).update(before[name])


def ablation(data: Path, names: Sequence[str]) -> list[tuple[str, dict[str, dict[str, float]]]]:
    """The figures of every set with everything, by each arm alone, and without each part; weights are not fitted
    again."""
    sets = {name: Asked(data, name) for name in names}
    found = [("everything", {name: one.scores() for name, one in sets.items()})]
    for arm in ARMS:
        found.append((f"{arm} alone", {name: one.scores(arm) for name, one in sets.items()}))
    for part in PARTS:
        with _without(part):
            found.append((f"without {part}", {name: one.scores() for name, one in sets.items()}))
    for one in sets.values():
        one.close()
    return found


def table(found: Sequence[tuple[str, dict[str, dict[str, float]]]]) -> str:
    """The ablation as Markdown."""
    names = list(found[0][1])
    lines = [
        "| | " + " | ".join(f"{name} {' / '.join(COLUMNS)}" for name in names) + " |",
        "|---" * (len(names) + 1) + "|",
    ]
    for label, scores in found:
        cells = [" / ".join(f"{scores[name][column]:.3f}" for column in COLUMNS) for name in names]
        lines.append(f"| {label} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
