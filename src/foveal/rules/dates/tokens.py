"""Split a text into sentences of tokens, and decide by their neighbours which ambiguous words speak of time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from foveal.rules.dates.calendar import MONTHS
from foveal.rules.dates.lexicon import PHRASES, TIME_WORDS, Token, token_of
from foveal.rules.words import STOP_WORDS

_TOKEN = re.compile(
    # A hyphen within a word joins parts that are looked at one by one: "mid-April", "segunda-feira".
    r"[^\W\d_]\w*"
    r"|\d{4}-\d\d(?:-\d\d)?(?!-?\d)"
    r"|\d{1,2}(?:/\d{1,2}/|\.\d{1,2}\.)(?:\d{4}|\d\d)(?!\.?\d)"
    r"|\d{1,2}/\d{1,2}(?![\d/])"
    r"|\d{1,2}\.\d{1,2}\.(?!\d)"
    r"|\d{1,2}\.(?=\s(?:Jan|Jän|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez))"
    r"|[$€£¥]\s?\d[\d.,]*|\d+(?:[.,:](?!(?:19|20)\d\d\b)\d+)+|\d+[^\W\d_]*"
    r"|(?<![^\W\d_])-|[–—,:()]|[.!?;\n。！？…]"
)
_SENTENCE_ENDS = frozenset(".!?;\n。！？…")
_WORD = re.compile(r"\w+")
# Digits that may be a date: "3rd", "4/7", "3.4.", "2026-", "2026", "am 3".
_DATE_IN_DIGITS = re.compile(
    r"\d(?:(?:st|nd|rd|th|ST|ND|RD|TH)\b|/\d|\.\d{1,2}\.|\d{3}-|(?<=[12])(?<!\d\d)[09]\d\d(?!\d)"
    r"|(?<=\b(?:am|el|le|il|en|de) .))"
)
_TELLING = frozenset(
    (
        *("yesterday", "today", "tomorrow", "tonight", "ago", "last", "next", "since", "recently", "days"),
        *("week", "weeks", "weekend", "month", "months", "year", "years", "summer", "spring", "autumn", "winter"),
        *("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", *MONTHS),
    )
)


def tells_time(text: str) -> bool:
    """Whether a text says when something was.

    >>> tells_time("We met last summer"), tells_time("We met")
    (True, False)
    """
    return not _TELLING.isdisjoint(_WORD.findall(text.casefold()))


def sentences(text: str) -> Iterator[list[Token]]:
    """The tokens of each sentence that may speak of time.

    >>> [[token.kind for token in sentence] for sentence in sentences("Hi! We met last Monday.")]
    [['.', '.', 'Q', 'W']]
    """
    if TIME_WORDS.isdisjoint(_WORD.findall(text.lower())) and not _DATE_IN_DIGITS.search(text):
        return
    written: list[str] = [*_TOKEN.findall(text), "\n"]
    start = 0
    for at, ending in enumerate(written):
        if ending not in _SENTENCE_ENDS or (ending == "." and at and _abbreviates(written[at - 1])):
            continue
        sentence = written[start:at]
        start = at + 1
        if _may_speak_of_time(sentence):
            yield [token_of(word) for word in sentence if word != "."]


def _may_speak_of_time(sentence: list[str]) -> bool:
    """Whether there is a word of time, a number that may be a date, or any number beside words such as "am"."""
    if not TIME_WORDS.isdisjoint(map(str.lower, sentence)):
        return True
    kinds = {token_of(word).kind for word in sentence if word[0].isdecimal()}
    return not kinds.isdisjoint("oydSC") or ("n" in kinds and not _BEFORE_DAY.isdisjoint(map(str.lower, sentence)))


def _abbreviates(word: str) -> bool:
    """Whether a dot behind a word belongs to it, as in "Sept." and "Mon."."""
    return token_of(word).kind in "mw" and word.istitle()


def resolved(sentence: list[Token]) -> list[Token]:
    """The tokens with phrases made one, ambiguous words decided, and other words in a row made one."""
    tokens = _joined(sentence)
    kept: list[Token] = []
    for at, token in enumerate(tokens):
        decide = _DECISIONS.get(token.kind)
        kind = decide(_Place(tokens, at)) if decide else token.kind
        if kind != "." or not kept or kept[-1].kind != ".":
            kept.append(token if kind == token.kind else token._replace(kind=kind))
    return kept


def _joined(tokens: list[Token]) -> list[Token]:
    words = [token.word.lower() for token in tokens]
    if PHRASES.keys().isdisjoint(words):
        return tokens
    joined: list[Token] = []
    at = 0
    while at < len(tokens):
        for phrase, token in PHRASES.get(words[at], ()):
            if words[at : at + len(phrase)] == phrase:
                joined.append(token._replace(word=tokens[at].word))
                at += len(phrase)
                break
        else:
            joined.append(tokens[at])
            at += 1
    return joined


_OUTSIDE = Token("c")
_MONTHS_AND_NAMES = frozenset("april may june august".split())
_BEFORE_NAME = frozenset("do does did has with told asked says said is".split())
_AFTER_MODAL = frozenset(
    "i we you he she it they the this that my your our his her their there anyone be have not also".split()
)
_AFTER_MARCH = frozenset("on to into up off down back over forth straight".split())
_BEFORE_MONTH = frozenset(
    """in of since until till before after early mid late between from im seit bis nach vor anfang mitte ende
    letzten nächsten zwischen en de desde hasta entre d du depuis avant après début mi fin em tra fra van sinds tot
    begin eind half tussen""".split()
)
_BEFORE_WEEKDAY = frozenset("on last next this by until till since before after from".split())
_BEFORE_DAY = frozenset("am vom zum ab den dem el le il dia día".split())
_ENGLISH_HOLIDAYS = frozenset(
    "christmas xmas easter halloween thanksgiving valentine valentines new boxing memorial".split()
)
_FRENCH = frozenset(
    "je j nous vous tu elle ai avons avez ont qu que qui quoi est était soir avec les une c ce".split()
)


class _Place(NamedTuple):
    """A token among its neighbours."""

    tokens: list[Token]
    at: int

    @property
    def word(self) -> str:
        return self.tokens[self.at].word

    def neighbour(self, by: int) -> Token:
        at = self.at + by
        return self.tokens[at] if 0 <= at < len(self.tokens) else _OUTSIDE

    def near(self, by: int) -> str:
        """The word of a neighbour, in lower case."""
        return self.neighbour(by).word.lower()

    def before(self) -> Token:
        """The token before, articles and "of" left out."""
        return self.neighbour(-2) if self.neighbour(-1).kind in "_f" else self.neighbour(-1)

    def expects_month(self) -> bool:
        """Whether a month may be expected here: "in", "March and"."""
        listed = self.neighbour(-1).kind in "KZ" and self.neighbour(-2).kind in "Mm"
        return listed or self.near(-1) in _BEFORE_MONTH

    def describes(self) -> bool:
        """Whether a noun follows, as in "the Christmas party"."""
        after = self.neighbour(1)
        return after.kind == "." and after.word.islower() and after.word not in STOP_WORDS


def _month(place: _Place) -> str:
    """A month, or a name or a verb that is written alike."""
    word, after = place.word, place.neighbour(1)
    may_be_verb = word in ("may", "march")
    if after.kind in "noy" or place.before().kind in "noO0":
        modal = after.kind in ".pPlUuYMNRW" or place.near(1) in _AFTER_MODAL
        return "." if may_be_verb and modal else "M"
    if may_be_verb:
        return "M" if place.expects_month() else "."
    asking = place.near(1) in _AFTER_MODAL and place.neighbour(2).kind not in "Oo"
    if word == "May" and asking and place.neighbour(-1).kind not in "ijf":
        return "."
    if word == "March" and not place.at and place.near(1) in _AFTER_MARCH and place.neighbour(2).kind not in "Mm":
        return "."
    if word[0].islower() or word.lower() not in _MONTHS_AND_NAMES:
        return "M"
    surname = place.at > 1 and place.neighbour(-1).kind == "." and place.neighbour(-1).word[0].isupper()
    return "." if surname or place.near(-1) in _BEFORE_NAME else "M"


def _short_month(place: _Place) -> str:
    """A short or doubtful name of a month, which needs a number or a word such as "in" beside it."""
    # "Mars" is a planet, "Mayo" a sauce, "Mei" a name; and "mar" in lower case is a sea.
    doubtful = place.word in ("Mars", "Mayo", "Mei") or (place.word.islower() and len(place.word) == 3)
    if doubtful and place.word not in ("mai", "mei"):
        return "."
    numbered = place.neighbour(1).kind in "noy" or place.before().kind in "no0N"
    return "M" if numbered or place.expects_month() else "."


def _weekday(place: _Place) -> str:
    """A weekday, unless it only says which meeting: "the Friday meeting" may be that of any week."""
    before = place.near(-1)
    described = before in ("the", "my", "our", "your") and place.describes()
    return "." if described or before in ("los", "les") else "W"


def _short_weekday(place: _Place) -> str:
    return "W" if place.near(-1) in _BEFORE_WEEKDAY or place.neighbour(1).kind in "notMm" else "."


def _season(place: _Place) -> str:
    before, after = place.before(), place.neighbour(1)
    # Summer in Italian.
    if place.word == "estate" and place.near(-1) not in ("l", "quest", "d", "dell", "nell"):
        return "."
    named = after.kind == "." and after.word[0].isupper() and place.word[0].isupper()
    cued = (before.kind in "ijXBAVPpQqZJfrO0Y" and before.word) or after.kind in "yqQf"
    return "s" if cued and not named else "."


def _ordinal(place: _Place) -> str:
    """A day of the month, as in "on the 19th", not "the 19th floor"."""
    after, before = place.neighbour(1), place.neighbour(-1)
    if place.near(1) in ("one", "ones"):
        return "t"
    if after.kind in "WUuYEHhMmfOo0_1Z-" or before.kind in "Mm":
        return "o"
    article = before.kind == "_"
    cue = place.neighbour(-2) if article else before
    cued = cue.word and (cue.kind in "irXBAVZ~JKW" or cue.word.lower() in ("is", "was", "are", "be", "s", "from"))
    is_day = (cued or (article and not cue.word)) and after.kind != "N" and not place.describes()
    return "o" if is_day else "t"


def _number_or_day(place: _Place) -> str:
    """A bare number, which is a day in languages that say "am 19." or "el 19"."""
    cued = place.near(-1) in _BEFORE_DAY and place.tokens[place.at].value <= 31
    return "o" if cued and place.neighbour(1).kind in "c.Kijr" and not place.describes() else "n"


def _date_or_score(place: _Place) -> str:
    cued = place.neighbour(-1).word and place.neighbour(-1).kind in "irXBAVZWw~"
    return "d" if cued or place.near(-1) in ("the", "from", *_BEFORE_DAY) else "t"


def _holiday(place: _Place) -> str:
    """A holiday, unless it only says which party or present: "the Christmas party" is not on Christmas."""
    owned = place.near(-1) in ("of", "de", "di", "da", "del", "do", "van") and place.neighbour(-2).kind == "."
    noun = place.word.lower() in _ENGLISH_HOLIDAYS and place.describes()
    return "." if owned or noun or place.word in ("natal", "natale") else "x"


def _relative_day(place: _Place) -> str:
    """A day such as yesterday, or a morning that is written like tomorrow."""
    word = place.word.lower()
    if (word == "mañana" and place.near(-1) in ("la", "esta", "cada", "una")) or (
        place.word == "Morgen" and place.at
    ):
        return "H"
    # "Hier" is yesterday in French and "here" in German.
    return "R" if word != "hier" or any(token.word.lower() in _FRENCH for token in place.tokens) else "."


def _number_word(place: _Place) -> str:
    """A number, or the English "due", which is two in Italian."""
    return "r" if place.word.lower() == "due" and place.neighbour(1).kind not in "Uu" else "N"


def _year(place: _Place) -> str:
    """A year, not a number of something: "2000 euros"."""
    before, after = place.neighbour(-1), place.neighbour(1)
    if after.kind == "-" and place.neighbour(2).kind in "nt":
        return "t"
    counted = after.kind == "." and after.word.lower() not in STOP_WORDS
    return "y" if (before.word and before.kind in "ijXBAVZJfr~MmsxPKc") or not counted else "t"


# By the kind of a token: what gives its kind at a place.
_DECISIONS: dict[str, Callable[[_Place], str]] = {
    **{"M": _month, "m": _short_month, "W": _weekday, "w": _short_weekday, "s": _season, "x": _holiday},
    **{"o": _ordinal, "n": _number_or_day, "N": _number_word, "d": _date_or_score, "y": _year, "R": _relative_day},
}
