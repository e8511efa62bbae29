"""A word index in memory: BM25 over the terms of one organism."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

_K1, _B = 1.2, 0.75


class WordIndex:
    """Which keys have which terms, and how telling a term is."""

    def __init__(self) -> None:
        self._holders: defaultdict[str, dict[int, int]] = defaultdict(dict)
        self._lengths: dict[int, int] = {}

    def add(self, key: int, terms: Sequence[str]) -> None:
        """File a key under its terms."""
        self._lengths[key] = len(terms)
        for term, count in Counter(terms).items():
            self._holders[term][key] = count

    def remove(self, key: int) -> None:
        """Take a key out."""
        del self._lengths[key]
        for holders in self._holders.values():
            holders.pop(key, None)

    def scores(self, terms: Iterable[str]) -> dict[int, float]:
        """The score of every key that has one of the terms."""
        found: defaultdict[int, float] = defaultdict(float)
        mean = sum(self._lengths.values()) / max(1, len(self._lengths)) or 1.0
        for term in terms:
            holders = self._holders.get(term, {})
            rarity = math.log(1 + (len(self._lengths) - len(holders) + 0.5) / (len(holders) + 0.5))
            for key, count in holders.items():
                damped = count + _K1 * (1 - _B + _B * self._lengths[key] / mean)
                found[key] += rarity * count * (_K1 + 1) / damped
        return found
