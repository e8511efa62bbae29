"""The part of a text that a question points at."""

from __future__ import annotations

from collections.abc import Collection

from foveal.rules.splitting import gist, sentences
from foveal.rules.words import terms

SHORT = 240


def excerpt(text: str, asked: Collection[str], limit: int = SHORT) -> str:
    """The sentences that share most with the asked terms, in their order, marked where something is missing.

    >>> excerpt("We ate. The key is under the mat. Then we left.", ["key", "mat"], limit=30)
    '… The key is under the mat. …'
    """
    if len(text) <= limit:
        return text
    parts = sentences(text)
    shared = [len(set(terms(part)) & set(asked)) for part in parts]
    kept: list[int] = []
    for number in sorted(range(len(parts)), key=lambda one: -shared[one]):
        if shared[number] and sum(len(parts[one]) for one in kept) + len(parts[number]) <= limit:
            kept.append(number)
    if not kept:
        return gist(text, limit)
    shown: list[str] = []
    for number in sorted(kept):
        if number and number - 1 not in kept:
            shown.append("…")
        shown.append(parts[number])
    return " ".join(shown if len(parts) - 1 in kept else [*shown, "…"])


def shares_more(text: str, other: str, asked: Collection[str]) -> bool:
    """Whether `text` has more of the asked terms than `other`.

    >>> shares_more("I live in Oslo", "I live in Bergen", ["oslo"])
    True
    """
    wanted = set(asked)
    return len(set(terms(text)) & wanted) > len(set(terms(other)) & wanted)
