"""A family told by those of its phrases that may be seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from foveal.model.glyph import Family, Phrase
from foveal.rules.clustering import entropy
from foveal.rules.glyphs import glyph

EXAMPLES = 5


def nearest_first(phrases: Sequence[Phrase]) -> list[Phrase]:
    """Phrases by how near they are to the middle of their family; of equals, the first that joined."""
    return sorted(phrases, key=lambda one: (-one.likeness, one.member or 0))


def family_of(number: int, phrases: Sequence[Phrase], digits: str, x: float, y: float) -> Family:
    """The family of this number, as its visible phrases tell it; there is at least one.

    >>> seen = [Phrase(text="bye now", language="en", uses=1, likeness=0.8), Phrase(text="see you",
    ...     language="en", uses=3, likeness=0.9)]
    >>> family_of(0, seen, "01", 0.1, 0.2).label
    'see you'
    """
    ordered = nearest_first(phrases)
    languages = Counter(one.language for one in ordered)
    return Family(
        number=number,
        glyph=glyph(number),
        label=ordered[0].text,
        size=len(ordered),
        uses=sum(one.uses for one in ordered),
        coherence=sum(one.likeness for one in ordered) / len(ordered),
        languages=dict(languages.most_common()),
        entropy=entropy(list(languages.values())),
        examples=tuple(one.text for one in ordered[:EXAMPLES]),
        digits=digits,
        x=x,
        y=y,
    )
