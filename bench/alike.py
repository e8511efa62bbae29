"""Whether neighbourhoods, in which families are sought, find near-duplicates: phrases said a little differently."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from foveal.backends.models.static import StaticEmbedder
from foveal.rules.duplicates import is_echo
from foveal.rules.glyphs import NEIGHBOURHOOD, centred, nearest, phrases, rounded

PAIRS = 1000


@dataclass(frozen=True, slots=True)
class Found:
    """How many changed copies a way finds, and how many of the pairs it calls alike are such copies."""

    name: str
    recall: float
    precision: float
    compared: int


def alike(texts: Sequence[str]) -> list[Found]:
    """Change a thousand phrases a little, and look for the pairs among all phrases."""
    chance = np.random.default_rng(0)
    said = list(dict.fromkeys(text[one.start : one.end] for text in texts for one in phrases(text)))
    long = [place for place, phrase in enumerate(said) if len(phrase.split()) >= 5]
    drawn: list[int] = chance.permutation(len(long))[:PAIRS].tolist()
    originals = [long[place] for place in drawn]
    copies = [_changed(said[place], chance) for place in originals]
    points = rounded(StaticEmbedder().embed([*said, *copies]))
    wanted = {(place, len(said) + number) for number, place in enumerate(originals)}
    owners, _ = nearest(points, centred(points, len(points) // NEIGHBOURHOOD))
    groups: dict[int, list[int]] = {}
    for place, owner in enumerate(owners.tolist()):
        groups.setdefault(owner, []).append(place)
    unit = points.astype(np.float32) / 4000
    family = [(a, b) for some in groups.values() for n, a in enumerate(some) for b in some[n + 1 :]]
    close = [(a, b) for a, b in family if float(unit[a] @ unit[b]) >= 0.9]
    everyone: list[tuple[int, int]] = []
    for start in range(0, len(unit), 2048):
        rows, columns = np.nonzero(unit[start : start + 2048] @ unit.T >= 0.9)
        everyone += [(int(a) + start, int(b)) for a, b in zip(rows, columns, strict=True) if a + start < b]
    words = [*said, *copies]
    total = len(points) * (len(points) - 1) // 2
    return [
        _found("the same neighbourhood", family, wanted, words, len(family)),
        _found("the same neighbourhood, and a cosine of .9", close, wanted, words, len(family)),
        _found("a cosine of .9, everyone with everyone", everyone, wanted, words, total),
    ]


def _found(
    name: str, pairs: Sequence[tuple[int, int]], wanted: set[tuple[int, int]], words: Sequence[str], compared: int
) -> Found:
    right = wanted & set(pairs)
    drawn: list[int] = np.random.default_rng(1).permutation(len(pairs))[:3000].tolist()
    sample = [pairs[place] for place in drawn]
    # A pair that was in the texts already may be a true one, too: its words tell.
    true = sum((a, b) in wanted or _same_words(words[a], words[b]) for a, b in sample)
    return Found(name, len(right) / len(wanted), true / max(1, len(sample)), compared)


def _same_words(a: str, b: str) -> bool:
    one, other = set(a.casefold().split()), set(b.casefold().split())
    return len(one & other) / len(one | other) >= 0.6 or is_echo(a, b)


def _changed(phrase: str, chance: np.random.Generator) -> str:
    """The phrase with one word left out, doubled in place, or two swapped."""
    words = phrase.split()
    place = int(chance.integers(0, len(words) - 1))
    match int(chance.integers(3)):
        case 0:
            del words[place]
        case 1:
            words[place] = words[place].upper()
            words.append("really")
        case _:
            words[place], words[place + 1] = words[place + 1], words[place]
    return " ".join(words)
