"""What other systems score on the same data with the same scorer, measured before, to stand beside our row."""

from __future__ import annotations

from collections.abc import Mapping

COLUMNS = ("R@10", "R@50", "R@512t", "R@1024t", "MRR", "all@10")
LOCOMO = {
    "dense MiniLM (Chroma; mem0 without a language model)": (0.50, 0.72, 0.55, 0.66, 0.33, 0.45),
    "FTS5 / BM25": (0.57, 0.73, 0.59, 0.68, 0.42, 0.52),
    "BM25 + MiniLM, reciprocal ranks": (0.61, 0.80, 0.66, 0.74, 0.42, 0.56),
    "the same with 3-turn windows in the index": (0.68, 0.87, 0.71, 0.81, 0.47, 0.63),
    "mem0 2.2 with its BM25, asked for 200": (0.67, 0.83, 0.67, 0.76, 0.49, 0.61),
    "BM25 + MiniLM, scores added, turn and window": (0.71, 0.87, 0.74, 0.81, 0.50, 0.66),
}


def table(ours: Mapping[str, float]) -> str:
    """The rows of others and ours, as Markdown."""
    lines = ["| locomo-dev, categories 1-4 | " + " | ".join(COLUMNS) + " |", "|---" * (len(COLUMNS) + 1) + "|"]
    lines += [f"| {name} | " + " | ".join(f"{one:.2f}" for one in row) + " |" for name, row in LOCOMO.items()]
    lines.append("| Foveal, this run | " + " | ".join(f"{ours[column]:.3f}" for column in COLUMNS) + " |")
    return "\n".join(lines)
