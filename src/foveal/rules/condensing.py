"""How text is shortened without losing what it decides."""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from typing import Protocol

from foveal.model.linearity import Linearity
from foveal.model.window import digest_of
from foveal.rules.classing import states
from foveal.rules.splitting import sentences
from foveal.rules.words import terms

Count = Callable[[str], int]

_BULLET = re.compile(r"(?:[-*•]|\d+[.)])\s")
_TELLING = re.compile(r"\d|\b(?:not|never|no|cannot|\w+n't)\b|(?<=\s)[A-Z][a-z]+", re.UNICODE)


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

    >>> condensed("It rained. Decision: stay in.", 4, len, extract)
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

    >>> gathered(["We left Oslo."], ["0 rows"], 40, len, extract)
    'We left Oslo.\\n0 rows'
    """
    whole = "\n".join(one for one in said if one)
    told = whole if whole and count(whole) <= budget else summarise([one for one in said if one], budget, count)
    left = min(budget // 4, budget - count(told) - 1)
    added = summarise(seen, left, count) if seen and left > 0 else ""
    return "\n".join(part for part in (told, added) if part)


def extract(texts: Sequence[str], budget: int, count: Count) -> str:
    """The sentences that stand for the others best and tell most, in their order, within the budget.

    >>> extract(["The ship sails at nine. Hm. The ship is red."], 24, len)
    'The ship sails at nine.'
    """
    told = list(dict.fromkeys(one for text in texts for one in sentences(text)))
    cut = [set(terms(one)) for one in told]
    shared = Counter(term for found in cut for term in found)
    weights = [_weight(one, found, shared) for one, found in zip(told, cut, strict=True)]
    chosen: set[int] = set()
    left = budget
    for place in sorted(range(len(told)), key=lambda place: (-weights[place], place)):
        cost = count(told[place]) + (1 if chosen else 0)
        if weights[place] > 0 and cost <= left:
            chosen.add(place)
            left -= cost
    made = " ".join(told[place] for place in sorted(chosen))
    while chosen and count(made) > budget:
        chosen.discard(min(chosen, key=lambda place: weights[place]))
        made = " ".join(told[place] for place in sorted(chosen))
    return made


def _weight(sentence: str, found: set[str], shared: Counter[str]) -> float:
    if not found:
        return 0.0
    central = sum(shared[term] for term in found) / len(found) ** 0.5
    return central / sum(shared.values()) + 0.15 * min(4, len(_TELLING.findall(f" {sentence}")))
