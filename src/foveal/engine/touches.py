"""What reads leave behind, kept in this process until it is worth a write."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Sequence

from msgspec import Struct

from foveal.errors import ReadOnly, Unavailable
from foveal.model.query import Sight, Viewpoint
from foveal.model.results import Recollection, Use
from foveal.ports.store import Store
from foveal.ports.system import Clock

# This many waiting reads and uses are written together. While they cannot be, so many reads at most are kept.
ENOUGH, MOST = 512, 1024


class _Touch(Struct, frozen=True):
    viewpoint: Viewpoint
    read: Recollection
    used: Sequence[str]


class Touches:
    """Reads to log and uses to count. None is acknowledged: a killed process loses those that wait."""

    def __init__(self, store: Store, clock: Clock, *, logging: bool = True) -> None:
        self._store = store
        self._clock = clock
        self._logging = logging
        self._lock = threading.Lock()
        self._waiting: deque[_Touch] = deque(maxlen=MOST)
        self._writable = True

    def add(self, viewpoint: Viewpoint, read: Recollection, used: Sequence[str]) -> None:
        """Keep a read and the ids it used; when enough wait, they are written if nobody else is writing."""
        if not self._writable or not (self._logging or used):
            return
        with self._lock:
            self._waiting.append(_Touch(viewpoint, read, used))
            enough = sum(1 + len(one.used) for one in self._waiting) >= ENOUGH
        if enough:
            self.flush(wait=False)

    @property
    def waiting(self) -> int:
        """How many reads wait."""
        return len(self._waiting)

    def flush(self, *, wait: bool = True) -> None:
        """Write what waits. A store that cannot be written keeps nothing; one that is busy is tried again later."""
        with self._lock:
            waiting = list(self._waiting)
            self._waiting.clear()
        by_viewpoint: dict[Viewpoint, list[_Touch]] = {}
        for one in waiting:
            by_viewpoint.setdefault(one.viewpoint, []).append(one)
        try:
            for viewpoint in list(by_viewpoint):
                self._write(viewpoint, by_viewpoint[viewpoint], wait)
                del by_viewpoint[viewpoint]
        except ReadOnly:
            self._writable = False
        except Unavailable:
            left = [one for touches in by_viewpoint.values() for one in touches]
            with self._lock:
                # The newest stay when there are too many.
                self._waiting = deque([*left, *self._waiting], maxlen=MOST)

    def _write(self, viewpoint: Viewpoint, touches: Sequence[_Touch], wait: bool) -> None:
        sight = Sight(viewpoint=viewpoint, now=self._clock.now())
        times = Counter(one for touch in touches for one in touch.used)
        last = {one: touch.read.at for touch in touches for one in touch.used}
        uses = [Use(id=one, times=times[one], at=last[one]) for one in times]
        reads = [touch.read for touch in touches] if self._logging else []
        self._store.remember(sight, reads, uses, wait=wait)
