"""The moments that data sets write in words."""

from __future__ import annotations

import re
from datetime import UTC, datetime

_WEEKDAY = re.compile(r"\([A-Za-z]+\)")
_FORMS = (
    "%I:%M %p on %d %B %Y",
    "%I:%M %p on %d %b %Y",
    "%d %B %Y",
    "%d %b %Y",
    "%B %d %Y",
    "%B-%d-%Y",
    "%Y/%m/%d %H:%M",
    "%Y/%m/%d",
)


def moment_of(text: object) -> datetime | None:
    """The moment that a data set's date means, in UTC if it says no zone; None if it cannot be read.

    >>> moment_of("1:56 pm on 8 May, 2023").isoformat(), moment_of("2024/02/20 (Tue) 03:10").isoformat()
    ('2023-05-08T13:56:00+00:00', '2024-02-20T03:10:00+00:00')
    >>> moment_of("March-15-2024").isoformat()
    '2024-03-15T00:00:00+00:00'
    >>> moment_of("2023-05-08T13:56:00Z").isoformat(), moment_of("some day"), moment_of(None)
    ('2023-05-08T13:56:00+00:00', None, None)
    """
    if not isinstance(text, str):
        return None
    plain = " ".join(_WEEKDAY.sub(" ", text).replace(",", " ").split())
    try:
        found = datetime.fromisoformat(plain)
    except ValueError:
        found = next(filter(None, (_read(plain, form) for form in _FORMS)), None)
    if found is None or found.tzinfo is not None:
        return found
    return found.replace(tzinfo=UTC)


def _read(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text, form).replace(tzinfo=UTC)
    except ValueError:
        return None
