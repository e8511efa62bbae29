"""The quotas of keys, and of calls about actors, as one server process counts them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from foveal.errors import QuotaExceeded
from foveal.model.server import Quotas
from foveal.ports.system import Clock

# How many keys and actors a process counts for; beyond that, those that called first are counted from 0 again.
_MOST = 65_536


class CallQuotas:
    """Counts the calls of this process by key and by actor, and what keys store, from midnight to midnight, by UTC.

    Each process counts for itself: several processes together allow as many times the quota.
    """

    def __init__(self, quotas: Quotas, clock: Clock) -> None:
        self._quotas, self._clock = quotas, clock
        self._lock = threading.Lock()
        self._day = date.min
        self._used: OrderedDict[tuple[str, str], int] = OrderedDict()

    def take(self, key: str, actor: str | None, *, changes: bool) -> None:
        """Count a call with a key, if there is one, about an actor, if there is one; or raise `QuotaExceeded`.

        A key that has stored all it may still makes the calls that change nothing.
        """
        own = self._quotas.of_key(key)
        limits: list[tuple[str, str, int | None, int]] = []
        if key:
            limits.append(("key.calls", key, own.calls, 1))
            if changes:
                limits += [("key.records", key, own.records, 0), ("key.bytes", key, own.bytes, 0)]
        if actor is not None:
            limits.append(("actor.calls", actor, self._quotas.actor.calls, 1))
        with self._lock:
            now = self._clock.now()
            self._begin(now)
            for quota, whose, limit, _ in limits:
                if limit is not None and self._used.get((quota, whose), 0) >= limit:
                    raise _exceeded(quota, limit, now)
            for quota, whose, limit, count in limits:
                if limit is not None and count:
                    self._add(quota, whose, count)

    def stored(self, key: str, said: Mapping[str, Any], here: Mapping[str, Any] | None, records: int) -> None:
        """Count what was sent with a key to a verb that changes something, and the records that this stored."""
        own = self._quotas.of_key(key)
        with self._lock:
            if key and own.records is not None:
                self._add("key.records", key, records)
            if key and own.bytes is not None:
                files = [value for value in (here or {}).values() if isinstance(value, Path)]
                size = sum(file.stat().st_size for file in files if file.exists())
                size += len(msgspec.json.encode(said)) if said else 0
                self._add("key.bytes", key, size)

    def _begin(self, now: datetime) -> None:
        if now.date() != self._day:
            self._day = now.date()
            self._used.clear()

    def _add(self, quota: str, whose: str, count: int) -> None:
        place = quota, whose
        self._used[place] = self._used.get(place, 0) + count
        self._used.move_to_end(place)
        if len(self._used) > _MOST:
            self._used.popitem(last=False)


def _exceeded(quota: str, limit: int, now: datetime) -> QuotaExceeded:
    whose, _, what = quota.partition(".")
    used = {"calls": "make" if whose == "key" else "be asked with", "records": "store", "bytes": "send"}[what]
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    subject = "this key" if whose == "key" else "this actor"
    return QuotaExceeded(
        f"{subject} may {used} {limit:,} {what} a day: wait until midnight, UTC, or have the quota raised",
        quota=quota,
        limit=limit,
        retry_after=round((midnight - now).total_seconds()),
    )
