"""What is found again of the evaluation data, through the public API alone."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, Protocol, cast

from bench.samples import ACTOR, DATA, item_of
from bench.stored import stored_minilm
from foveal import Memory, Settings

COLUMNS = ("R@10", "R@50", "R@512t", "R@1024t", "MRR", "all@10")
SETS = ("locomo-dev", "longmemeval-dev", "beam-dev", "prefeval-dev")

Turn = Mapping[str, Any]
Row = Mapping[str, Any]


class System(Protocol):
    """What the scorer asks of a system under test."""

    def add(self, turns: Sequence[Turn]) -> None: ...
    def search(self, query: str, k: int) -> list[str]: ...
    def close(self) -> None: ...


class Scorer(Protocol):
    """The neutral scorer that lies with the data."""

    def load(self, name: str) -> list[Any]: ...
    def evaluate(
        self, cases: Sequence[Any], make: Callable[[], System]
    ) -> tuple[list[Row], Mapping[str, float]]: ...


@dataclass(frozen=True, slots=True)
class Group:
    """The figures of some questions, averaged."""

    data: str
    name: str
    questions: int
    scores: dict[str, float]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one set of the data went."""

    data: str
    turns: int
    questions: int
    write_seconds: float
    search_seconds: float
    groups: tuple[Group, ...]


class Remembered:
    """A case in a memory file of its own: each turn is a record. The second look is complete before it is asked."""

    second_look = True

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="foveal-recall-")
        # Each question is ranked anew, because the ablation changes the weights in between.
        settings = Settings(kept_rankings=0, second_look=None if self.second_look else "off")
        path, look = Path(self._folder.name) / "case.db", stored_minilm() if self.second_look else None
        self._whole = Memory(path, settings=settings, second_look=look)
        self.view = self._whole.view(actor_id=ACTOR)
        self._turns: dict[str, list[str]] = {}

    def add(self, turns: Sequence[Turn]) -> None:
        """Write the turns; one that is refused is one that cannot be found."""
        written = self.view.write_many([item_of(turn) for turn in turns])
        refused = {one.index for one in written.rejected}
        kept = [turn["id"] for n, turn in enumerate(turns) if n not in refused]
        # A turn that was sent twice is one record, which stands for both.
        for record, turn in zip(written.ids, kept, strict=True):
            self._turns.setdefault(record, []).append(turn)
        self._whole.admin.reindex()

    def search(self, query: str, k: int) -> list[str]:
        """The turns that answer, best first."""
        return [turn for hit in self.view.search(query, k=k) for turn in self._turns[hit.id]]

    def turns(self, record: str) -> list[str]:
        """The turns that a record stands for."""
        return self._turns[record]

    def close(self) -> None:
        """Remove the file."""
        self._whole.close()
        self._folder.cleanup()


class FirstLook(Remembered):
    """The same without a second look."""

    second_look = False


class Shown(Remembered):
    """The same, judged inside a budget by what `read` shows rather than by the ranking."""

    def read(self, query: str, budget: int) -> list[str]:
        """The turns that stand in the context for a budget."""
        shown = [item.id for item in self.view.read(query, token_budget=budget).items if item.depth == 2]
        return [turn for record in shown for turn in self._turns[record]]


def scorer(data: Path) -> Scorer:
    """The scorer of a data folder, imported from where it lies."""
    spec = spec_from_file_location("evaluate", data / "evaluate.py")
    if spec is None or spec.loader is None:
        raise SystemExit(f"{data} has no evaluate.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return cast(Scorer, module)


def available(data: Path) -> list[str]:
    """The sets that a data folder has."""
    return [name for name in SETS if (data / name / "cases.jsonl.gz").is_file()]


def outcome(data: Path, name: str, system: Callable[[], System] = Remembered) -> Outcome:
    """Write one set and ask all its questions."""
    judge = scorer(data)
    rows, spent = judge.evaluate(judge.load(name), system)
    # The scorer keeps the questions that have no answer apart.
    counted = [row for row in rows if not (name.startswith("locomo") and row["category"] == "5")]
    categories = sorted({str(row["category"]) for row in rows})
    by_category = {one: [row for row in rows if row["category"] == one] for one in categories}
    return Outcome(
        data=name,
        turns=int(spent["turns"]),
        questions=len(rows),
        write_seconds=spent["write"],
        search_seconds=spent["search"] / len(rows),
        groups=tuple(_group(name, one, some) for one, some in {"overall": counted, **by_category}.items()),
    )


def _group(data: str, name: str, rows: Sequence[Row]) -> Group:
    scores = {column: sum(float(row[column]) for row in rows) / len(rows) for column in COLUMNS}
    return Group(data=data, name=name, questions=len(rows), scores=scores)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print recall alone."""
    from bench.printing import Page

    parser = argparse.ArgumentParser("python -m bench.recall", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="the folder with the data and evaluate.py")
    parser.add_argument("--set", action="append", choices=SETS, help="only this set; may be repeated")
    parser.add_argument("--read", action="store_true", help="judge budgets by what `read` shows")
    parser.add_argument(
        "--all", action="store_true", help="also ordinary conversation, the ablation and the grid of planted facts"
    )
    given = parser.parse_args(arguments)
    from bench import ablation, grid, ordinary, peers

    found = [name for name in available(given.data) if given.set is None or name in given.set]
    page = Page()
    if given.all:
        page.say(ordinary.report(list(ordinary.asked(given.data, second_look=stored_minilm()))))
        page.say(f"\nWithout the second look:\n\n{ordinary.report(list(ordinary.asked(given.data)))}")
    elif not found:
        sys.exit(f"there is no evaluation data in {given.data}: say --data DIR")
    for name in found:
        measured = outcome(given.data, name, Shown if given.read else Remembered)
        page.recall(measured)
        if given.all:
            page.say("\nWithout the second look:")
            page.recall(outcome(given.data, name, FirstLook))
        if given.all and name == "locomo-dev":
            page.say(f"\n{peers.table(measured.groups[0].scores)}")
    if given.all:
        parts = ablation.table(ablation.ablation(given.data, found))
        page.say(f"\nThe ranking, each of its arms alone, and the ranking without one of its parts:\n\n{parts}")
        page.say(f"\nPlanted facts, shown by a read / kept by truncation:\n\n{grid.table(grid.grid())}")


if __name__ == "__main__":
    main()
