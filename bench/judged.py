"""How rankings of the evaluation sets are judged: by set and by kind of question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bench.reliability import reliability
from bench.samples import WRONG_PERSON
from foveal.rules.recall.ranking import LEAST

if TYPE_CHECKING:
    from bench.fit import Row

BUDGET = 1024


def figures(row: Row) -> dict[str, float]:
    """How well one question went that has an answer."""
    sample = row.sample
    order = np.argsort(-row.scores, kind="stable")
    hit = sample.evidence[order]
    first = np.flatnonzero(hit)
    inside = hit[np.cumsum(sample.cost[order]) <= BUDGET].sum()
    found = {
        "hit@1": float(hit[:1].any()),
        "hit@3": float(hit[:3].any()),
        "R@10": float(hit[:10].sum() / sample.wanted),
        "R@1024t": float(inside / sample.wanted),
        "MRR": 1 / (1 + int(first[0])) if len(first) else 0.0,
    }
    if sample.older.any():
        rank = {place: number for number, place in enumerate(order[:10].tolist())}
        newest = min((rank[one] for one in np.flatnonzero(sample.evidence).tolist() if one in rank), default=99)
        older = [rank[one] for one in np.flatnonzero(sample.older).tolist() if one in rank]
        found["newest"] = float(newest < 99 and all(newest < one for one in older))
    return found


def mean(some: Iterable[Mapping[str, float]], name: str) -> float:
    """The mean of a figure, over the questions that have it."""
    values = [one[name] for one in some if name in one]
    return sum(values) / len(values) if values else float("nan")


def told_apart(rows: Sequence[Row], category: str) -> float:
    """How often a question with an answer gets more relevance than one of a kind that has none, chat by chat."""
    known: dict[str, list[float]] = defaultdict(list)
    others: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        if row.sample.data == "ordinary-dev" and row.sample.english and len(row.relevance):
            if row.sample.wanted:
                known[row.sample.case].append(float(row.relevance.max()))
            elif row.sample.category == category:
                others[row.sample.case].append(float(row.relevance.max()))
    wins = [(one > two) + 0.5 * (one == two) for case in known for one in known[case] for two in others[case]]
    return sum(wins) / len(wins) if wins else float("nan")


def dropped(rows: Sequence[Row], least: float) -> dict[str, float]:
    """Of each set, the share of the evidence among the ten best that is less relevant than this."""
    found: dict[str, list[bool]] = defaultdict(list)
    for row in rows:
        if row.sample.wanted:
            best = np.argsort(-row.scores, kind="stable")[:10]
            found[row.sample.data] += (row.relevance[best][row.sample.evidence[best]] < least).tolist()
    return {name: sum(some) / len(some) for name, some in found.items()}


def overview(rows: Sequence[Row], least: float = LEAST) -> str:
    """The figures of every set, and of each kind of question of `ordinary-dev`, as Markdown."""
    groups: dict[str, list[dict[str, float]]] = defaultdict(list)
    for row in rows:
        if not row.sample.wanted or (row.sample.data, row.sample.category) == WRONG_PERSON:
            continue
        found = figures(row)
        other = "" if row.sample.english else ", other languages"
        groups[row.sample.data + other].append(found)
        if row.sample.data == "ordinary-dev":
            groups[f"- {row.sample.category}{other}"].append(found)
    lines = ["| | n | hit@1 | hit@3 | R@10 | R@1024t | MRR |", "|---|---:|---:|---:|---:|---:|---:|"]
    names = sorted(groups, key=lambda name: (name.endswith("languages"), name.startswith("-"), name))
    for name in names:
        some = groups[name]
        cells = " | ".join(f"{mean(some, one):.3f}" for one in ("hit@1", "hit@3", "R@10", "R@1024t", "MRR"))
        lines.append(f"| {name} | {len(some)} | {cells} |")
    ordinary = groups.get("ordinary-dev", [])
    lines.append(f"\nnewest above older: {mean(ordinary, 'newest'):.3f}")
    for kind in ("unknown", "foreign"):
        lines.append(f"{kind} told from known, AUC: {told_apart(rows, kind):.3f}")
    lost = ", ".join(f"{name} {share:.3f}" for name, share in dropped(rows, least).items())
    lines.append(f"evidence among the ten best below a relevance of {least}: {lost}")
    return "\n".join([*lines, "", reliability(rows)])
