"""How many requests a caller may make: a bucket of tokens that fills up with time."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct


class Bucket(Struct, frozen=True):
    """How many requests are free, and when that was so."""

    free: float
    at: datetime


def drawn(bucket: Bucket | None, now: datetime, *, rate: float, burst: int) -> tuple[Bucket, float]:
    """The bucket after a request, and how many seconds to wait: 0 when the request is allowed.

    `rate` requests a second come back, until `burst` are free; None is a full bucket. A refused request takes
    nothing. A clock that was set back gives nothing and takes nothing.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    >>> bucket, wait = drawn(None, noon, rate=2, burst=1)
    >>> wait, drawn(bucket, noon, rate=2, burst=1)[1]
    (0.0, 0.5)
    """
    passed = 0.0 if bucket is None else max(0.0, (now - bucket.at).total_seconds())
    free = float(burst) if bucket is None else min(float(burst), bucket.free + passed * rate)
    if free >= 1:
        return Bucket(free - 1, now), 0.0
    return Bucket(free, now), (1 - free) / rate


def burst_of(rate: float, burst: int | None) -> int:
    """How many requests may come at once: what is said, else what two seconds bring, and at least one.

    >>> burst_of(10, None), burst_of(0.1, None), burst_of(10, 3)
    (20, 1, 3)
    """
    return burst if burst is not None else max(1, int(2 * rate))
