"""Calendar arithmetic: the days of months, holidays and weekdays, and which year a date without a year means."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date
from functools import lru_cache
from typing import NamedTuple

MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
# The weight of days that are less likely meant, and of a whole year, which says little about a day.
OTHER, YEAR = 0.5, 0.7
# A month without a year is looked for in this many years before the newest.
MOST_YEARS = 50
# A date without a year that lies at most this many days ahead may well be the coming one.
SOON = 92

# The first and the last day, as ordinals.
Span = tuple[int, int]


class WeightedSpan(NamedTuple):
    """The first and the last day, as ordinals, and how likely they are meant."""

    first: int
    last: int
    weight: float = 1.0


class Now(NamedTuple):
    """The day that a text was written on, and what is known about the days it may mean.

    A question is `asked` of a memory that has records of `years`; `past` and `ahead` say what its verbs speak of.
    """

    today: date
    asked: bool = False
    years: tuple[int, int] | None = None
    past: bool = False
    ahead: bool = False

    @property
    def ordinal(self) -> int:
        """The day as an ordinal."""
        return self.today.toordinal()

    @property
    def weights(self) -> tuple[float, float]:
        """How likely the one before and the one to come are meant."""
        if self.asked:
            return float(self.past or not self.ahead), float(self.ahead or not self.past)
        return (1.0, OTHER) if self.past and not self.ahead else (OTHER, 1.0)


class Holiday(NamedTuple):
    """When a holiday is, and its names."""

    rule: str
    names: tuple[str, ...]


# A rule is month/day, the days from Easter Sunday, or month/number/weekday: 5/-1/0 is the last Monday of May.
_HOLIDAYS = """
12/25 christmas christmas_day xmas weihnachten navidad noël natale natal kerst kerstmis
easter+0 easter ostern pascua pâques pasqua páscoa pasen
easter+49 whitsun pentecost pfingsten pentecostés pentecôte pentecoste pinksteren
12/24 christmas_eve xmas_eve heiligabend nochebuena véspera_de_natal kerstavond
12/26 boxing_day
12/31 new_year_s_eve new_years_eve silvester nochevieja san_silvestro oudejaarsavond véspera_de_ano_novo
1/1 new_year_s new_year_s_day new_years new_years_day new_year neujahr año_nuevo nouvel_an capodanno ano_novo
2/14 valentine_s_day valentines_day valentine_s valentinstag san_valentín saint_valentin san_valentino
3/17 st_patrick_s_day st_patricks_day saint_patrick_s_day
4/1 april_fools_day april_fool_s_day april_fools
4/5 qingming
4/27 koningsdag
5/1 may_day
6/1 ertongjie
6/19 juneteenth
7/4 independence_day
8/15 ferragosto
10/1 guoqing
10/31 halloween
11/1 all_saints_day allerheiligen toussaint
11/5 bonfire_night guy_fawkes_night
12/5 sinterklaas
12/6 nikolaus
easter-2 good_friday karfreitag viernes_santo vendredi_saint venerdì_santo sexta_feira_santa goede_vrijdag
easter+0 easter_sunday ostersonntag
easter+1 easter_monday ostermontag pasquetta lunes_de_pascua lundi_de_pâques
easter-3 maundy_thursday gründonnerstag jueves_santo
easter-7 palm_sunday palmsonntag domingo_de_ramos
easter-46 ash_wednesday aschermittwoch
easter-47 shrove_tuesday pancake_day
easter-48 rosenmontag
easter+50 whit_monday pfingstmontag
5/-1/0 memorial_day
6/3/6 father_s_day fathers_day
9/1/0 labor_day labour_day
11/4/3 thanksgiving thanksgiving_day
"""
HOLIDAYS = [Holiday(rule, tuple(names)) for rule, *names in map(str.split, _HOLIDAYS.strip().split("\n"))]
# The first ones, this many, are also celebrated on the day before and the day after.
LONG_HOLIDAYS = 3


def days_of(year: int, month: int | None, day: int | None) -> Span:
    """The first and last day of a date, as ordinals; a day that does not exist means its month.

    >>> days_of(2024, 2, 29) == (date(2024, 2, 29).toordinal(),) * 2
    True
    """
    if month is None:
        return month_days(year, 1)[0], month_days(year, 12)[1]
    first, last = month_days(year, month)
    if day is None or not 1 <= day <= last - first + 1:
        return first, last
    return first + day - 1, first + day - 1


@lru_cache(maxsize=1024)
def month_days(year: int, month: int) -> Span:
    """The days of a month; month 0 is the last one of the year before, month 13 the first of the year after.

    >>> month_days(2025, 13) == month_days(2026, 1)
    True
    """
    year, month = _possible(year + (month - 1) // 12), (month - 1) % 12 + 1
    return date(year, month, 1).toordinal(), date(year, month, monthrange(year, month)[1]).toordinal()


@lru_cache(maxsize=1024)
def holiday_days(year: int, number: int) -> Span:
    """The day of a holiday, by its number in `HOLIDAYS`.

    >>> date.fromordinal(holiday_days(2026, 1)[0]).isoformat()
    '2026-04-05'
    """
    year, rule = _possible(year), HOLIDAYS[number].rule
    if rule.startswith("easter"):
        day = _easter(year) + int(rule.removeprefix("easter"))
        return day, day
    month, *rest = map(int, rule.split("/"))
    return days_of(year, month, *rest) if len(rest) == 1 else nth_weekday(month_days(year, month), *rest)[0]


def _possible(year: int) -> int:
    return min(max(year, date.min.year), date.max.year)


def _easter(year: int) -> int:
    """Easter Sunday, by the anonymous Gregorian computus."""
    century, rest = divmod(year, 100)
    epact = (19 * (year % 19) + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    late = (year % 19 + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * late + 114, 31)
    return date(year, month, day + 1).toordinal()


def weekday_of(day: int) -> int:
    """The weekday of an ordinal, Monday being 0."""
    return (day + 6) % 7


def weekdays_in(span: Span, weekday: int) -> range:
    """The days of a span that fall on a weekday."""
    return range(span[0] + (weekday - weekday_of(span[0])) % 7, span[1] + 1, 7)


def nth_weekday(span: Span, number: int, weekday: int) -> list[Span]:
    """One of the weekdays of a span, counted from its end if the number is negative; none if there are fewer."""
    days = weekdays_in(span, weekday)
    index = number - 1 if number > 0 else len(days) + number
    return [(days[index], days[index])] if 0 <= index < len(days) else []


def week_days(now: Now, offset: int) -> Span:
    """The week that is so many weeks after this one, from Monday to Sunday."""
    monday = now.ordinal - now.today.weekday() + 7 * offset
    return monday, monday + 6


def which_weekend(now: Now, offset: int) -> list[WeightedSpan]:
    """The weekend that is so many weeks after that of this week, and another one that may be meant instead."""
    saturday = week_days(now, offset)[0] + 5
    weekend, week_before = WeightedSpan(saturday, saturday + 1), (saturday - 7, saturday - 6)
    # On a Monday "this weekend" may be over; before Saturday the next one may be the coming one.
    if offset == 0 and now.past and now.today.weekday() < 3:
        return [WeightedSpan(*week_before), weekend]
    if offset == 1 and now.today.weekday() < 5:
        return [weekend, WeightedSpan(*week_before, OTHER)]
    return [weekend]


def either(firsts: tuple[int, int], weights: tuple[float, float], *, length: int = 1) -> list[WeightedSpan]:
    """Two spans of the same length by their first days, the likelier one first; a weight of 0 leaves one out."""
    spans = [WeightedSpan(first, first + length - 1, weight) for first, weight in zip(firsts, weights, strict=True)]
    return sorted((span for span in spans if span.weight), key=lambda span: -span.weight)


def nearest_years(now: Now, in_year: Callable[[int], Span], which: int | None) -> list[WeightedSpan]:
    """The days of what comes once a year, likelier ones first, when the year is not given.

    `in_year` gives its days in a year; `which` is negative for the last one, 0 for this one, positive for the next.
    """
    spans = [in_year(now.today.year + years) for years in (-2, -1, 0, 1, 2)]
    begun = max(1, min(4, sum(first <= now.ordinal for first, _ in spans)))
    earlier, past, ahead = spans[max(0, begun - 2)], spans[begun - 1], spans[begun]
    if which is not None:
        return _by_word(now, which, (earlier, past, ahead))
    if now.asked and now.years and date.fromordinal(past[0]).year > now.years[1]:
        oldest, newest = now.years
        years = range(newest, max(oldest, newest - MOST_YEARS) - 1, -1)
        return [WeightedSpan(*in_year(year)) for year in years]
    return _by_tense(now, past, ahead)


def _by_word(now: Now, which: int, spans: tuple[Span, Span, Span]) -> list[WeightedSpan]:
    """The last, this or the next one."""
    earlier, past, ahead = spans
    if which == 0:
        which = 1 if ahead[0] - now.ordinal < now.ordinal - past[1] else -1
    elif which < 0 and past[1] >= now.ordinal:
        past = earlier
    elif which < 0 and date.fromordinal(past[0]).year == now.today.year:
        return [WeightedSpan(*past), WeightedSpan(*earlier, OTHER)]
    return [WeightedSpan(*(ahead if which > 0 else past))]


def _by_tense(now: Now, past: Span, ahead: Span) -> list[WeightedSpan]:
    """The one before, the one to come, or both."""
    since, until = now.ordinal - past[1], ahead[0] - now.ordinal
    coming = now.ahead and not now.past
    if since <= 0 and not coming:
        return [WeightedSpan(*past)]
    if now.asked:
        both = now.ahead or (not now.past and until <= SOON)
        return [WeightedSpan(*past), WeightedSpan(*ahead, OTHER)] if both else [WeightedSpan(*past)]
    # The nearer one, unless the verbs speak against it.
    pull = 4 if coming else 0.25 if now.past and not now.ahead else 1.5
    if since * pull <= until:
        doubtful = until <= 2 * SOON
        likelier, other = past, ahead
    else:
        doubtful = since <= 2 * SOON or pull < 1
        likelier, other = ahead, past
    return [WeightedSpan(*likelier), WeightedSpan(*other, OTHER)] if doubtful else [WeightedSpan(*likelier)]


_MONTH_NAMES = tuple(month.capitalize() for month in MONTHS)
_NAMED = re.compile(
    r"(?:\b(?P<before>\d{1,2})(?:st|nd|rd|th)?(?: of)? )?"
    rf"\b(?P<month>{'|'.join(_MONTH_NAMES)})\b"
    r"(?: (?P<after>\d{1,2})(?:st|nd|rd|th)?\b(?!:))?(?:,? (?:of )?(?P<year>(?:19|20)\d\d))?"
)
_ISO = re.compile(r"\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?\b")
_YEAR = re.compile(r"\b(?:19[5-9]|20[0-4])\d\b")


def named_dates(text: str) -> list[tuple[int | None, int | None, int | None]]:
    """Every date a text spells out, as year, month and day, None where it does not say.

    >>> named_dates("on 7 May 2023, and again in June")
    [(2023, 5, 7), (None, 6, None)]
    """
    dates: list[tuple[int | None, int | None, int | None]] = []
    # The pattern is tried at every letter, which takes long: most texts have no such word at all.
    for match in _NAMED.finditer(text) if any(map(text.__contains__, _MONTH_NAMES)) else ():
        day, year = match["before"] or match["after"], match["year"]
        month = MONTHS.index(match["month"].lower()) + 1
        dates.append((int(year) if year else None, month, int(day) if day else None))
    for year, month, day in _ISO.findall(text):
        if 1 <= int(month) <= 12:
            dates.append((int(year), int(month), int(day) if day else None))
    return dates or [(int(year), None, None) for year in _YEAR.findall(text)]
