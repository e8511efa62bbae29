"""Extractive summaries, and text shortened without losing what it decides."""

from __future__ import annotations

import math
import re
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from heapq import heapify, heappop, heappush
from math import log1p, sqrt
from typing import Protocol

from foveal.model.crystal import digest_of
from foveal.model.glyph import Mention
from foveal.model.record import Linearity
from foveal.rules.duplicates import normal
from foveal.rules.text import asked_terms, gist, sentences, terms

LIMIT = 240
# More telling words than this make a label no better.
ENOUGH = 4


def joined(texts: Sequence[str], limit: int = LIMIT) -> str:
    """Texts side by side, each once and shortened alike, within a limit.

    >>> joined(["see you soon", "see you soon", "the new house"])
    'see you soon; the new house'
    """
    distinct = list(dict.fromkeys(texts))
    room = max(20, limit // max(1, len(distinct)) - 2)
    return "; ".join(gist(text, room) for text in distinct)[:limit]


def telling(labels: Sequence[tuple[str, int]], count: int, *, enough: int = ENOUGH) -> list[str]:
    """Of labels, each with how often it is used, those that say most: used much, of telling words, not all alike.

    >>> telling([("it's tough", 76), ("a homeless shelter", 56), ("the homeless shelter", 50), ("so it is", 9)], 2)
    ['a homeless shelter', "it's tough"]
    """
    words = {label: set(asked_terms(label)) for label, _ in labels}
    kept: list[str] = []
    for label, _ in sorted(labels, key=lambda one: -math.sqrt(one[1]) * min(enough, len(words[one[0]]))):
        own = words[label]
        if len(kept) < count and own and all(3 * len(own & words[other]) < len(own) for other in kept):
            kept.append(label)
    return kept or [label for label, _ in labels[:count]]


def outermost(mentions: Sequence[Mention]) -> list[Mention]:
    """Those of the mentions that stand in no other, in the order of the text.

    >>> both = [Mention(start=0, end=9, text="a"), Mention(start=2, end=9, text="b")]
    >>> [one.text for one in outermost(both)]
    ['a']
    """
    kept: list[Mention] = []
    for one in sorted(mentions, key=lambda one: (one.start, -one.end)):
        if not kept or one.end > kept[-1].end:
            kept.append(one)
    return kept


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


# A label is written on purpose and counts whoever writes it. The other words are everywhere in what tools
# return, where they would keep whole files: they count only in what is said.
_LABELS = {
    Linearity.PRESERVED: ("required:", "critical:", "verbatim:", "exactly:", "user said:"),
    Linearity.REQUIRED: ("decision:", "conclusion:", "chosen approach:"),
}


_WORDS = {
    Linearity.PRESERVED: ("must ", "```", '"""'),
    Linearity.REQUIRED: ("therefore", "because", "the reason", "i will", "we should"),
}


def states(text: str, linearity: Linearity, *, said: bool = True) -> str:
    """The marker of this class that stands in a text, or nothing.

    >>> states("Decision: use SQLite.", Linearity.REQUIRED), states("It rained.", Linearity.REQUIRED)
    ('decision:', '')
    """
    lower = text.lower()
    markers = _LABELS[linearity] + (_WORDS[linearity] if said else ())
    return next((marker.strip() for marker in markers if marker in lower), "")


Count = Callable[[str], int]

_BULLET = re.compile(r"(?:[-*•]|\d+[.)])\s")
SUMMARIES = 256


class Summarise(Protocol):
    """Texts, in fewer tokens."""

    def __call__(self, texts: Sequence[str], budget: int, count: Count) -> str:
        """What matters in the texts, in at most `budget` tokens."""
        ...


def remembering(summarise: Summarise, size: int = SUMMARIES) -> Summarise:
    """The same summaries, each made once: a thread that has grown is summarised anew only where it has.

    It is for one counter: what a text costs is not part of the name that a summary is remembered by.
    """
    made: OrderedDict[str, str] = OrderedDict()

    def remembered(texts: Sequence[str], budget: int, count: Count) -> str:
        name = digest_of(str(budget), *texts)
        found = made.get(name)
        if found is None:
            found = made[name] = summarise(texts, budget, count)
            if len(made) > size:
                made.popitem(last=False)
        return found

    return remembered


def statements(text: str) -> list[str]:
    """The sentences of a text that decide something, word for word; a heading takes its list along.

    >>> statements("It rained. Decision: stay in. We read.")
    ['Decision: stay in.']
    """
    found: list[str] = []
    listing = False
    for sentence in sentences(text):
        belongs = listing and (found[-1].endswith(":") or _BULLET.match(sentence) is not None)
        if belongs or states(sentence, Linearity.REQUIRED):
            found.append(sentence)
            listing = belongs or sentence.endswith(":")
        else:
            listing = False
    return found


def condensed(text: str, budget: int, count: Count, summarise: Summarise) -> str:
    """A shorter text with every statement of the first in it; the rest is summarised into the budget.

    >>> from foveal.rules.summaries import summary
    >>> condensed("It rained. Decision: stay in.", 4, len, summary)
    'Decision: stay in.'
    """
    stated = statements(text)
    rest = [one for one in sentences(text) if one not in stated]
    told = "\n".join(stated)
    room = budget - count(told)
    added = summarise(rest, room, count) if rest and room > 0 else ""
    made = "\n".join(part for part in (told, added) if part)
    return made if made and count(made) < count(text) else text


def gathered(said: Sequence[str], seen: Sequence[str], budget: int, count: Count, summarise: Summarise) -> str:
    """One summary of what was said and, in a quarter of the budget at most, of what was only seen.

    >>> from foveal.rules.summaries import summary
    >>> gathered(["We left Oslo."], ["0 rows"], 40, len, summary)
    'We left Oslo.\\n0 rows'
    """
    whole = "\n".join(one for one in said if one)
    told = whole if whole and count(whole) <= budget else summarise([one for one in said if one], budget, count)
    left = min(budget // 4, budget - count(told) - 1)
    added = summarise(seen, left, count) if seen and left > 0 else ""
    return "\n".join(part for part in (told, added) if part)
