"""The days that a text refers to, from dates in digits to "the Friday before Christmas", in nine languages.

A lexicon turns a text into sentences of tokens (`tokens`). Phrases are regular expressions over the kinds of those
tokens, each with a function that computes its days (`phrases`, with the arithmetic in `calendar`).
"""

from foveal.rules.dates.calendar import MONTHS, MOST_YEARS, OTHER, Span, days_of, named_dates
from foveal.rules.dates.phrases import OWN_DAY, asked_spans, closeness, told_spans
from foveal.rules.dates.tokens import tells_time

__all__ = [
    "MONTHS",
    "MOST_YEARS",
    "OTHER",
    "OWN_DAY",
    "Span",
    "asked_spans",
    "closeness",
    "days_of",
    "named_dates",
    "tells_time",
    "told_spans",
]
