"""Which facts say nearly the same."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from foveal.rules.words import STOP_WORDS

_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"\d[\d.,:/]*\d|\d")
_DENIAL = re.compile(r"\b(?:no|not|never|none|nothing|neither|without|cannot)\b|n['\u2019]t\b", re.I)

# A cluster grows no larger: many facts in one summary would lose most of what they say.
LARGEST = 10


def compatible(one: str, other: str) -> bool:
    """Whether two texts could say the same: the numbers and names of the one are among those of the other, and both
    deny or neither does.

    >>> compatible("The code is 4711.", "The code is 4711 now."), compatible("The code is 4711.", "It is 4712.")
    (True, False)
    >>> compatible("Ines plays chess.", "Hugo plays chess."), compatible("It is open.", "It is not open.")
    (False, False)
    """
    ours, theirs = _telling(one, other), _telling(other, one)
    nested = ours <= theirs or theirs <= ours
    return nested and bool(_DENIAL.search(one)) == bool(_DENIAL.search(other))


def _telling(text: str, beside: str) -> set[str]:
    """Numbers and names: words with a capital that nowhere stand without one."""
    plain = {word for word in _WORD.findall(f"{text} {beside}") if word[0].islower()}
    capital = {word.lower() for word in _WORD.findall(text) if word[0].isupper()}
    return {*_NUMBER.findall(text), *(capital - plain - STOP_WORDS)}


def stars(
    fresh: Sequence[str], vectors: Mapping[str, NDArray[np.float32]], similarity: float, smallest: int
) -> list[list[str]]:
    """Groups of near-duplicates around the fresh ones: each member is near the one in the middle.

    Nothing is in two groups. The middle comes first, then the others, nearest first.

    >>> east, north = np.array([1, 0], np.float32), np.array([0, 1], np.float32)
    >>> stars(["c"], {"a": east, "b": east, "c": east, "d": north}, 0.75, 3)
    [['c', 'a', 'b']]
    """
    known = list(vectors)
    middles = [one for one in fresh if one in vectors]
    if len(known) < smallest or not middles:
        return []
    matrix = np.stack([vectors[one] for one in known])
    cosines = np.stack([vectors[one] for one in middles]) @ matrix.T
    taken: set[str] = set()
    found: list[list[str]] = []
    for middle, row in zip(middles, cosines, strict=True):
        if middle in taken:
            continue
        near = np.flatnonzero(row >= similarity)
        order: list[int] = near[np.argsort(-row[near], kind="stable")].tolist()
        members = [known[n] for n in order if known[n] != middle and known[n] not in taken]
        group = [middle, *members[: LARGEST - 1]]
        if len(group) >= smallest:
            taken.update(group)
            found.append(group)
    return found
