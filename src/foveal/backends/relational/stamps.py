"""Moments as the numbers that tables keep."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def stamp(moment: datetime) -> int:
    """A moment as whole microseconds since 1970."""
    return (moment - _EPOCH) // _MICROSECOND


def stamp_or_none(moment: datetime | None) -> int | None:
    """A moment as microseconds, if there is one."""
    return None if moment is None else stamp(moment)


@lru_cache(maxsize=4096)
def moment(number: int) -> datetime:
    """The moment that a stamp writes."""
    return _EPOCH + number * _MICROSECOND


def moment_or_none(number: int | None) -> datetime | None:
    """The moment that a stamp writes, if there is one."""
    return None if number is None else moment(number)
