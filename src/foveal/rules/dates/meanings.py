"""The days that each kind of phrase means, from its tokens and the day it was written on.

Each function is the meaning of one kind of phrase. It gives no spans if the phrase means no days in particular.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from foveal.rules.dates.calendar import (
    OTHER,
    YEAR,
    Now,
    Span,
    WeightedSpan,
    days_of,
    either,
    holiday_days,
    month_days,
    nearest_years,
    nth_weekday,
    week_days,
    weekday_of,
    weekdays_in,
    which_weekend,
)
from foveal.rules.dates.lexicon import Token, first_of, value_of

# Kinds of tokens that are asked for together: "last", "two", "weeks" and ordinals.
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
    """What comes once a year, in the year that is said, or else in the likeliest ones."""
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
