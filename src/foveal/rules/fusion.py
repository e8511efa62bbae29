"""How the scores of the arms become one."""

from __future__ import annotations

from collections.abc import Mapping

WEIGHTS = {"meaning": 1.0, "words": 0.5}


def fused(arms: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """For every candidate of any arm, its weighted parts; their sum is its score.

    Word scores have no scale of their own, so the best one of a question counts as 1; cosines have.

    >>> fused({"words": {"a": 4.0, "b": 2.0}, "meaning": {"a": 0.3}})
    {'a': {'words': 0.5, 'meaning': 0.3}, 'b': {'words': 0.25}}
    """
    parts: dict[str, dict[str, float]] = {}
    for arm, scores in arms.items():
        top = max(scores.values(), default=0.0) if arm == "words" else 1.0
        for key, score in scores.items():
            parts.setdefault(key, {})[arm] = WEIGHTS[arm] * score / (top or 1.0)
    return parts
