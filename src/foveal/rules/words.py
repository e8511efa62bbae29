"""How text is cut into the terms that the word index knows: one cutting for every store."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import cast

import Stemmer

# Runs of scripts written without spaces, and of Korean, whose particles cling to the word, are cut into
# overlapping pairs of characters. Vowel signs of the Indic scripts are no letters to `\w`, so they are named.
_PAIRED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
_RUN = re.compile(rf"([{_PAIRED}]+)|((?:[^\W_{_PAIRED}]+|[\u0900-\u0963\u0966-\u0dff]+)+)")
_MARKS = re.compile("[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]")
_CONTRACTION = re.compile(r"['\u2019](?:(?<=n.)(?=t\b)|(?:s|m|re|ve|ll|d)\b)")
_LONGEST = 64

STOP_WORDS = frozenset(
    """
    a about above after again against all also am an and any are arent as at be because been before
    being below between both but by can cannot cant could couldnt did didnt do does doesnt doing
    dont down during each few for from further had has hasnt have havent having he her here hers
    herself him himself his how i if in into is isnt it its itself just let me more most my myself
    no nor not of off on once only or other ought our ours ourselves out over own same she should so
    some such than that the their theirs them themselves then there these they this those through to
    too under until up very was wasnt we were werent what when where which while who whom why will
    with wont would wouldnt you your yours yourself yourselves
    """.split()
)

_english_stem = cast(Callable[[str], str], Stemmer.Stemmer("english", 0).stemWord)
_stemming = threading.Lock()


@lru_cache(maxsize=65_536)
def _word(word: str) -> str:
    if not word.isascii():
        return word[:_LONGEST]
    with _stemming:  # the stemmer keeps its state in itself
        return _english_stem(word[:_LONGEST])


def _runs(text: str) -> Sequence[tuple[str, str]]:
    return _runs_of_word(text) if len(text) <= _LONGEST else _cut(text)


@lru_cache(maxsize=16_384)
def _runs_of_word(text: str) -> tuple[tuple[str, str], ...]:
    """What `_cut` gives, remembered: a question is looked at word by word, several times over."""
    return tuple(_cut(text))


def _cut(text: str) -> list[tuple[str, str]]:
    # Accents and vowel points go: they are often left out by one of the two who must meet.
    plain = _MARKS.sub("", unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold()))
    return _RUN.findall(_CONTRACTION.sub("", unicodedata.normalize("NFC", plain)))


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)]


def plain_words(text: str) -> list[str]:
    """The words of a text in lower case, without accents, before they are stemmed.

    >>> plain_words("Zoë's dog")
    ['zoe', 'dog']
    """
    return [paired or word for paired, word in _runs(text)]


def terms(text: str) -> list[str]:
    """The terms a text is filed under, in order, repeats kept, stop words left out.

    >>> terms("Caroline's cats aren't sleeping")
    ['carolin', 'cat', 'sleep']
    >>> terms("東京へ")
    ['東京', '京へ', '東', '京', 'へ']
    """
    found: list[str] = []
    for paired, word in _runs(text):
        if paired:
            found += [*_pairs(paired), *paired]
        elif word not in STOP_WORDS:
            found.append(_word(word))
    return found


def asked_terms(question: str) -> list[str]:
    """The terms to look for, each once. A pair tells more than its characters, which count only alone.

    >>> asked_terms("What did the cats do in 東京?")
    ['cat', '東京']
    """
    found: dict[str, None] = {}
    for paired, word in _runs(question):
        if paired:
            found.update(dict.fromkeys(_pairs(paired) or [paired]))
        elif word not in STOP_WORDS:
            found[_word(word)] = None
    return list(found)
