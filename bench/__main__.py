"""Measure speed, size and recall on this machine, in one run."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from bench import ledger, life, nearest, nodes, opening, recall, searching, sizes, writing
from bench.figure import RATE, Figure
from bench.printing import Page, machine
from bench.stores import built_pair
from bench.texts import Texts

PARTS = ("writes", "search", "start", "bytes", "nodes", "life", "ledger", "recall")
SIZES = "1000,10000,100000"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table of figures, each beside its bound."""
    parser = argparse.ArgumentParser("python -m bench", description=__doc__)
    parser.add_argument("--sizes", default=SIZES, help=f"records in the files to search (default {SIZES})")
    parser.add_argument("--only", action="append", choices=PARTS, help="only this part; may be repeated")
    parser.add_argument("--data", type=Path, default=recall.DATA, help="the folder with the evaluation data")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    given = parser.parse_args(arguments)
    parts = given.only or PARTS
    page = Page()
    page.say(f"{machine()}\nRatio 1 is the bound itself; n is how many measurements stand behind a figure.")
    found: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="foveal-bench-") as name:
        folder = Path(name)
        if "writes" in parts:
            found += _printed(page, _writes(folder))
        if "nodes" in parts:
            found += _printed(page, nodes.figures(folder, Texts(seed=2)))
        if {"search", "start", "bytes"} & set(parts):
            found += _files(page, folder, sorted(int(size) for size in given.sizes.split(",")), parts)
        if "life" in parts:
            found += _printed(page, life.figures(folder, sorted(int(size) for size in given.sizes.split(","))))
        if "ledger" in parts:
            found += _printed(page, ledger.figures(folder))
    outcomes = _recall(page, given.data) if "recall" in parts else []
    if given.json:
        report = {
            "machine": machine(),
            "figures": [asdict(one) | {"ratio": one.ratio} for one in found],
            "recall": [asdict(one) for one in outcomes],
        }
        given.json.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _writes(folder: Path) -> list[Figure]:
    source = Texts(seed=1)
    return [*writing.single(folder, source), *writing.batched(folder, source)]


def _files(page: Page, folder: Path, chosen: Sequence[int], parts: Sequence[str]) -> list[Figure]:
    """Build a file of each size, and measure what is asked of it; start and bytes of the largest alone."""
    found: list[Figure] = []
    for size in chosen:
        source = Texts(seed=size)
        shared, alone = built_pair(folder, size, source)
        figures = [Figure("build", f"write_many of {size:,} records", size / shared.seconds, RATE)]
        if "search" in parts:
            figures += searching.figures(shared, alone, source)
            figures += nearest.figures(shared, alone, source)
        if size == chosen[-1]:
            figures += opening.figures(shared, folder) if "start" in parts else []
            figures += sizes.figures(shared) if "bytes" in parts else []
        found += _printed(page, figures)
    return found


def _printed(page: Page, figures: list[Figure]) -> list[Figure]:
    page.figures(figures)
    return figures


def _recall(page: Page, data: Path) -> list[recall.Outcome]:
    names = recall.available(data)
    if not names:
        page.say(f"\nRecall was not measured: there is no evaluation data in {data} (say --data DIR).")
    found: list[recall.Outcome] = []
    for name in names:
        found.append(recall.outcome(data, name))
        page.recall(found[-1])
    return found


if __name__ == "__main__":
    main()
