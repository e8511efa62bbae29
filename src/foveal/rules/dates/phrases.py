"""Phrases about days, as patterns of tokens, and the days that each means."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foveal.rules.dates.calendar import (
    LONG_HOLIDAYS,
    MOST_YEARS,
    OTHER,
    YEAR,
    Now,
    Span,
    WeightedSpan,
    days_of,
    either,
    holiday_days,
    month_days,
    named_dates,
    nearest_years,
    nth_weekday,
    week_days,
    weekday_of,
    weekdays_in,
    which_weekend,
)
from foveal.rules.dates.tokens import Token, first_of, resolved, sentences, translate_cjk, value_of

# Kinds of tokens that are looked up together: "last", "two", "weeks" and ordinals.
WHICH, NUMBER, UNIT, ORDINAL = "Qq", "Nn1", "UuY", "OoQq0"
# The value of "past", as in "the past month": the days up to now.
UP_TO_NOW = -9
WEEK, FORTNIGHT, MONTH = 7, 14, 30

Spans = list[WeightedSpan]


def _towards(now: Now, tokens: Sequence[Token]) -> Now:
    """What is meant after "for" or "until": in "booked for Friday" the verb is past, the day is not."""
    if tokens[0].kind not in "rZ":
        return now
    return now._replace(ahead=True) if now.ahead or not now.asked else now._replace(past=False)


def _yearly(now: Now, tokens: Sequence[Token], in_year: Callable[[int], Span]) -> Spans:
    """A yearly event, in the year that is given, or else in the likeliest ones."""
    year, which = value_of(tokens, "y"), first_of(tokens, WHICH)
    if which and first_of(tokens, "Y"):
        year = now.today.year + max(which.value, -2)
    if year:
        return [WeightedSpan(*in_year(year))]
    return nearest_years(_towards(now, tokens), in_year, which.value if which else None)


def day_and_month(now: Now, tokens: Sequence[Token]) -> Spans:
    """A day of a month, or from one day to another."""
    month, day = divmod(value_of(tokens, "d"), 100)
    month = month or value_of(tokens, "M")
    days = [token.value for token in tokens if token.kind in "noO0N"] or [day]
    first, last = days[0], days[-1]
    if first > last:
        return []
    return _yearly(now, tokens, lambda year: (days_of(year, month, first)[0], days_of(year, month, last)[1]))


def named_month(now: Now, tokens: Sequence[Token]) -> Spans:
    """A month by its name."""
    return _yearly(now, tokens, lambda year: month_days(year, value_of(tokens, "M")))


def holiday(now: Now, tokens: Sequence[Token]) -> Spans:
    """A holiday by its name."""
    return _yearly(now, tokens, lambda year: holiday_days(year, value_of(tokens, "x")))


def season(now: Now, tokens: Sequence[Token]) -> Spans:
    """A season: three months, spring beginning with March."""
    first_month = 3 * value_of(tokens, "s") + 3
    return _yearly(
        now, tokens, lambda year: (month_days(year, first_month)[0], month_days(year, first_month + 2)[1])
    )


def month_or_year(now: Now, tokens: Sequence[Token]) -> Spans:
    """A year in digits, or the last, this or next month or year."""
    year, which, days = value_of(tokens, "y"), value_of(tokens, WHICH), value_of(tokens, "Y")
    if which == UP_TO_NOW:
        return [WeightedSpan(now.ordinal - days, now.ordinal)]
    if days == MONTH:
        return [WeightedSpan(*month_days(now.today.year, now.today.month + which))]
    year = year or now.today.year + which
    return [WeightedSpan(*days_of(year, None, None), YEAR)] if days or 1950 <= year < 2050 else []


def relative_day(now: Now, tokens: Sequence[Token]) -> Spans:
    """Yesterday, this morning, last night."""
    which = value_of(tokens, WHICH)
    day = now.ordinal + value_of(tokens, "R", which)
    known = first_of(tokens, "R") or which == 0 or (which == -1 and value_of(tokens, "H") == -1)
    return [WeightedSpan(day, day)] if known else []


def week_or_weekend(now: Now, tokens: Sequence[Token]) -> Spans:
    """The last, this or next week or weekend."""
    which, days = value_of(tokens, WHICH), value_of(tokens, "U")
    if first_of(tokens, "E"):
        return which_weekend(now, -1 if which == UP_TO_NOW else which)
    if days == WEEK and which != UP_TO_NOW:
        return [WeightedSpan(*week_days(now, which))]
    return [WeightedSpan(now.ordinal - days, now.ordinal)] if which < 0 and days > 1 else []


def several_units(now: Now, tokens: Sequence[Token]) -> Spans:
    """The last few days, the next two weeks."""
    days, which = value_of(tokens, UNIT) * value_of(tokens, "Nn", 3), value_of(tokens, WHICH)
    if which < 0:
        return [WeightedSpan(now.ordinal - days, now.ordinal)]
    return [WeightedSpan(now.ordinal, now.ordinal + days)] if which > 0 else []


def counted_from_now(now: Now, tokens: Sequence[Token]) -> Spans:
    """So many days, weeks, months or years ago or from now, give or take half of one."""
    ago = first_of(tokens, "gGV")
    # "We did it in two weeks" says how long, not when.
    if not ago and now.past and not now.ahead:
        return []
    number, unit = value_of(tokens, NUMBER, 1) * (-1 if ago else 1), value_of(tokens, UNIT)
    if first_of(tokens, "E"):
        return which_weekend(now, number)
    centre, slack = now.ordinal + number * unit, 3 if unit == FORTNIGHT else unit // 2
    return [WeightedSpan(centre - slack, centre + slack)]


def before_last(now: Now, tokens: Sequence[Token]) -> Spans:
    """The week, month, weekend or night before last."""
    if value_of(tokens, "Q") != -1:
        return []
    if tokens[0].kind == "H":
        return [WeightedSpan(now.ordinal - 2, now.ordinal - 2)]
    return _which_unit(now, -2, tokens[0])


def part_of_current(now: Now, tokens: Sequence[Token]) -> Spans:
    """A part of the week, month or year there is now."""
    spans = _which_unit(now, 0, tokens[-1])
    return part_of(now, [tokens[0], Token("C", spans=spans)]) if spans else []


def _which_unit(now: Now, which: int, unit: Token) -> Spans:
    tokens = [Token("Q", which), unit]
    return month_or_year(now, tokens) if unit.kind == "Y" else week_or_weekend(now, tokens)


def which_weekday(now: Now, tokens: Sequence[Token]) -> Spans:
    """The last, this or next Friday."""
    this = week_days(now, 0)[0] + value_of(tokens, "W")
    # On a Friday "last Tuesday" may be that of this week or of the one before, and so may be the next on a Monday.
    days = {
        -2: [this - 14],
        -1: [this, this - 7] if this < now.ordinal else [this - 7],
        0: [this, this + 7] if this < now.ordinal else [this],
        1: [this, this + 7] if this > now.ordinal else [this + 7],
        2: [this + 14],
    }[max(value_of(tokens, WHICH), -2)]
    return [WeightedSpan(day, day, OTHER if number else 1.0) for number, day in enumerate(days)]


def weekday_or_weekend(now: Now, tokens: Sequence[Token]) -> Spans:
    """The weekday or weekend before, and the one to come."""
    weekday, weights = now.today.weekday(), _towards(now, tokens).weights
    if first_of(tokens, "E"):
        saturdays = week_days(now, -1 if weekday < 5 else 0)[0] + 5, week_days(now, 0)[0] + 5
        return either(saturdays, weights, length=2)
    days_before, days_ahead = (weekday - value_of(tokens, "W")) % 7 or 7, (value_of(tokens, "W") - weekday) % 7 or 7
    return either((now.ordinal - days_before, now.ordinal + days_ahead), weights)


def since_weekday(now: Now, tokens: Sequence[Token]) -> Spans:
    """The weekday before."""
    return weekday_or_weekend(now._replace(past=True, ahead=False), tokens)[:1]


def day_of_month(now: Now, tokens: Sequence[Token]) -> Spans:
    """The nearest days with this number, before and to come."""
    number, weekday = value_of(tokens, "o"), first_of(tokens, "W")
    months = [month_days(now.today.year, now.today.month + by) for by in (-2, -1, 0, 1, 2)]
    days = [first + number - 1 for first, last in months if 1 <= number <= last - first + 1]
    if weekday:
        days = [day for day in days if weekday_of(day) == weekday.value] or days
    if now.ordinal in days:
        return [WeightedSpan(now.ordinal, now.ordinal)]
    before, ahead = [day for day in days if day < now.ordinal], [day for day in days if day > now.ordinal]
    if before and ahead:
        weights = (1.0, OTHER) if now.asked else _towards(now, tokens).weights
        return either((before[-1], ahead[0]), weights)
    return [WeightedSpan(day, day) for day in (*before[-1:], *ahead[:1])]


def _each(tokens: Sequence[Token], change: Callable[[Span], Iterable[Span]]) -> Spans:
    """The days of the last or the first token, changed by the rest of the phrase."""
    spans = tokens[-1].spans or tokens[0].spans
    return [WeightedSpan(*new, span.weight) for span in spans for new in change((span.first, span.last))]


def part_of(_: Now, tokens: Sequence[Token]) -> Spans:
    """The beginning, the middle or the end: a third each. The first or the second half."""
    part, half = value_of(tokens, "Pp"), value_of(tokens, "O0")

    def cut(span: Span) -> list[Span]:
        first, last = span
        length = last - first + 1
        third, middle = max(1, length // 3), first + length // 2
        if half:
            return [(middle, last) if half > 1 else (first, middle - 1)]
        if length == WEEK:
            # The end of a week begins with its last days of work.
            return [((first, first + 1), (first + 1, first + 3), (first + 3, last))[part]]
        return [((first, first + third - 1), (first + third, last - third), (last - third + 1, last))[part]]

    return _each(tokens, cut)


def nth_within(_: Now, tokens: Sequence[Token]) -> Spans:
    """The first week, the second Monday, the last day of a month or a year."""
    number, days, weekday = value_of(tokens, ORDINAL), value_of(tokens, "UY", 1), first_of(tokens, "WE")

    def cut(span: Span) -> list[Span]:
        if number < -1 or number == 0:
            return []
        if weekday:
            return [(day, day + (weekday.kind == "E")) for day, _ in nth_weekday(span, number, weekday.value)]
        first = span[1] - days + 1 if number < 0 else span[0] + days * (number - 1)
        return [(first, min(first + days - 1, span[1]))] if span[0] <= first <= span[1] else []

    return _each(tokens, cut)


def weekday_within(_: Now, tokens: Sequence[Token]) -> Spans:
    """A weekday or weekend in a week or a month: each, if there are several."""
    longest = 6 if tokens[0].spans else 31
    if any(span.last - span.first > longest for token in tokens for span in token.spans):
        return []
    extra = first_of(tokens, "E") is not None
    return _each(tokens, lambda span: [(day, day + extra) for day in weekdays_in(span, value_of(tokens, "WE"))])


def date_with_weekday(_: Now, tokens: Sequence[Token]) -> Spans:
    """A date with its weekday: of several, those on that weekday."""
    spans = list(tokens[0].spans or tokens[-1].spans)
    return [span for span in spans if weekday_of(span.first) == value_of(tokens, "W")] or spans


def week_of(_: Now, tokens: Sequence[Token]) -> Spans:
    """The week that a day is in."""
    if tokens[0].value != WEEK:
        return []
    return _each(tokens, lambda span: [(span[0] - weekday_of(span[0]), span[0] - weekday_of(span[0]) + 6)])


def before_or_after(_: Now, tokens: Sequence[Token]) -> Spans:
    """Days before or after others: "the Friday before Christmas", "two weeks after Easter"."""
    sign = 1 if first_of(tokens, "A") else -1
    number, weekday, days = first_of(tokens, NUMBER), first_of(tokens, "WE"), value_of(tokens, UNIT, 1)

    def move(span: Span) -> list[Span]:
        edge = span[1] if sign > 0 else span[0]
        if weekday:
            extra = int(weekday.kind == "E")
            near = (edge + 1, edge + 7) if sign > 0 else (edge - 7 - extra, edge - 1 - extra)
            return [(day, day + extra) for day in weekdays_in(near, weekday.value)]
        if number:
            centre, slack = edge + sign * number.value * days, min(days, WEEK) // 2
            return [(centre - slack, centre + slack)]
        return [(edge + 1, edge + days) if sign > 0 else (edge - days, edge - 1)]

    return _each(tokens, move)


def between(_: Now, tokens: Sequence[Token]) -> Spans:
    """From one span to the other, by the pair that is nearest together."""
    starts, ends = (token.spans for token in tokens if token.spans)
    spans = [
        WeightedSpan(start.first, end.last, min(start.weight, end.weight))
        for start in starts
        for end in ends
        if start.first <= end.last
    ]
    return [min(spans, key=lambda span: (span.last - span.first, -span.weight))] if spans else []


def bounded(now: Now, tokens: Sequence[Token]) -> Spans:
    """Since, before, after or about other days."""
    kind = tokens[0].kind

    def bound(span: Span) -> list[Span]:
        first, last = span
        if kind == "~":
            return [(first - 3, last + 3)]
        if kind == "X":
            return [(first, max(last, now.ordinal))]
        if kind == "A":
            return [(last + 1, now.ordinal if last < now.ordinal else last + 31)]
        if first > now.ordinal:
            return [(now.ordinal, last)]
        oldest = days_of(now.years[0], None, None)[0] if now.years else first - 365
        return [(min(first - 1, oldest), first - 1)]

    return _each(tokens, bound)


_Meaning = Callable[[Now, Sequence[Token]], list[WeightedSpan]]

# The weight of the day that something was said on.
OWN_DAY = 0.6


class _Pass(NamedTuple):
    """Phrases that are searched together: a pattern with a group for each, and the meaning of each."""

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
    ("(?:r%)?[no]%[ZK-]%[no]% M@ | M%[no][Z-]%[no]@", day_and_month),
    # "last year on 3 April", "2026 April 3", "the 3rd of April", "first of April", "April 3, 2026", "4/14"
    (
        "[Qq]Y&[no]%M | [Qq]Y&M%[no] | yM[no] | (?:r%)?[no]-?%M@ | O[_f]_?M@ | 0%M@ | N_M@ | r?M_?[no]@ | M_O | d",
        day_and_month,
    ),
    # "last year in March", "last March", "marzo pasado", "2026 March", "March 2026"
    ("[Qq]Y& M | [Qq]% M | M%q | yM | r?M@", named_month),
    # "last Christmas", "Christmas 2026"
    ("[Qq]% x | x%q | (?:r%)?x@", holiday),
    # "last year in summer", "this summer", "verano pasado", "summer of 2026"
    ("[Qq]Y& s | [Qq]% s | s%q | s@", season),
    # "last month", "año pasado", "2026"
    ("[Qq]% Y(?!f) | Y%q | y", month_or_year),
    # "yesterday evening", "last night", "noche pasada"
    ("R(?:% H)? | [Qq]% H | H%q", relative_day),
)
_PART = ("P % C | p f [_1]{0,2} C", part_of)
_DATE_WITH_WEEKDAY = ("W c?% S | S c?% W", date_with_weekday)
_BEFORE_OR_AFTER = (
    # "two weeks before Easter", "the Friday after Easter"
    "[Nn1]%[UuYE]%[BAV]%[SCD] | [OQq0]?%[WUYEH]%[BAV]%[SCD]",
    before_or_after,
)
_BARE = _pass(
    # "Monday the 19th", "the 19th"
    ("W c?% o | (?:[rZ]%)? o(?!%[WUuYEHh])", day_of_month),
    # "since Monday"
    ("(?<=X) W | (?<=X_) W", since_weekday),
    # "Monday", "for Monday", "on the weekend"
    ("(?:[rZ]%)? W | [ijr]% E", weekday_or_weekend),
)
_LATER_PASSES = (
    _pass(
        # "the first Monday in March", "the 3rd of last month", "the first half of April", "early April"
        ("[OoQq0]%[WUYE]# C | o[_f]{1,2}C", nth_within),
        ("[O0]% h& C", part_of),
        _PART,
    ),
    # "a Tuesday in April", "Tuesday, 3 April", "the week of 3 April"
    _pass(("[WE]& C", weekday_within), _DATE_WITH_WEEKDAY, ("U f% S", week_of)),
    _pass(_BEFORE_OR_AFTER),
    _pass(
        # "the last two weeks", "the two last weeks", "the last days"
        ("[Qq]%[Nn]%[UuY] | [Nn]%[Qq]%[UuY] | [Qq]% u", several_units),
        # "two weeks ago", "vor zwei Wochen"
        ("[Nn1]%[UuYE]% g | [GV]%[Nn1]%[UuY]", counted_from_now),
        # "in two weeks", "two weeks from now"
        ("[jJ]%[Nn1]%[UuY](?!%g) | [Nn1]%[UuY]% >", counted_from_now),
        # "the week before last", but not "the week before last Christmas"
        ("[UYEH]% B% Q(?!%[WUYEHuMsx])", before_last),
        # "last week", "semana pasada"
        ("[Qq]%[UE](?!f) | [UE]%q", week_or_weekend),
        # "last Friday", but not "last Friday before the trip"
        ("[Qq]% W(?!%[BAV][^nNtl]) | W%q", which_weekday),
        # "the end of the month"
        ("p f_ [UY](?!f)", part_of_current),
    ),
    # Again, now that weeks are known: "the end of last week", "Tuesday last week", "the day after next Friday".
    _pass(_PART),
    _pass(("[WE]& C | C[_ij]{0,2}W", weekday_within), _DATE_WITH_WEEKDAY),
    _pass(_BEFORE_OR_AFTER),
    _BARE,
    # "between February and April", "from 3 March to Easter"
    _pass(("J%[SCD]%[Kj]%[SCD] | [SCD]%[Z1-]%[SCD]", between)),
)
# "Since March", "before Easter": a question asks for all the days up to or from there, a remark speaks of March.
_ASKED_BOUNDS = _pass(("[XBAV~]%[SCD]", bounded))
_TOLD_BOUNDS = _pass(("~%[SCD]", bounded))
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
    """The tokens, with those that a pattern matches replaced by meaningless words."""
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
    """The days that a text refers to, the likelier ones of each phrase first."""
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
    """The days a record may refer to, as first, last and weight, beginning with the day it was said.

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
        days_of(candidate, month, day)
        for year, month, day in named_dates(text)
        for candidate in ([year] if year else known)
    ]


def closeness(told: NDArray[np.float32], asked: Iterable[Span]) -> NDArray[np.float64]:
    """How well each span of a record matches those of a question: 1 for the same days, falling by e per week.

    >>> closeness(np.array([[100, 100, 1.0], [112, 112, 1.0]], np.float32), [(95, 105)]).round(3).tolist()
    [1.0, 0.184]
    """
    first, last, weight = (told[:, column].astype(np.float64) for column in range(3))
    best = np.zeros(len(told), np.float64)
    for start, end in asked:
        common = np.minimum(last, end) - np.maximum(first, start)
        # Where they do not overlap, `common` is their distance as a negative number.
        met = np.sqrt(np.maximum(common + 1, 0) / (last - first + 1))
        missed = 0.5 * np.exp(np.minimum(common, 0) / 7)
        np.maximum(best, np.where(common >= 0, met, missed), out=best)
    return best * weight
