"""What the second look adds to the time of a search: `python -m bench.looks`."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.printing import Page, machine
from bench.samples import DATA, cases
from bench.texts import Texts
from bench.timing import Spent, Task, interleaved, percentile
from foveal import Memory, Settings
from foveal.backends.models.onnx import shared_minilm
from foveal.model.query import Viewpoint

ACTOR = "big"
SIZES = "10000,100000"
ROUNDS, WARM = 150, 30
AT_ONCE = 2000


def built(path: Path, size: int) -> None:
    """Write a memory of made-up texts with a fine vector each.

    The vectors are drawn at random: a search takes the same time whatever their numbers are.
    """
    dice, viewpoint = np.random.default_rng(0), Viewpoint(actor_id=ACTOR)
    encoder, texts = shared_minilm(), Texts(seed=size).take(size)
    with Memory(path, settings=Settings(second_look="off")) as memory:
        for start in range(0, size, AT_ONCE):
            memory.write_many([{"text": text, "actor_id": ACTOR} for text in texts[start : start + AT_ONCE]])
        store, below = memory.runtime.store.fine_vectors, None
        while missing := store.missing(viewpoint, encoder.id, AT_ONCE, below=below):
            rows = dice.standard_normal((len(missing), 1, encoder.dimension)).astype(np.float32)
            rows /= np.linalg.norm(rows, axis=2, keepdims=True)
            store.put(
                viewpoint, encoder.id, [(number, row) for (number, _), row in zip(missing, rows, strict=True)]
            )
            below = missing[-1][0]


def asked(count: int) -> list[str]:
    """Questions that people ask, in English, no two alike."""
    every = [
        question["question"]
        for case in cases(DATA, "ordinary-dev")
        if case.get("language", "en") == "en"
        for question in case["questions"]
    ]
    chosen = np.random.default_rng(0).permutation(sorted(set(every)))
    return chosen[:count].tolist()


def measured(path: Path) -> dict[str, Spent]:
    """The time of each search, in turns: with the first look alone, with both, and of the embedding in between."""
    questions, encoder = asked(WARM + ROUNDS), shared_minilm()
    options: dict[str, Any] = {"kept_rankings": 0, "recall_log": False}
    with (
        Memory(path, settings=Settings(second_look="off", **options)) as first,
        Memory(path, settings=Settings(**options)) as both,
    ):
        tasks: dict[str, Task] = {
            "first look": lambda n: first.search(questions[n], actor_id=ACTOR),
            "both looks": lambda n: both.search(questions[n], actor_id=ACTOR),
            "one embedding": lambda n: encoder.embed([questions[n]], asking=True),
        }
        return interleaved(tasks, ROUNDS, warm=WARM)


def table(size: int, times: dict[str, Spent]) -> str:
    """The times as Markdown, in milliseconds."""
    lines = [f"\n| {size:,} records, ms | p50 wall / processor | p25 wall / processor |", "|---|---:|---:|"]
    at = {
        name: [1000 * percentile(some, share) for share in (50, 25) for some in (one.wall, one.processor)]
        for name, one in times.items()
    }
    at["more with both"] = [both - one for one, both in zip(at["first look"], at["both looks"], strict=True)]
    lines += [f"| {name} | {a:.2f} / {b:.2f} | {c:.2f} / {d:.2f} |" for name, (a, b, c, d) in at.items()]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the times for memories of some sizes."""
    parser = argparse.ArgumentParser("python -m bench.looks", description=__doc__)
    parser.add_argument("--sizes", default=SIZES, help=f"records in the memories (default {SIZES})")
    given = parser.parse_args(arguments)
    page = Page()
    page.say(machine())
    with tempfile.TemporaryDirectory(prefix="foveal-looks-") as folder:
        for size in map(int, given.sizes.split(",")):
            path = Path(folder) / f"{size}.db"
            built(path, size)
            page.say(table(size, measured(path)))


if __name__ == "__main__":
    main()
