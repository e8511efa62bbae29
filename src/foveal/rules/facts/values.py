"""Values in a clause: dates and times, amounts and numbers."""

from __future__ import annotations

import re
from typing import NamedTuple


class Value(NamedTuple):
    """A value: its kind, its words, and the clause without them."""

    kind: str
    text: str
    without: str


_DAYS = (
    r"(?:mon|tues?|wednes|thurs?|fri|satur|sun)days?|weekdays?|weekends?|(?:mon|tue|wed|weds|thu|thur|"
    r"thurs|fri|sat|sun)\b(?:[ /+&]|$)|"
    r"(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|lunes|martes|miércoles|jueves|viernes|sábados?|"
    r"domingos?|"
    r"(?:周|星期|礼拜)[一二三四五六日天]"
)
_MONTHS = (
    r"january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|"
    r"apr|jun|jul|aug|sept?|oct|nov|dec|"
    r"januar|februar|märz|mai|juni|juli|oktober|dezember|enero|febrero|marzo|abril|mayo|junio|julio|agosto|"
    r"septiembre|octubre|noviembre|diciembre"
)
_WHEN = re.compile(
    rf"\b(?:(?:the\s+)?\d{{1,2}}(?:st|nd|rd|th|\.)?\s+(?:of\s+|de\s+)?(?:{_MONTHS})\b(?:\s+\d{{4}})?|"
    rf"(?:{_MONTHS})\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s+\d{{4}})?|"
    rf"\d{{4}}-\d\d-\d\d|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}|the\s+\d{{1,2}}(?:st|nd|rd|th)\b|(?:{_DAYS})|"
    r"(?:[01]?\d|2[0-3]):[0-5]\d(?:\s?[ap]m)?|\d{1,2}(?:\.\d\d)?\s?[ap]\.?m\b|(?:at|from|until|till|by|to|"
    r"since|um|bis|a las)\s+[0-2]\d[0-5]\d\b|"
    r"half (?:past )?(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)|(?:quarter|ten|"
    r"five|twenty) (?:past|to) (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)|"
    r"noon|midnight|\d{1,2} o['’]clock)|\d{1,2}月\d{1,2}[号日]|\d{1,2}号",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"(?:[£$€]\s?\d[\d,.]{0,15}\s?(?:k|m|bn)?|\b\d[\d,.]{0,15}\s?(?:k|m|%|°c|°f|mg|g|kg|lbs?|km|miles?|metres?|"
    r"meters?|litres?|liters?|ml|cm|mm|euros?|dollars?|pounds?|quid|bucks|usd|eur|gbp|"
    r"(?:an?|per) (?:hour|day|night|week|month|year|head|person)|hours?|minutes?|mins?|days?|weeks?|"
    r"months?|years?|percent|people|pages?|words?|points?)\b)",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"(?<![\w.])(?:\d{1,3}(?:\.\d{1,3}){3}|\d[\d,.:/-]{0,20}\d|\d)(?![\w])|\b(?:two|three|four|five|six|seven|"
    r"eight|nine|ten|eleven|twelve|dozen|fifteen|eighteen|twenty|thirty|forty|fifty)\b",
    re.IGNORECASE,
)


_EXPRESSIONS = (("when", _WHEN), ("amount", _AMOUNT), ("number", _NUMBER))
VALUE_KINDS = frozenset(kind for kind, _ in _EXPRESSIONS)


def typed_value(clause: str) -> Value | None:
    """The dates and times of a clause, or else its amount or number; None if it has none.

    >>> typed_value("bowls is on Thursdays at 10:30")
    Value(kind='when', text='Thursdays 10:30', without='bowls is on   at  ')
    >>> typed_value("the sourdough is £4.20")[:2], typed_value("we like it")
    (('amount', '£4.20'), None)
    """
    for kind, expression in _EXPRESSIONS:
        matches = expression.findall(clause)
        if matches:
            return Value(kind, " ".join(match.strip() for match in matches[:4]), expression.sub(" ", clause))
    return None


def values_by_kind(text: str) -> dict[str, frozenset[str]]:
    """Every kind of value that a text has, with the values.

    >>> {kind: sorted(values) for kind, values in values_by_kind("£60 on Friday").items()}
    {'when': ['friday'], 'amount': ['£60']}
    """
    found: dict[str, frozenset[str]] = {}
    rest = text
    for kind, expression in _EXPRESSIONS:
        values = frozenset(" ".join(match.lower().split()).rstrip(".,") for match in expression.findall(rest))
        if values:
            found[kind] = values
            rest = expression.sub(" ", rest)
    return found
