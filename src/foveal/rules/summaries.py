"""Extractive summaries, and shortening text without losing its decisions."""

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
# More significant words than this do not make a label better.
ENOUGH = 4


def joined(texts: Sequence[str], limit: int = LIMIT) -> str:
    """The distinct texts in one line, equally shortened to fit a limit.

    >>> joined(["see you soon", "see you soon", "the new house"])
    'see you soon; the new house'
    """
    distinct = list(dict.fromkeys(texts))
    room = max(20, limit // max(1, len(distinct)) - 2)
    return "; ".join(gist(text, room) for text in distinct)[:limit]


def telling(labels: Sequence[tuple[str, int]], count: int, *, enough: int = ENOUGH) -> list[str]:
    """The most informative labels, given each with its uses: often used, with significant words, and not all alike.

    >>> telling([("it's tough", 76), ("a homeless shelter", 56), ("the homeless shelter", 50), ("so it is", 9)], 2)
    ['a homeless shelter', "it's tough"]
    """
    words = {label: set(asked_terms(label)) for label, _ in labels}
    chosen: list[str] = []
    for label, _ in sorted(labels, key=lambda pair: -math.sqrt(pair[1]) * min(enough, len(words[pair[0]]))):
        own = words[label]
        if len(chosen) < count and own and all(3 * len(own & words[other]) < len(own) for other in chosen):
            chosen.append(label)
    return chosen or [label for label, _ in labels[:count]]


def outermost(mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions that lie inside no other mention, in text order.

    >>> both = [Mention(start=0, end=9, text="a"), Mention(start=2, end=9, text="b")]
    >>> [mention.text for mention in outermost(both)]
    ['a']
    """
    outer: list[Mention] = []
    for mention in sorted(mentions, key=lambda mention: (mention.start, -mention.end)):
        if not outer or mention.end > outer[-1].end:
            outer.append(mention)
    return outer


# Numbers, names, dates, negations and decisions make a sentence worth more than its words.
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
_BONUSES = ((_NUMBER, 0.5), (_NAME, 0.4), (_DATE, 0.3), (_NEGATION, 0.4), (_RESOLVED, 0.5))
_ASKING = 0.3
_MOST = 2_000

EXTRACTIVE = "extractive-1"


def summary(texts: Sequence[str], budget: int, count: Callable[[str], int] = len) -> str:
    """The sentences that best represent the texts, in order, costing at most `budget` as measured by `count`.

    Sentences with numbers, names, dates, negations and decisions are preferred, and no sentence occurs twice.

    >>> texts = ["Hello there.", "The gate code is 4711, not 4712.", "The gate is green.", "Hello there."]
    >>> summary(texts, 40)
    'The gate code is 4711, not 4712.'
    """
    parts = list(dict.fromkeys(part for text in texts for part in sentences(text)))[:_MOST]
    known: dict[str, str] = {}
    for part in parts:
        known.setdefault(normal(part), part)
    parts = list(known.values())
    words = [Counter(terms(part)) for part in parts]
    holders = Counter(term for counts in words for term in counts)
    chosen: list[int] = []
    covered: set[str] = set()
    spent = 0
    # The gain of a sentence only shrinks as others are chosen, so it is recomputed when the sentence comes up.
    waiting = [
        (-_worth(part) * _news(own, holders, covered), n)
        for n, (part, own) in enumerate(zip(parts, words, strict=True))
    ]
    heapify(waiting)
    while waiting:
        expected, best = heappop(waiting)
        actual = -_worth(parts[best]) * _news(words[best], holders, covered)
        if actual > expected + 1e-9:
            heappush(waiting, (actual, best))
            continue
        cost = count(parts[best] + " ")
        if spent + cost <= budget + 1:
            chosen.append(best)
            covered.update(words[best])
            spent += cost
        elif spent + 8 > budget:
            break
    text = " ".join(parts[n] for n in sorted(chosen))
    # Joined sentences may cost more than they do alone: then drop the one that was chosen last.
    while chosen and count(text) > budget:
        chosen.pop()
        text = " ".join(parts[n] for n in sorted(chosen))
    return text or _cut(parts, budget, count)


def _worth(part: str) -> float:
    bonus = sum(weight for pattern, weight in _BONUSES if pattern.search(part))
    return (1 + bonus) * (_ASKING if part.rstrip().endswith(("?", "？")) else 1.0)


def _news(words: Counter[str], holders: Counter[str], covered: set[str]) -> float:
    """How central a sentence is, by the words it shares with others; words already covered count little."""
    total = sum(log1p(holders[term]) * (0.15 if term in covered else 1.0) for term in words)
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
    """The weighted share of the significant words of texts that a shorter text still has, from 0 to 1.

    >>> kept(["The code is 4711."], "code 4711"), kept(["The code is 4711."], "A door.")
    (1.0, 0.0)
    """
    words = Counter(term for text in texts for term in set(terms(text)))
    have = set(terms(short))
    total = sum(words.values())
    return sum(times for term, times in words.items() if term in have) / total if total else 1.0


def faithful(cosine: float, retention: float) -> bool:
    """Whether a summary may stand for its sources, judged by meaning and words in the ratio 3 to 2.

    >>> faithful(0.9, 0.4), faithful(0.3, 0.5)
    (True, False)
    """
    return 0.6 * cosine + 0.4 * retention >= 0.5


# A label is deliberate and counts whoever writes it. The other words occur everywhere in tool output, where they
# would preserve whole files, so they count only in what people and agents say.
_LABELS = {
    Linearity.PRESERVED: ("required:", "critical:", "verbatim:", "exactly:", "user said:"),
    Linearity.REQUIRED: (
        *("decision:", "conclusion:", "chosen approach:", "entscheidung:", "beschluss:", "décision :", "décision:"),
        *(
            "decisión:",
            "decisione:",
            "decisão:",
            "besluit:",
            "beslissing:",
            "decyzja:",
            "решение:",
            "决定：",
            "决定:",
        ),
        *("決定：", "決定:", "結論：", "결정:"),
    ),
}


_WORDS = {
    Linearity.PRESERVED: ("must ", "```", '"""'),
    Linearity.REQUIRED: (
        *("therefore", "because", "the reason", "i will", "we should", "we went with", "went for ", "decided"),
        *("we chose", "i chose", "settle on", "settled on", "we agreed", "agreed to ", "agreed on ", "agreed that"),
        *("let's go with", "let’s go with", "'ll go with", "’ll go with", "we go with", "i go with", "going with "),
        *("going to use", "opted for", "opted to", "made up my mind", "our choice is"),
        *("entschieden", "beschlossen", "haben uns für", "geeinigt", "deshalb", " weil ", "gewählt"),
        *("décidé", "avons choisi", "avons opté", "a choisi", "parce que", "retenu "),
        *("decidimos", "decidido", "elegimos", "elegido", "optamos", "acordamos", "porque "),
        *("deciso", "abbiamo scelto", "perché ", "escolhemos", "combinámos", "combinamos"),
        *("besloten", "gekozen voor", "afgesproken", "omdat ", "zdecydowa", "postanowi", "wybraliśmy", "ponieważ"),
        *("решили", "решено", "выбрали", "потому что", "决定", "決定", "选择了", "選擇了", "因为"),
        *("に決め", "ことにし", "を選び", "결정했", "하기로 했", "선택했", "karar ver"),
    ),
}


def states(text: str, linearity: Linearity, *, said: bool = True) -> str:
    """The first marker of this linearity in a text, or "".

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
    """A function that summarises texts within a budget."""

    def __call__(self, texts: Sequence[str], budget: int, count: Count) -> str:
        """A summary of the texts in at most `budget` tokens."""
        ...


def remembering(summarise: Summarise, size: int = SUMMARIES) -> Summarise:
    """A cached `summarise`, so that a thread that has grown is summarised again only where it has.

    Use it with one counter only: the counter is not part of the cache key.
    """
    cache: OrderedDict[str, str] = OrderedDict()

    def remembered(texts: Sequence[str], budget: int, count: Count) -> str:
        key = digest_of(str(budget), *texts)
        cached = cache.get(key)
        if cached is None:
            cached = cache[key] = summarise(texts, budget, count)
            if len(cache) > size:
                cache.popitem(last=False)
        return cached

    return remembered


def statements(text: str) -> list[str]:
    """The sentences of a text that decide something, word for word; a heading includes the list after it.

    >>> statements("It rained. Decision: stay in. We read.")
    ['Decision: stay in.']
    """
    stated: list[str] = []
    listing = False
    for sentence in sentences(text):
        belongs = listing and (stated[-1].endswith(":") or _BULLET.match(sentence) is not None)
        if belongs or states(sentence, Linearity.REQUIRED):
            stated.append(sentence)
            listing = belongs or sentence.endswith(":")
        else:
            listing = False
    return stated


def condensed(text: str, budget: int, count: Count, summarise: Summarise) -> str:
    """A shorter text with every statement of the original; the rest is summarised within the budget.

    >>> from foveal.rules.summaries import summary
    >>> condensed("It rained. Decision: stay in.", 4, len, summary)
    'Decision: stay in.'
    """
    stated = statements(text)
    known = frozenset(stated)
    rest = [sentence for sentence in sentences(text) if sentence not in known]
    verbatim = "\n".join(stated)
    room = budget - count(verbatim)
    added = summarise(rest, room, count) if rest and room > 0 else ""
    short = "\n".join(part for part in (verbatim, added) if part)
    return short if short and count(short) < count(text) else text


def _told_once(texts: Sequence[str], skip: Callable[[str], bool]) -> list[str]:
    """The texts without the sentences to skip and those that were said before."""
    known: set[str] = set()
    told: list[str] = []
    for text in texts:
        parts: list[str] = []
        for sentence in sentences(text):
            same = normal(sentence)
            if same not in known and not skip(sentence):
                known.add(same)
                parts.append(sentence)
        if parts:
            told.append(text if len(parts) == len(sentences(text)) else " ".join(parts))
    return told


def _never(_: str) -> bool:
    return False


def gathered(
    said: Sequence[str],
    seen: Sequence[str],
    budget: int,
    count: Count,
    summarise: Summarise,
    *,
    skip: Callable[[str], bool] = _never,
) -> str:
    """One summary of what was said and, in at most a quarter of the budget, of what was only observed.

    Repeats are left out, and the sentences to `skip`, such as small talk.

    >>> from foveal.rules.summaries import summary
    >>> gathered(["We left Oslo.", "We left Oslo."], ["0 rows"], 40, len, summary)
    'We left Oslo.\\n0 rows'
    """
    texts = _told_once(said, skip)
    whole = "\n".join(texts)
    spoken = whole if whole and count(whole) <= budget else summarise(texts, budget, count)
    left = min(budget // 4, budget - count(spoken) - 1)
    observed = summarise(seen, left, count) if seen and left > 0 else ""
    return "\n".join(part for part in (spoken, observed) if part)
