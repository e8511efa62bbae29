"""When a job is due."""

from __future__ import annotations

from datetime import datetime, timedelta


def due_every(last: datetime | None, hours: float, now: datetime) -> bool:
    """Whether so many hours have gone by since a job was last done; never when they are 0.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 1, 5, 12, tzinfo=UTC)
    >>> due_every(noon, 1, noon + timedelta(hours=1)), due_every(None, 1, noon), due_every(noon, 0, noon)
    (True, True, False)
    """
    return hours > 0 and (last is None or now - last >= timedelta(hours=hours))


def due_daily(last: datetime | None, hour: float | None, now: datetime) -> bool:
    """Whether an hour of the day has come since a job was last done.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 1, 5, 12, tzinfo=UTC)
    >>> due_daily(noon - timedelta(hours=10), 3, noon), due_daily(noon - timedelta(hours=1), 3, noon)
    (True, False)
    """
    if hour is None:
        return False
    turn = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(hours=hour)
    if turn > now:
        turn -= timedelta(days=1)
    return last is None or last < turn
