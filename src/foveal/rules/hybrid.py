"""The stream of the tape: glyphs and literal text in one string, exactly reversible."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from msgspec import Struct

from foveal.errors import Invalid
from foveal.rules.alphabet import ALPHABET
from foveal.rules.glyphs import LONGEST, glyph, number

# Which phrase of a family is meant, in bijective base 255; the blank pattern is left out, for nobody sees it.
MEMBERS = "".join(chr(code) for code in range(0x2801, 0x2900))
# Stands behind a glyph that means its family as a whole: what it restores is the label, not the words.
LOSSY = "\u2053"
# Stands before a literal character that would else be read as a sign.
ESCAPE = "\u241b"

_MEMBER = {sign: value for value, sign in enumerate(MEMBERS, 1)}
_WORD = re.compile(r"\w+")


class Sign(Struct, frozen=True):
    """A phrase in a stream: its family, and which of its phrases; None stands for the family as a whole."""

    family: int
    member: int | None

    @property
    def glyph(self) -> str:
        """The glyph of the family."""
        return glyph(self.family)


def stream(parts: Iterable[str | Sign]) -> str:
    """Text and signs as one string.

    >>> stream(["ok, ", Sign(0, 0), " 亍!"])
    'ok, 亍⠁ ␛亍!'
    """
    return "".join(_written(part) if isinstance(part, Sign) else _escaped(part) for part in parts)


def parts(written: str) -> list[str | Sign]:
    """What a stream is made of; `Invalid` where it is not a stream.

    >>> parts('ok, 亍⠁ ␛亍!')
    ['ok, ', Sign(family=0, member=0), ' 亍!']
    """
    found: list[str | Sign] = []
    place = 0
    while place < len(written):
        match = _part().match(written, place)
        if match is None:
            raise Invalid(f"not a stream of the tape at character {place}: {written[place : place + 20]!r}")
        text = match["text"]
        found.append(_unescaped(text) if text is not None else _read(match["glyph"], match["member"]))
        place = match.end()
    return found


# Made when first used: a class of thousands of characters takes a while.
@cache
def _special() -> re.Pattern[str]:
    return re.compile(f"[{ALPHABET}{MEMBERS}{LOSSY}{ESCAPE}]")


@cache
def _part() -> re.Pattern[str]:
    return re.compile(
        f"(?P<glyph>[{ALPHABET}]{{1,{LONGEST}}})(?P<member>{LOSSY}|[{MEMBERS}]{{1,4}})"
        f"|(?P<text>(?:{ESCAPE}.|[^{ALPHABET}{MEMBERS}{LOSSY}{ESCAPE}])+)",
        re.DOTALL,
    )


def _written(sign: Sign) -> str:
    return sign.glyph + (LOSSY if sign.member is None else _member(sign.member))


def _read(family: str, member: str) -> Sign:
    return Sign(number(family), None if member == LOSSY else _member_number(member))


def _member(member: int) -> str:
    signs: list[str] = []
    left = member + 1
    while left:
        left, place = divmod(left - 1, len(MEMBERS))
        signs.append(MEMBERS[place])
    return "".join(signs)


def _member_number(signs: str) -> int:
    found = 0
    for sign in reversed(signs):
        found = found * len(MEMBERS) + _MEMBER[sign]
    return found - 1


def _escaped(text: str) -> str:
    return _special().sub(lambda found: ESCAPE + found[0], text)


def _unescaped(text: str) -> str:
    return re.sub(f"{ESCAPE}(.)", r"\1", text, flags=re.DOTALL)


def density(parts: Sequence[str | Sign]) -> float:
    """Which share of a stream is signs: a sign and a literal word count one each.

    >>> density(["so ", Sign(3, 0), ", he said"])
    0.25
    """
    signs = sum(isinstance(part, Sign) for part in parts)
    words = sum(len(_WORD.findall(part)) for part in parts if isinstance(part, str))
    return signs / (signs + words) if signs else 0.0


def covered(text: str, signs: Iterable[tuple[int, int, Sign]]) -> list[str | Sign]:
    """The text with spans replaced by signs: the longest first, and none that overlaps one already taken.

    >>> covered("see you soon, Ada", [(0, 7, Sign(1, 0)), (0, 12, Sign(2, 1))])
    [Sign(family=2, member=1), ', Ada']
    """
    taken: list[tuple[int, int, Sign]] = []
    for start, end, sign in sorted(signs, key=lambda one: (one[0] - one[1], one[0])):
        if all(end <= other[0] or start >= other[1] for other in taken):
            taken.append((start, end, sign))
    made: list[str | Sign] = []
    place = 0
    for start, end, sign in sorted(taken, key=lambda one: one[0]):
        made += [text[place:start], sign] if start > place else [sign]
        place = end
    return [*made, text[place:]] if place < len(text) else made
