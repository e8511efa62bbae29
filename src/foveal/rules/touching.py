"""Which of the records that a read shows it also uses."""

from __future__ import annotations

# Zones that are filled by relevance.
POINTED = ("relevant", "earlier", "mixed")
# Where everything is shown, what has at least this share of the best score is what the question pointed at.
NEAR_BEST = 0.5


def is_use(zone: str, depth: int, share: float) -> bool:
    """Whether showing a record uses it: more than its gist, and because the question points at it.

    `share` is its relevance in proportion to the best.

    >>> is_use("relevant", 2, 0.3), is_use("recent", 2, 0.3), is_use("relevant", 0, 1.0), is_use("whole", 2, 0.9)
    (True, False, False, True)
    """
    return depth >= 1 and (zone in POINTED or (zone == "whole" and share >= NEAR_BEST))
