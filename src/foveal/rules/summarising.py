"""Fewer sentences that still say what many said."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from heapq import heapify, heappop, heappush
from math import log1p, sqrt

from foveal.rules.echoing import normal
from foveal.rules.splitting import gist, sentences
from foveal.rules.words import terms

# What makes a sentence worth more than its words: it says how many, who, when, or that something is not so.
_NUMBER = re.compile(r"\d")
_NAME = re.compile(r"(?<=[a-zß-ÿ,;:] )[A-ZÀ-Þ]\w+")
_DATE = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b"
    r"|\b(?:today|tomorrow|yesterday|tonight|since|until|deadline)\b",
    re.I,
)
_NEGATION = re.compile(r"\b(?:no|not|never|none|nothing|neither|without|cannot)\b|n['\u2019]t\b", re.I)
_RESOLVED = re.compile(
    r"\b(?:decid|agree|chose|choose|promis|must|always|prefer|allerg|import|remember|plan)", re.I
)
_TELLING = ((_NUMBER, 0.5), (_NAME, 0.4), (_DATE, 0.3), (_NEGATION, 0.4), (_RESOLVED, 0.5))
_ASKING = 0.3
_MOST = 2_000

EXTRACTIVE = "extractive-1"


def summary(texts: Sequence[str], budget: int, count: Callable[[str], int] = len) -> str:
    """The sentences that stand for all of them, in their order, costing at most `budget` by `count`.

    Sentences with numbers, names, dates, negations and decisions are kept before others, and nothing is said twice.

    >>> said = ["Hello there.", "The gate code is 4711, not 4712.", "The gate is green.", "Hello there."]
    >>> summary(said, 40)
    'The gate code is 4711, not 4712.'
    """
    parts = list(dict.fromkeys(part for text in texts for part in sentences(text)))[:_MOST]
    known: dict[str, str] = {}
    for part in parts:
        known.setdefault(normal(part), part)
    parts = list(known.values())
    words = [Counter(terms(part)) for part in parts]
    holders = Counter(term for one in words for term in one)
    chosen: list[int] = []
    said: set[str] = set()
    spent = 0
    # What a sentence still brings only shrinks as others are chosen: it is looked at again when its turn comes.
    waiting = [
        (-_worth(part) * _news(own, holders, said), n)
        for n, (part, own) in enumerate(zip(parts, words, strict=True))
    ]
    heapify(waiting)
    while waiting:
        promised, best = heappop(waiting)
        brings = -_worth(parts[best]) * _news(words[best], holders, said)
        if brings > promised + 1e-9:
            heappush(waiting, (brings, best))
            continue
        cost = count(parts[best] + " ")
        if spent + cost <= budget + 1:
            chosen.append(best)
            said.update(words[best])
            spent += cost
        elif spent + 8 > budget:
            break
    made = " ".join(parts[n] for n in sorted(chosen))
    # Sentences side by side may cost more than they do alone: then the last that was chosen goes.
    while chosen and count(made) > budget:
        chosen.pop()
        made = " ".join(parts[n] for n in sorted(chosen))
    return made or _cut(parts, budget, count)


def _worth(part: str) -> float:
    telling = sum(weight for pattern, weight in _TELLING if pattern.search(part))
    return (1 + telling) * (_ASKING if part.rstrip().endswith(("?", "？")) else 1.0)


def _news(words: Counter[str], holders: Counter[str], said: set[str]) -> float:
    """How central a sentence is by the words it shares with others, those already said counting little."""
    total = sum(log1p(holders[term]) * (0.15 if term in said else 1.0) for term in words)
    return total / sqrt(4 + len(words))


def _cut(parts: Sequence[str], room: int, count: Callable[[str], int]) -> str:
    """The beginning of the best sentence, when none fits whole."""
    if not parts:
        return ""
    best = max(parts, key=_worth)
    limit = len(best)
    while limit > 8:
        shown = gist(best, limit)
        if count(shown) <= room:
            return shown
        limit = limit * 3 // 4
    return ""


def kept(texts: Sequence[str], short: str) -> float:
    """Which part of the telling words of texts, by weight, a shorter text still has: from 0 to 1.

    >>> kept(["The code is 4711."], "code 4711"), kept(["The code is 4711."], "A door.")
    (1.0, 0.0)
    """
    words = Counter(term for text in texts for term in set(terms(text)))
    have = set(terms(short))
    total = sum(words.values())
    return sum(times for term, times in words.items() if term in have) / total if total else 1.0


def faithful(cosine: float, retention: float) -> bool:
    """Whether a summary may stand for its sources: by meaning three parts, by words two.

    >>> faithful(0.9, 0.4), faithful(0.3, 0.5)
    (True, False)
    """
    return 0.6 * cosine + 0.4 * retention >= 0.5
