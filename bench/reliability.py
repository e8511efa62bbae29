"""Whether relevance is what it says: of the hits that are given a chance, how many help."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bench.fit import Row

BINS = (0, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.01)
# How many hits of each question are looked at.
HITS = 40


@dataclass(frozen=True, slots=True)
class Bin:
    """Hits of about the same relevance: how many, what was said of them on average, and how many helped."""

    low: float
    high: float
    hits: int
    said: float
    helped: float


def binned(rows: Sequence[Row], bins: Sequence[float] = BINS) -> list[Bin]:
    """The hits of some questions by their relevance; every set weighs the same."""
    counts = Counter(row.sample.data for row in rows)
    chances: list[np.ndarray[tuple[int, int], np.dtype[np.float64]]] = []
    for row in rows:
        best = np.argsort(-row.scores, kind="stable")[:HITS]
        share = np.full(len(best), 1 / counts[row.sample.data])
        chances.append(np.stack([row.relevance[best], row.sample.evidence[best], share], axis=1))
    flat = np.concatenate(chances)
    found: list[Bin] = []
    for low, high in zip(bins, bins[1:], strict=False):
        some = flat[(flat[:, 0] >= low) & (flat[:, 0] < high)]
        if len(some):
            said, helped = (float(np.average(some[:, place], weights=some[:, 2])) for place in (0, 1))
            found.append(Bin(low, min(high, 1.0), len(some), said, helped))
    return found


def reliability(rows: Sequence[Row]) -> str:
    """What was said and what was so, as Markdown."""
    lines = ["| relevance | hits | said | helped |", "|---|---:|---:|---:|"]
    lines += [
        f"| {one.low:g} to {one.high:g} | {one.hits:,} | {one.said:.3f} | {one.helped:.3f} |"
        for one in binned(rows)
    ]
    return "\n".join(lines)


def draw_reliability(rows: Sequence[Row], path: Path) -> None:
    """Draw what was said against what was so; on the line, relevance is what it says."""
    from foveal.doors.cli.plots import INK, PALE, save, sheet

    figure, axes = sheet(6, 5.2)
    bins = binned(rows)
    least = min(0.001, *(one.said for one in bins)) / 2
    axes.plot([least, 1], [least, 1], color=PALE, linewidth=1, linestyle=(0, (4, 2)))
    axes.plot([one.said for one in bins], [one.helped for one in bins], color="#2f6f8f", linewidth=2, marker="o")
    for place, one in enumerate(bins):
        # The labels of neighbours stand on both sides of the line, so that none covers another.
        beside, side = ((9, -11), "left") if place % 2 else ((-9, 8), "right")
        axes.annotate(
            f"{one.hits:,}",
            (one.said, one.helped),
            beside,
            textcoords="offset points",
            ha=side,
            color=INK,
            fontsize=8,
        )
    axes.set(xscale="log", yscale="log", xlim=(least, 1), ylim=(least, 1))
    axes.set(xlabel="relevance that was said", ylabel="share of the hits that helped")
    ticks = [tick for tick in (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1) if tick >= least]
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks(ticks, [f"{tick:g}" for tick in ticks])
        axis.set_ticks([], minor=True)
    axes.set_title("Is relevance what it says? Hits of unseen chats", loc="left", color=INK, fontsize=11)
    axes.grid(color=PALE, alpha=0.25, linewidth=0.6)
    save(figure, path)
