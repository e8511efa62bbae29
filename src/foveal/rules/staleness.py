"""How long the answer of a server that is away can be trusted."""

from __future__ import annotations

from datetime import timedelta

from foveal.model.server import Level, Room

BASE = {
    Room.STATUS: timedelta(seconds=120),
    Room.AGENTS: timedelta(seconds=60),
    Room.READS: timedelta(seconds=120),
    Room.CRYSTALS: timedelta(seconds=300),
}
WEIGHT = 0.1


def threshold(base: timedelta, stability: float) -> timedelta:
    """How old an answer may be and pass for new: up to twice as old from a server that was always there.

    >>> threshold(timedelta(seconds=120), 0.5)
    datetime.timedelta(seconds=180)
    """
    return base * (1 + min(1.0, max(0.0, stability)))


def level(age: timedelta, limit: timedelta) -> Level:
    """Whether an answer of that age is shown, shown with its age, or not shown.

    >>> level(timedelta(seconds=119), timedelta(seconds=120)), level(timedelta(seconds=240), timedelta(seconds=120))
    (<Level.FRESH: 'fresh'>, <Level.REFUSE: 'refuse'>)
    """
    if age < limit:
        return Level.FRESH
    return Level.STALE if age < 2 * limit else Level.REFUSE


def steadied(stability: float, answered: bool) -> float:
    """How steady a server is after it answered once more, or did not: from 0 to 1.

    >>> round(steadied(0.5, True), 2), round(steadied(0.5, False), 2)
    (0.55, 0.45)
    """
    return (1 - WEIGHT) * stability + WEIGHT * answered


def told_age(age: timedelta) -> str:
    """An age in short.

    >>> told_age(timedelta(seconds=42)), told_age(timedelta(minutes=7)), told_age(timedelta(hours=50))
    ('42s', '7m', '2d')
    """
    seconds = max(0, int(age.total_seconds()))
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"
