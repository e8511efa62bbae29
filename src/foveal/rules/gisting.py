"""What many texts are about, in words they have themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from foveal.model.glyph import Mention
from foveal.rules.clustering import Whole, directed, middle
from foveal.rules.phrasing import phrases
from foveal.rules.splitting import gist
from foveal.rules.words import terms

LIMIT = 240


def key_phrases(text: str, count: int = 5) -> list[str]:
    """The phrases of a text that tell most, in its order; none inside another.

    A phrase tells more the more of its words recur in the text and the longer those words are.

    >>> key_phrases("The blue boat race was cold. We won the blue boat race.", 1)
    ['The blue boat race']
    """
    often = Counter(terms(text))
    scored: list[tuple[float, int, int]] = []
    for one in phrases(text):
        words = set(terms(text[one.start : one.end]))
        weight = sum(often[word] * len(word) for word in words) / (2 + len(words))
        scored.append((weight, one.start, one.end))
    kept: list[tuple[int, int]] = []
    said: set[str] = set()
    for _, start, end in sorted(scored, key=lambda one: (-one[0], one[1], one[2])):
        words = text[start:end].casefold()
        if words not in said and all(end <= first or start >= last for first, last in kept):
            said.add(words)
            kept.append((start, end))
        if len(kept) == count:
            break
    return [text[start:end] for start, end in sorted(kept)]


def central(points: Whole, count: int) -> list[int]:
    """The places of the points that stand best for all: near the middle, and not too near each other.

    >>> points = np.array([[4000, 0], [3990, 280], [0, 4000], [2828, 2828]], np.int16)
    >>> central(points, 2)
    [3, 1]
    """
    if not len(points):
        return []
    unit = directed(points)
    near = unit @ directed(middle(points))
    taken = [int(near.argmax())]
    while len(taken) < min(count, len(points)):
        repeats = (unit @ unit[taken].T).max(axis=1)
        worth = near - 0.5 * repeats
        worth[taken] = -np.inf
        taken.append(int(worth.argmax()))
    return taken


def summary(texts: Sequence[str], points: Whole, limit: int = LIMIT) -> str:
    """The gist of many texts: the beginnings of the most central ones, in the order given.

    >>> summary(["We sail.", "We sail a boat."], np.array([[4000, 0], [4000, 0]], np.int16))
    'We sail.; We sail a boat.'
    """
    return joined([texts[place] for place in sorted(central(points, 3))], limit)


def joined(texts: Sequence[str], limit: int = LIMIT) -> str:
    """Texts side by side, each once and shortened alike, within a limit.

    >>> joined(["see you soon", "see you soon", "the new house"])
    'see you soon; the new house'
    """
    distinct = list(dict.fromkeys(texts))
    room = max(20, limit // max(1, len(distinct)) - 2)
    return "; ".join(gist(text, room) for text in distinct)[:limit]


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
