"""What many texts are about, in words they have themselves."""

from __future__ import annotations

import math
from collections.abc import Sequence

from foveal.model.glyph import Mention
from foveal.rules.splitting import gist
from foveal.rules.words import asked_terms

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
