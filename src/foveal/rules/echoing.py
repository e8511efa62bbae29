"""Whether a text only says again what was recalled."""

from __future__ import annotations

import re

from foveal.rules.words import plain_words

ALIKE = 0.98
_SHINGLE = 5
_NEGATIONS = frozenset({"no", "not", "never", "none", "nothing", "nor", "without", "cannot"})
_NAME = re.compile(r"\b[A-Z]\w+")


def same_words(text: str) -> str:
    """A text as it counts for comparing: its words only, whatever their case, accents and marks.

    >>> same_words("Hello, Zoë!") == same_words("hello zoe")
    True
    """
    return " ".join(plain_words(text))


def echoes(text: str, shown: str) -> bool:
    """Whether `text` repeats `shown`: equal words, or nearly, with the same numbers, names and negations.

    >>> echoes("The code is 4711.", "the code is 4711"), echoes("The code is 4712.", "The code is 4711.")
    (True, False)
    """
    a, b = same_words(text), same_words(shown)
    if a == b:
        return bool(a)
    if _telling(text) != _telling(shown):
        return False
    ours, theirs = _shingles(a), _shingles(b)
    return len(ours & theirs) >= ALIKE * len(ours | theirs) > 0


def _shingles(text: str) -> set[str]:
    return {text[start : start + _SHINGLE] for start in range(len(text) - _SHINGLE + 1)}


def _telling(text: str) -> tuple[frozenset[str], frozenset[str]]:
    words = plain_words(text)
    plain = {word for word in words if word in _NEGATIONS or word.endswith("nt") or not word.isalpha()}
    return frozenset(plain), frozenset(_NAME.findall(text)[1:])
