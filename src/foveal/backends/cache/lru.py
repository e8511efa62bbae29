"""A cache in this process: what was used last stays."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from foveal.ports.system import Clock, SystemClock

ROOM = 4096


class LruCache:
    """Keeps so many values; when there are more, the one that was not asked for longest goes."""

    away = ""

    def __init__(self, room: int = ROOM, *, clock: Clock | None = None) -> None:
        self._room = room
        self._clock = clock or SystemClock()
        self._lock = threading.Lock()
        self._known: OrderedDict[str, tuple[bytes, datetime]] = OrderedDict()

    def get(self, keys: Sequence[str]) -> list[bytes | None]:
        """What is known for each key."""
        now = self._clock.now()
        with self._lock:
            return [self._found(key, now) for key in keys]

    def _found(self, key: str, now: datetime) -> bytes | None:
        value, until = self._known.get(key, (None, now))
        if value is None or until <= now:
            self._known.pop(key, None)
            return None
        self._known.move_to_end(key)
        return value

    def put(self, values: Mapping[str, bytes], ttl: timedelta) -> None:
        """Keep values, so long at most."""
        until = self._clock.now() + ttl
        with self._lock:
            for key, value in values.items():
                self._known[key] = (value, until)
                self._known.move_to_end(key)
            while len(self._known) > self._room:
                self._known.popitem(last=False)

    def close(self) -> None:
        """Forget everything."""
        self._known.clear()
