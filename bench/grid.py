"""Whether a read shows a planted fact, by where it sits and how large the budget is, beside truncation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.episodes import BUDGETS, POSITIONS, answered, episode, moments, truncated
from foveal import Memory
from foveal.compose import open_counter


@dataclass(frozen=True)
class Cell:
    """One position and one budget: the share of episodes whose fact is shown, and what truncation shows."""

    position: float
    budget: int
    shown: float
    kept: float


def grid(episodes: int = 104) -> list[Cell]:
    """Every cell, over the same episodes."""
    count = open_counter("o200k_base").count
    cells: list[Cell] = []
    for position in POSITIONS:
        shown, kept = dict.fromkeys(BUDGETS, 0), dict.fromkeys(BUDGETS, 0)
        for seed in range(episodes):
            told = episode(seed, position)
            with Memory(":memory:") as memory:
                ada = memory.view(actor_id="ada")
                ada.write_many(_items(told.turns))
                for budget in BUDGETS:
                    context = ada.read(told.question, token_budget=budget)
                    shown[budget] += answered(context.text, told.answer)
                    kept[budget] += answered(truncated(told.turns, budget, count), told.answer)
        cells += [Cell(position, one, shown[one] / episodes, kept[one] / episodes) for one in BUDGETS]
    return cells


def _items(turns: Sequence[str]) -> list[dict[str, object]]:
    days = moments(len(turns))
    return [
        {"text": text, "occurred_at": day, "speaker": "Ada", "session_id": f"s{number // 30}"}
        for number, (text, day) in enumerate(zip(turns, days, strict=True))
    ]


def table(cells: Sequence[Cell]) -> str:
    """The grid as Markdown: shown / kept by truncation."""
    lines = [
        "| fact at | " + " | ".join(f"{one} tokens" for one in BUDGETS) + " |",
        "|---" * (len(BUDGETS) + 1) + "|",
    ]
    for position in POSITIONS:
        row = [one for one in cells if one.position == position]
        lines.append(f"| {position:.0%} | " + " | ".join(f"{one.shown:.2f} / {one.kept:.2f}" for one in row) + " |")
    return "\n".join(lines)
