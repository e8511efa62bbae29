"""What it costs in evidence to sum up the cells of the map that a read leaves out."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.recall import ACTOR, DATA, Remembered, scorer
from foveal import Memory, MemoryPolicyConfig

BUDGETS = (1024, 2048)


class Edged(Remembered):
    """A case that is read with cells summed up, or without."""

    cells = False
    shown: list[int]

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="foveal-edges-")
        policy = MemoryPolicyConfig(periphery_cells=self.cells, periphery_from_tokens=min(BUDGETS))
        self._memory = Memory(Path(self._folder.name) / "case.db", policy=policy).view(actor_id=ACTOR)
        self._turns = {}

    def read(self, query: str, budget: int) -> list[str]:
        """The turns that stand whole in the context."""
        if budget not in BUDGETS:
            return []
        found = self._memory.read(query, token_budget=budget)
        self.shown.append(len(found.periphery))
        return [turn for item in found.items if item.depth == 2 for turn in self._turns[item.id]]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser("python -m bench.edges", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="the folder with the evaluation data")
    parser.add_argument("--cases", type=int, default=5, help="how many conversations are read")
    parser.add_argument("--questions", type=int, default=1_000, help="how many questions of each are asked")
    given = parser.parse_args(arguments)
    judge = scorer(given.data)
    cases = judge.load("locomo-dev")[: given.cases]
    for case in cases:
        case["questions"] = case["questions"][: given.questions]
    print("| cells | questions | summaries a read | " + " | ".join(f"R@{one}t" for one in BUDGETS) + " |")
    print("|---|---:|---:|---:|---:|")
    for cells in (False, True):
        shown: list[int] = []
        rows, _ = judge.evaluate(cases, type("Edged", (Edged,), {"cells": cells, "shown": shown}))
        counted = [row for row in rows if row["category"] != "5"]
        recall = [sum(float(row[f"R@{one}t"]) for row in counted) / len(counted) for one in BUDGETS]
        told = " | ".join(f"{one:.3f}" for one in recall)
        print(
            f"| {'yes' if cells else 'no'} | {len(counted)} | {sum(shown) / len(shown):.1f} | {told} |", flush=True
        )


if __name__ == "__main__":
    main()
