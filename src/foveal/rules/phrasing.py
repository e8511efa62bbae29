"""The phrases of a text: its sentences, their clauses, and the noun phrases in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import blake2b

from msgspec import Struct

from foveal.rules.languages import COMMON, UNSPACED, language

LEAST_TOKENS, MOST_TOKENS = 3, 50
LEAST_LENGTH, MOST_LENGTH = 10, 500

_END = re.compile(r"[.!?…؟]+[\"'”’)\]]*(?=\s|$)|[。！？।॥។။։።]+|\n+")
_BREAK = re.compile(rf"[,;:](?=\s)|[—–()\[\]“”\"«»]|\s-\s|[，、；：،؛]|(?<=[{UNSPACED}])\s+(?=[{UNSPACED}])")
_EDGE = " \t\r\n\u00a0\u200b.,;:!?…-–—'\"“”‘’«»()[]{}*_~¡¿؟،؛。！？，、；：।॥។။։።"
_UNSPACED = re.compile(f"[{UNSPACED}]")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")

# Words that begin a clause of their own.
_JOINTS = {
    "en": "and but because although while when if which who where",
    "de": "und aber weil dass wenn als obwohl damit oder",
    "fr": "et mais parce que qui quand si donc",
    "es": "y pero porque que cuando si aunque",
    "it": "e ma perche che quando se",
    "pt": "e mas porque que quando se embora",
    "nl": "en maar omdat dat als toen want",
}
_JOINT = {
    name: re.compile(rf"(?<=\s)(?:{'|'.join(words.split())})\s", re.IGNORECASE) for name, words in _JOINTS.items()
}
# Common words that open a noun phrase, and those that hold two together.
_OPENERS = {
    "en": "a an the my your his her its our their this that these those some all both each no".split(),
    "de": "der die das den dem des ein eine einem einen einer mein meine sein seine unser".split(),
    "fr": "le la les un une des du au aux mon ma mes son sa ses leur ce cette ces".split(),
    "es": "el la los las un una unos mi mis tu su sus este esta ese esa".split(),
    "it": "il lo la i gli le un una uno mia mio sua suo questo questa".split(),
    "pt": "o a os as um uma meu minha seu sua este esta esse essa".split(),
    "nl": "de het een mijn deze die dit dat".split(),
}
_BONDS = {"en": "of", "fr": "de", "es": "de", "it": "di", "pt": "de", "nl": "van", "de": "von"}


class Span(Struct, frozen=True):
    """Where a phrase stands in a text, and what it is: a sentence, a clause or a noun phrase."""

    start: int
    end: int
    kind: str


def phrases(text: str, spoken: str | None = None) -> list[Span]:
    """The phrases of a text, each place once, the larger before the smaller in them.

    A phrase has 3 to 50 tokens and 10 to 500 characters. In a script without spaces a token is two characters,
    and a character counts twice. `spoken` is the language, if it is known: noun phrases need one with a list of
    common words; every script has sentences and clauses.

    >>> text = "We met the new neighbours, and it rained all day."
    >>> [text[one.start:one.end] for one in phrases(text)][1:]
    ['We met the new neighbours', 'the new neighbours', 'and it rained all day']
    """
    spoken = spoken or language(text)
    found: dict[tuple[int, int], str] = {}
    for start, end in _split(text, _END, 0, len(text)):
        _keep(found, text, start, end, "sentence")
        for first, last in _clauses(text, start, end, spoken):
            _keep(found, text, first, last, "clause")
            for one in _nouns(text, first, last, spoken):
                _keep(found, text, *one, "noun")
    return [Span(start, end, kind) for (start, end), kind in found.items()]


def key(phrase: str) -> int:
    """A number for a phrase: the same in every process, and no two phrases share it in practice.

    >>> key("see you soon") == key("see you soon"), key("see you soon") == key("See you soon")
    (True, False)
    """
    return int.from_bytes(blake2b(phrase.encode(), digest_size=8).digest()) >> 1


def tokens(text: str) -> int:
    """How many tokens a phrase has: words, and in scripts without spaces pairs of characters.

    >>> tokens("see you soon"), tokens("我们明天再见")
    (3, 3)
    """
    unspaced = len(_UNSPACED.findall(text))
    words = len(_UNSPACED.sub(" ", text).split()) if unspaced else len(text.split())
    return words + (unspaced + 1) // 2


def _keep(found: dict[tuple[int, int], str], text: str, start: int, end: int, kind: str) -> None:
    while start < end and text[start] in _EDGE:
        start += 1
    while end > start and text[end - 1] in _EDGE:
        end -= 1
    if (start, end) in found or not LEAST_LENGTH // 2 <= end - start <= MOST_LENGTH:
        return
    phrase = text[start:end]
    length = len(phrase) + len(_UNSPACED.findall(phrase))
    if LEAST_LENGTH <= length <= MOST_LENGTH and LEAST_TOKENS <= tokens(phrase) <= MOST_TOKENS:
        found[start, end] = kind


def _split(text: str, mark: re.Pattern[str], start: int, end: int) -> Iterator[tuple[int, int]]:
    for match in mark.finditer(text, start, end):
        yield start, match.start()
        start = match.end()
    yield start, end


def _clauses(text: str, start: int, end: int, spoken: str) -> Iterator[tuple[int, int]]:
    joints = _JOINT.get(spoken)
    for first, last in _split(text, _BREAK, start, end):
        if joints is None:
            yield first, last
            continue
        for match in joints.finditer(text, first, last):
            yield first, match.start()
            first = match.start()
        yield first, last


def _nouns(text: str, start: int, end: int, spoken: str) -> Iterator[tuple[int, int]]:
    """Runs of words that are not common ones, with what opens them, and joined by an "of"."""
    common = COMMON.get(spoken)
    openers = _OPENERS.get(spoken)
    if common is None or openers is None:
        return
    first = last = None
    full = False
    for match in _WORD.finditer(text, start, end):
        word = match[0].casefold()
        if word not in common and word.replace("'", "").replace("’", "") not in common:
            first = match.start() if first is None else first
            last, full = match.end(), True
        elif full and word == _BONDS[spoken]:
            continue
        else:
            if full and first is not None and last is not None:
                yield first, last
            first = match.start() if word in openers else None
            last, full = None, False
    if full and first is not None and last is not None:
        yield first, last
