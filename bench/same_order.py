"""Whether the stores rank alike: the ordered top ten of SQLite, of Postgres in RAM and of Postgres inside."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.dates import moment_of
from bench.recall import ACTOR, DATA, SETS, available, scorer
from foveal import Memory, Settings
from foveal.model.server import Database
from foveal.testing.servers import Cluster

K = 10
QUIET = Settings(metabolism="off", recall_log=False, kept_rankings=0)
INSIDE = Settings(metabolism="off", recall_log=False, kept_rankings=0, postgres=Database(mirror_records=0))


@dataclass
class Agreement:
    """How often two rankings have the same record in the same place, and how much of their ten they share."""

    questions: int = 0
    same_lists: int = 0
    places: int = 0
    same_places: int = 0
    same_records: int = 0

    def add(self, first: Sequence[str], second: Sequence[str]) -> None:
        """Compare two rankings of one question."""
        self.questions += 1
        self.same_lists += first == second
        self.places += max(len(first), len(second))
        self.same_places += sum(a == b for a, b in zip(first, second, strict=False))
        self.same_records += len(set(first) & set(second))


def compared(cases: Sequence[Mapping[str, Any]], folder: Path, url: str) -> dict[str, Agreement]:
    """Write every case into a file and a database, and ask all its questions of the three ways to search them."""
    found = {"Postgres, in RAM": Agreement(), "Postgres, inside": Agreement()}
    with (
        Memory(folder / "cases.db", settings=QUIET) as lite,
        Memory(url, settings=QUIET) as post,
        Memory(url, settings=INSIDE) as inside,
    ):
        for case in cases:
            actor = f"{ACTOR} {case['id']}"
            items = [
                {
                    "text": turn["text"],
                    "speaker": turn["speaker"],
                    "session_id": str(turn["session"]),
                    "occurred_at": moment_of(turn["date"]),
                }
                for turn in case["turns"]
            ]
            places: dict[str, int] = {}
            for memory in (lite, post):
                written = memory.write_many(items, actor_id=actor)
                places |= {one: place for place, one in enumerate(written.ids)}
            for question in case["questions"]:
                first, *others = (
                    [str(places[hit.id]) for hit in memory.search(question["question"], actor_id=actor, k=K)]
                    for memory in (lite, post, inside)
                )
                for agreement, other in zip(found.values(), others, strict=True):
                    agreement.add(first, other)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Print how far the stores agree."""
    parser = argparse.ArgumentParser("python -m bench.same_order", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="the folder with the data and evaluate.py")
    parser.add_argument("--set", default="locomo-dev", choices=SETS, help="which set (default locomo-dev)")
    parser.add_argument("--cases", type=int, help="only so many of its cases")
    given = parser.parse_args(arguments)
    if given.set not in available(given.data):
        sys.exit(f"there is no evaluation data in {given.data}: say --data DIR")
    cases = scorer(given.data).load(given.set)[: given.cases]
    with tempfile.TemporaryDirectory(prefix="foveal-order-") as folder, Cluster() as cluster:
        found = compared(cases, Path(folder), cluster.create())
    print(f"{given.set}: the first {K} of each question, beside those of SQLite\n")
    print(f"{'':<18}{'questions':>10}{'same list':>11}{'same place':>12}{'same records':>14}")
    for name, one in found.items():
        lists, places, records = (
            part / max(1, whole)
            for part, whole in (
                (one.same_lists, one.questions),
                (one.same_places, one.places),
                (one.same_records, one.places),
            )
        )
        print(f"{name:<18}{one.questions:>10}{lists:>11.1%}{places:>12.2%}{records:>14.2%}")


if __name__ == "__main__":
    main()
