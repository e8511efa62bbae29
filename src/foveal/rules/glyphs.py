"""The code of glyphs: the number of a family as one to four characters, and back."""

from __future__ import annotations

from foveal.errors import Invalid
from foveal.rules.alphabet import ALPHABET

LONGEST = 4
SIZE = len(ALPHABET)
# How many families have a glyph: as many as there are words of one to four signs.
FAMILIES = sum(SIZE**length for length in range(1, LONGEST + 1))

_VALUES = {sign: value for value, sign in enumerate(ALPHABET, 1)}


def glyph(number: int) -> str:
    """The glyph of a family: shortest for the lowest numbers, no two alike, every word of the alphabet used.

    Bijective base 3,000, the last sign counting most: numbers below 3,000 have one sign, the next nine million two.

    >>> glyph(0), glyph(1), len(glyph(2999)), len(glyph(3000)), number(glyph(123_456_789))
    ('亍', '丌', 1, 2, 123456789)
    """
    if not 0 <= number < FAMILIES:
        raise Invalid(f"there is no glyph for family {number}")
    signs: list[str] = []
    left = number + 1
    while left:
        left, place = divmod(left - 1, SIZE)
        signs.append(ALPHABET[place])
    return "".join(signs)


def number(text: str) -> int:
    """The number of the family that a glyph names; `Invalid` for any other text.

    >>> number("亍丌")
    6000
    """
    if not 1 <= len(text) <= LONGEST or not is_glyph(text):
        raise Invalid(f"{text[:40]!r} is not a glyph: one to {LONGEST} signs of the alphabet")
    found = 0
    for sign in reversed(text):
        found = found * SIZE + _VALUES[sign]
    return found - 1


def is_glyph(text: str) -> bool:
    """Whether a text is made of the signs of the alphabet only.

    >>> is_glyph("亍"), is_glyph("tea")
    (True, False)
    """
    return bool(text) and all(sign in _VALUES for sign in text)
