"""Find the phrases of time in a text and tell which days they mean, for remarks and for questions.

It is a small grammar: each word is mapped to a token kind, which is a letter, phrases are regular expressions over
the string of token kinds, and each pass replaces a phrase by a token whose days are known. Later passes build on
those tokens: "the Friday before Christmas" is `_WBx`, then `_WBD`, then `S`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foveal.rules.dates import meanings
from foveal.rules.dates.calendar import LONG_HOLIDAYS, MOST_YEARS, Now, Span, WeightedSpan, days_of, named_dates
from foveal.rules.dates.lexicon import Token, first_of, translate_cjk
from foveal.rules.dates.tokens import resolved, sentences

_Meaning = Callable[[Now, Sequence[Token]], list[WeightedSpan]]

# The weight of the day that something was said on.
OWN_DAY = 0.6


class _Pass(NamedTuple):
    """Phrases that are looked for together: a pattern with a group for each, and what each of them means."""

    pattern: re.Pattern[str]
    meanings: Sequence[_Meaning]


# What stands in a rule for: articles; articles, "in" and "on"; at least one of these; a year, if there is one.
_SHORTHANDS = {
    " ": "",
    "%": "[_f1]{0,3}",
    "&": "[_f1ij]{0,3}",
    "#": "[_f1ij]{1,3}",
    "@": "(?:[c-]?[_f1ij]{0,2}y|[_f1ij]{0,2}(?:[Qq]Y|Yq))?",
}


def _pass(*rules: tuple[str, _Meaning]) -> _Pass:
    """A pass of rules, each a regular expression over token kinds, with shorthands, and what its phrases mean."""
    patterns = ["".join(_SHORTHANDS.get(char, char) for char in rule) for rule, _ in rules]
    return _Pass(re.compile("|".join(f"({pattern})" for pattern in patterns)), [meaning for _, meaning in rules])


# The letters are those of the lexicon. What comes first in a pass wins where several rules match at the same place.
_DATES = _pass(
    # "3 to 5 April", "April 3-5"
    ("(?:r%)?[no]%[ZK-]%[no]% M@ | M%[no][Z-]%[no]@", meanings.day_and_month),
    # "last year on 3 April", "2026 April 3", "the 3rd of April", "first of April", "April 3, 2026", "4/14"
    (
        "[Qq]Y&[no]%M | [Qq]Y&M%[no] | yM[no] | (?:r%)?[no]-?%M@ | O[_f]_?M@ | 0%M@ | N_M@ | r?M_?[no]@ | M_O | d",
        meanings.day_and_month,
    ),
    # "last year in March", "last March", "marzo pasado", "2026 March", "March 2026"
    ("[Qq]Y& M | [Qq]% M | M%q | yM | r?M@", meanings.named_month),
    # "last Christmas", "Christmas 2026"
    ("[Qq]% x | x%q | (?:r%)?x@", meanings.holiday),
    # "last year in summer", "this summer", "verano pasado", "summer of 2026"
    ("[Qq]Y& s | [Qq]% s | s%q | s@", meanings.season),
    # "last month", "año pasado", "2026"
    ("[Qq]% Y(?!f) | Y%q | y", meanings.month_or_year),
    # "yesterday evening", "last night", "noche pasada"
    ("R(?:% H)? | [Qq]% H | H%q", meanings.relative_day),
)
_PART = ("P % C | p f [_1]{0,2} C", meanings.part_of)
_DATE_WITH_WEEKDAY = ("W c?% S | S c?% W", meanings.date_with_weekday)
_BEFORE_OR_AFTER = (
    # "two weeks before Easter", "the Friday after Easter"
    "[Nn1]%[UuYE]%[BAV]%[SCD] | [OQq0]?%[WUYEH]%[BAV]%[SCD]",
    meanings.before_or_after,
)
_BARE = _pass(
    # "Monday the 19th", "the 19th"
    ("W c?% o | (?:[rZ]%)? o(?!%[WUuYEHh])", meanings.day_of_month),
    # "since Monday"
    ("(?<=X) W | (?<=X_) W", meanings.since_weekday),
    # "Monday", "for Monday", "on the weekend"
    ("(?:[rZ]%)? W | [ijr]% E", meanings.weekday_or_weekend),
)
_LATER_PASSES = (
    _pass(
        # "the first Monday in March", "the 3rd of last month", "the first half of April", "early April"
        ("[OoQq0]%[WUYE]# C | o[_f]{1,2}C", meanings.nth_within),
        ("[O0]% h& C", meanings.part_of),
        _PART,
    ),
    # "a Tuesday in April", "Tuesday, 3 April", "the week of 3 April"
    _pass(("[WE]& C", meanings.weekday_within), _DATE_WITH_WEEKDAY, ("U f% S", meanings.week_of)),
    _pass(_BEFORE_OR_AFTER),
    _pass(
        # "the last two weeks", "the two last weeks", "the last days"
        ("[Qq]%[Nn]%[UuY] | [Nn]%[Qq]%[UuY] | [Qq]% u", meanings.several_units),
        # "two weeks ago", "vor zwei Wochen"
        ("[Nn1]%[UuYE]% g | [GV]%[Nn1]%[UuY]", meanings.counted_from_now),
        # "in two weeks", "two weeks from now"
        ("[jJ]%[Nn1]%[UuY](?!%g) | [Nn1]%[UuY]% >", meanings.counted_from_now),
        # "the week before last", but not "the week before last Christmas"
        ("[UYEH]% B% Q(?!%[WUYEHuMsx])", meanings.before_last),
        # "last week", "semana pasada"
        ("[Qq]%[UE](?!f) | [UE]%q", meanings.week_or_weekend),
        # "last Friday", but not "last Friday before the trip"
        ("[Qq]% W(?!%[BAV][^nNtl]) | W%q", meanings.which_weekday),
        # "the end of the month"
        ("p f_ [UY](?!f)", meanings.part_of_current),
    ),
    # Again, now that weeks are known: "the end of last week", "Tuesday last week", "the day after next Friday".
    _pass(_PART),
    _pass(("[WE]& C | C[_ij]{0,2}W", meanings.weekday_within), _DATE_WITH_WEEKDAY),
    _pass(_BEFORE_OR_AFTER),
    _BARE,
    # "between February and April", "from 3 March to Easter"
    _pass(("J%[SCD]%[Kj]%[SCD] | [SCD]%[Z1-]%[SCD]", meanings.between)),
)
# "Since March", "before Easter": a question asks for all the days up to or from there, a remark speaks of March.
_ASKED_BOUNDS = _pass(("[XBAV~]%[SCD]", meanings.bounded))
_TOLD_BOUNDS = _pass(("~%[SCD]", meanings.bounded))
# Without a match of the first no pass finds anything; without one of the second, only the pass of dates does.
_HOPEFUL = re.compile(r"[MWsxRydSCo]|[QqGVjJirp].{0,5}[UuYEH]|[UuYEH].{0,4}[qg>B]")
_UNDONE = re.compile(r"[WUuYEo]|H[_f1]{0,3}B|[HPphJXBAVZ~1-][_f1ij]{0,3}[SCD]")
# "Every Monday", "Monday to Friday": no day in particular.
_RECURRING = re.compile(r"v[_1]{0,2}[MWUYEHsx]|W[_f1]{0,2}[Z-][_f1]{0,2}W")
# "The Friday before the trip", "on a Sunday": not known here.
_UNKNOWN = re.compile(r"1W|W(?=[_f1]{0,2}[BAV](?![nNtl]))")


def _kinds(tokens: Iterable[Token]) -> str:
    return "".join([token.kind for token in tokens])


def _reduced(tokens: list[Token], grammar: _Pass, now: Now) -> list[Token]:
    """The tokens with each phrase that a pass knows, and whose days are known, replaced by one token."""
    reduced: list[Token] = []
    done = 0
    for match in grammar.pattern.finditer(_kinds(tokens)):
        phrase = [token for token in tokens[match.start() : match.end()] if token.kind not in "_fc"]
        if spans := grammar.meanings[(match.lastindex or 0) - 1](now, phrase):
            reduced += (*tokens[done : match.start()], Token(_kind_of(phrase, spans), spans=spans))
            done = match.end()
    return reduced + tokens[done:] if done else tokens


def _kind_of(phrase: Sequence[Token], spans: Iterable[WeightedSpan]) -> str:
    """The kind of a phrase whose days are known: a long holiday, several days or a day."""
    holiday = first_of(phrase, "x")
    if holiday and holiday.value < LONG_HOLIDAYS:
        return "D"
    return "C" if any(span.last > span.first for span in spans) else "S"


def _without(tokens: list[Token], pattern: re.Pattern[str]) -> list[Token]:
    """The tokens with those that a pattern matches made words that mean nothing."""
    for match in pattern.finditer(_kinds(tokens)):
        tokens[match.start() : match.end()] = [Token(".")] * (match.end() - match.start())
    return tokens


_PAST = frozenset(
    """did didn was wasn were weren had hadn been went came got said told saw made took gave found bought thought
    felt left met kept began ate ran lost sent spoke wrote slept paid sold heard brought built fell drove flew spent
    broke caught chose drew drank forgot froze grew held hung knew led lent rode rang rose sang sank sat shook shot
    stole stood stuck struck swam taught threw tore understood woke wore became blew dealt dug fed fought laid meant
    swept swore wept hid bit bred fled slid spun withdrew rebuilt
    war waren hatte hatten wurde wurden ging gingen kam kamen gab sagte fue fueron era estaba hizo hice dijo dije
    était étaient avait avons avez ho abbiamo hanno stato stata foi foram estava fez disse heb heeft hebben kwam
    deed zei werd""".split()
)
_COMING = frozenset(
    """will ll won shall gonna going coming upcoming plan plans planning planned remind reminder scheduled
    tomorrow wird werden werde sera será vamos sarà zal""".split()
)
_PRESENT = frozenset(
    """is are re do does can should must need have ist sind soll sollen muss kommt steht gibt va voy tengo tenemos
    hay está est allons devo vai tem é gaat moet wordt""".split()
)
_PASSIVE = frozenset("is are be being get gets getting".split())
# In a German sentence "was" is "what".
_GERMAN = frozenset(
    "ich wir du ihr ist sind hat haben habe der das beim mit und nicht kam war machen steht wird".split()
)
_BEFORE_IS = frozenset("what when where who how that it there he she which".split())
_PARTICIPLE = re.compile(r"\w{2,}ed|ge\w{2,}(?:t|en)|\w{2,}(?:ó|ieron|ierten?)|\w{3,}(?:aron|ou)")
_NO_PARTICIPLE = frozenset(
    "need speed feed indeed hundred seed weed shed sled gehen geben gegen gentlemen garden".split()
)


def _tense(sentence: Sequence[Token]) -> tuple[bool, bool]:
    """Whether verbs of a sentence are of the past; and whether some are of what comes, or all of what is."""
    words = ["", *(token.word.lower() for token in sentence)]
    pairs = list(pairwise(words))
    verbs = set(words)
    if not _GERMAN.isdisjoint(words):
        verbs.discard("was")
    if any(word == "got" and before in ("s", "ve", "have", "has") for before, word in pairs):
        verbs.discard("got")
    past = not _PAST.isdisjoint(verbs) or any(
        _PARTICIPLE.fullmatch(word) and word not in _NO_PARTICIPLE and before not in _PASSIVE
        for token, (before, word) in zip(sentence, pairs, strict=True)
        if token.kind == "."
    )
    coming = not _COMING.isdisjoint(verbs) or any(before == "due" and word != "to" for before, word in pairs)
    present = not _PRESENT.isdisjoint(verbs) or any(word == "s" and before in _BEFORE_IS for before, word in pairs)
    return past, coming or (present and not past)


def _spoken_of(text: str, now: Now) -> list[WeightedSpan]:
    """The days that a text speaks of, the likelier ones of each phrase first."""
    if not text.isascii():
        text = translate_cjk(unicodedata.normalize("NFC", text))
    spoken: list[WeightedSpan] = []
    for sentence in sentences(text):
        tokens = _without(resolved(sentence), _RECURRING)
        if not _HOPEFUL.search(_kinds(tokens)):
            continue
        past, ahead = _tense(sentence)
        for token in _parsed(tokens, now._replace(past=past, ahead=ahead)):
            around = int(token.kind == "D")
            spoken += [WeightedSpan(first - around, last + around, weight) for first, last, weight in token.spans]
    return spoken


def _parsed(tokens: list[Token], now: Now) -> list[Token]:
    tokens = _reduced(tokens, _DATES, now)
    if _UNDONE.search(_kinds(tokens)):
        for grammar in (*_LATER_PASSES, _ASKED_BOUNDS if now.asked else _TOLD_BOUNDS):
            tokens = _reduced(_without(tokens, _UNKNOWN) if grammar is _BARE else tokens, grammar, now)
    return tokens


def told_spans(text: str, said_on: date) -> NDArray[np.float32]:
    """The days a record may speak of: first, last and weight, beginning with the day it was said.

    A weekday or a date without a year may be the one before or the one to come: the less likely one weighs less.

    >>> told_spans("I saw her yesterday", date(2026, 5, 2))[1:].tolist() == [[739737.0, 739737.0, 1.0]]
    True
    """
    own = said_on.toordinal()
    weights: dict[Span, float] = {}
    for first, last, weight in _spoken_of(text, Now(said_on)):
        weights[first, last] = max(weight, weights.get((first, last), 0.0))
    return np.array([(own, own, OWN_DAY), *((*span, weight) for span, weight in weights.items())], np.float32)


def asked_spans(text: str, years: tuple[int, int] | None, today: date | None = None) -> list[Span]:
    """The days a question asks about, likelier ones first; `years` are those that memory has records of.

    Without `today` only dates that are spelled out count, and a month without a year is that of every year in
    memory.

    >>> spans = asked_spans("Who called last Friday?", None, date(2026, 5, 4))
    >>> [date.fromordinal(first).isoformat() for first, _ in spans]
    ['2026-05-01']
    """
    if today is not None:
        spoken = sorted(_spoken_of(text, Now(today, asked=True, years=years)), key=lambda span: -span.weight)
        return list(dict.fromkeys((first, last) for first, last, _ in spoken))
    known = range(max(years[0], years[1] - MOST_YEARS), years[1] + 1) if years else ()
    return [
        days_of(one, month, day) for year, month, day in named_dates(text) for one in ([year] if year else known)
    ]


def closeness(told: NDArray[np.float32], asked: Iterable[Span]) -> NDArray[np.float64]:
    """How well each of the spans told meets those of a question: 1 for the same days, falling by e a week.

    >>> closeness(np.array([[100, 100, 1.0], [112, 112, 1.0]], np.float32), [(95, 105)]).round(3).tolist()
    [1.0, 0.184]
    """
    first, last, weight = (told[:, column].astype(np.float64) for column in range(3))
    best = np.zeros(len(told), np.float64)
    for start, end in asked:
        common = np.minimum(last, end) - np.maximum(first, start)
        # Where they do not meet, `common` is how far they lie apart, below nought.
        met = np.sqrt(np.maximum(common + 1, 0) / (last - first + 1))
        missed = 0.5 * np.exp(np.minimum(common, 0) / 7)
        np.maximum(best, np.where(common >= 0, met, missed), out=best)
    return best * weight
