"""The days that a text speaks of."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable
from datetime import date

import numpy as np
from numpy.typing import NDArray

MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_MONTH_NAMES = tuple(month.capitalize() for month in MONTHS)
_WEEKDAY = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_COUNTS = {"a": 1, "few": 3, "couple": 2, **{word: number for number, word in enumerate(_NUMBERS, 1)}}
_UNITS = {"day": 1, "week": 7, "month": 30, "year": 365}

_ORDINAL = r"(?:st|nd|rd|th)?"
_NAMED = re.compile(
    rf"(?:\b(?P<before>\d{{1,2}}){_ORDINAL}(?: of)? )?"
    rf"\b(?P<month>{'|'.join(_MONTH_NAMES)})\b"
    rf"(?: (?P<after>\d{{1,2}}){_ORDINAL}\b(?!:))?(?:,? (?:of )?(?P<year>(?:19|20)\d\d))?"
)
_ISO = re.compile(r"\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?\b")
_YEAR = re.compile(r"\b(?:19[5-9]|20[0-4])\d\b")
_AGO = re.compile(rf"\b(\d{{1,3}}|{'|'.join(_COUNTS)})(?: of)? (day|week|month|year)s? ago\b", re.I)
# Phrases, and the days they mean counted from the day they were said.
_RELATIVE = (
    ("yesterday|last night", -1, -1),
    ("today|tonight|this (?:morning|afternoon|evening)", 0, 0),
    ("tomorrow", 1, 1),
    ("last week", -13, -4),
    ("(?:last|past) weekend", -8, -1),
    ("this week", -6, 6),
    ("next week", 1, 13),
    ("(?:this|next) weekend", 0, 9),
    (f"last (?:{_WEEKDAY})", -10, -1),
    (f"next (?:{_WEEKDAY})", 1, 10),
)
_PHRASE = re.compile(rf"\b(?:{'|'.join(f'({phrases})' for phrases, _, _ in _RELATIVE)})\b")
_RELATIVE_WORDS = ("yesterday", "tomorrow", "tonight", "today", "last ", "past ", "this ", "next ")
_MONTH_PHRASES = (("last month", -1), ("this month", 0), ("next month", 1))
_WORD = re.compile(r"\w+")
_TELLING = frozenset(
    (
        *("yesterday", "today", "tomorrow", "tonight", "ago", "last", "next", "since", "recently", "days"),
        *("week", "weeks", "weekend", "month", "months", "year", "years", "summer", "spring", "autumn", "winter"),
        *(*_WEEKDAY.split("|"), *MONTHS),
    )
)
OWN_DAY = 0.6
# A month without a year is looked for in this many years before the newest.
MOST_YEARS = 50

Span = tuple[int, int]


def tells_time(text: str) -> bool:
    """Whether a text says when something was.

    >>> tells_time("We met last summer"), tells_time("We met")
    (True, False)
    """
    return not _TELLING.isdisjoint(_WORD.findall(text.casefold()))


def named_dates(text: str) -> list[tuple[int | None, int | None, int | None]]:
    """Every date a text spells out, as year, month and day, None where it does not say.

    >>> named_dates("on 7 May 2023, and again in June")
    [(2023, 5, 7), (None, 6, None)]
    """
    found: list[tuple[int | None, int | None, int | None]] = []
    # Patterns are tried at every letter, which takes long: most texts have no such word at all.
    for match in _NAMED.finditer(text) if any(map(text.__contains__, _MONTH_NAMES)) else ():
        day, year = match["before"] or match["after"], match["year"]
        month = MONTHS.index(match["month"].lower()) + 1
        found.append((int(year) if year else None, month, int(day) if day else None))
    for year, month, day in _ISO.findall(text):
        if 1 <= int(month) <= 12:
            found.append((int(year), int(month), int(day) if day else None))
    return found or [(int(year), None, None) for year in _YEAR.findall(text)]


def days_of(year: int, month: int | None, day: int | None) -> Span:
    """The first and last day of a date, as ordinals; a day that does not exist means its month.

    >>> days_of(2024, 2, 29) == (date(2024, 2, 29).toordinal(),) * 2
    True
    """
    year = min(max(year, date.min.year), date.max.year)
    if month is None:
        return date(year, 1, 1).toordinal(), date(year, 12, 31).toordinal()
    first, last = _month(year, month)
    if day is None or not 1 <= day <= last - first + 1:
        return first, last
    return first + day - 1, first + day - 1


def _month(year: int, month: int) -> Span:
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    year = min(max(year, date.min.year), date.max.year)
    return date(year, month, 1).toordinal(), date(year, month, monthrange(year, month)[1]).toordinal()


def told_spans(text: str, said_on: date) -> NDArray[np.float32]:
    """The days a record may speak of: first, last and weight, beginning with the day it was said.

    >>> told_spans("I saw her yesterday", date(2026, 5, 2))[1:].tolist() == [[739737.0, 739737.0, 1.0]]
    True
    """
    own = said_on.toordinal()
    spans: list[tuple[float, float, float]] = [(own, own, OWN_DAY)]
    if not tells_time(text) and not any(map(str.isdigit, text)):
        return np.array(spans, np.float32)
    lower = text.lower()
    if any(word in lower for word in _RELATIVE_WORDS):
        said = {match.lastindex for match in _PHRASE.finditer(lower)}
        spans += [(own + first, own + last, 1.0) for n, (_, first, last) in enumerate(_RELATIVE, 1) if n in said]
    spans += [(*_month(said_on.year, said_on.month + by), 1.0) for phrase, by in _MONTH_PHRASES if phrase in lower]
    if "last year" in lower:
        spans.append((*days_of(said_on.year - 1, None, None), 0.7))
    for count, unit in _AGO.findall(lower) if " ago" in lower else ():
        centre = own - (_COUNTS.get(count) or int(count)) * _UNITS[unit]
        spans.append((centre - _UNITS[unit] // 2, centre + _UNITS[unit] // 2, 1.0))
    for year, month, day in named_dates(text):
        # A month without a year is the nearest one that is not far ahead of the day it was said.
        ahead = month is not None and month > said_on.month + 3
        spans.append((*days_of(year or said_on.year - ahead, month, day), 1.0 if month else 0.7))
    return np.array(spans, np.float32)


def asked_spans(text: str, years: tuple[int, int] | None) -> list[Span]:
    """The days a question asks about; a month without a year means that month of every year in memory."""
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
