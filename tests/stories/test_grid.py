"""Wherever a fact sits and whatever the budget, a read shows it at least as often as truncation does."""

import pytest
from bench.episodes import BUDGETS, POSITIONS, answered, episode, moments, truncated

from foveal import Memory
from foveal.compose import open_counter

EPISODES = 24


@pytest.mark.parametrize("position", POSITIONS)
def test_a_planted_fact_is_shown(position: float) -> None:
    count = open_counter("o200k_base").count
    shown = dict.fromkeys(BUDGETS, 0)
    kept = dict.fromkeys(BUDGETS, 0)
    for seed in range(EPISODES):
        told = episode(seed, position)
        with Memory(":memory:") as memory:
            ada = memory.view(actor_id="ada")
            days = moments(len(told.turns))
            ada.write_many(
                [
                    {"text": text, "occurred_at": day, "speaker": "Ada", "session_id": f"s{n // 30}"}
                    for n, (text, day) in enumerate(zip(told.turns, days, strict=True))
                ]
            )
            for budget in BUDGETS:
                context = ada.read(told.question, token_budget=budget)
                shown[budget] += answered(context.text, told.answer)
                kept[budget] += answered(truncated(told.turns, budget, count), told.answer)
    assert all(shown[budget] >= kept[budget] for budget in BUDGETS), (shown, kept)
    assert shown[256] >= 0.95 * EPISODES, shown
    assert shown[512] >= 0.95 * EPISODES, shown
