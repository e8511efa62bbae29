"""How text is shortened without losing what it decides."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Protocol

from foveal.model.crystal import digest_of
from foveal.model.record import Linearity
from foveal.rules.classing import states
from foveal.rules.splitting import sentences

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

    >>> from foveal.rules.summarising import summary
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

    >>> from foveal.rules.summarising import summary
    >>> gathered(["We left Oslo."], ["0 rows"], 40, len, summary)
    'We left Oslo.\\n0 rows'
    """
    whole = "\n".join(one for one in said if one)
    told = whole if whole and count(whole) <= budget else summarise([one for one in said if one], budget, count)
    left = min(budget // 4, budget - count(told) - 1)
    added = summarise(seen, left, count) if seen and left > 0 else ""
    return "\n".join(part for part in (told, added) if part)
