"""A bus inside one process: the last notices in a ring, and a bounded queue for each who listens."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from heapq import merge
from typing import NamedTuple

import msgspec

from foveal.backends.bus.queue import Queue
from foveal.errors import RateLimited
from foveal.model.notice import Kind, Mark, Notice, mark_of, next_mark, text_of
from foveal.ports.system import Clock, Heard, SystemClock, Traffic

# How many notices are kept, how many errors beside them, and how many may wait for one who listens.
ROOM = 1_000
# How many may listen at a time.
LISTENERS = 256
OLDEST = "0"


class Kept(NamedTuple):
    """A notice in a ring, with its id as numbers."""

    mark: Mark
    notice: Notice


class RingBus:
    """Keeps the last notices for those who come back. Errors have their own ring: traffic drives none out."""

    def __init__(self, *, room: int = ROOM, clock: Clock | None = None) -> None:
        self._room = room
        self._lock = threading.Lock()
        self._last: Mark = next_mark((0, 0), (clock or SystemClock()).now())
        self._rings = {True: deque[Kept](maxlen=room), False: deque[Kept](maxlen=room)}
        # Up to here nobody knows what was told: before this bus began, or fallen out of the ring.
        self._lost = {True: self._last, False: self._last}
        self._queues: tuple[Queue, ...] = ()
        self._published = 0
        self._dropped = 0

    def publish(self, notice: Notice) -> None:
        """Tell a notice to all who want it."""
        with self._lock:
            self._carry(next_mark(self._last, notice.at), notice)

    def carry(self, notice: Notice) -> None:
        """Tell a notice that has its id already: from a bus that this one is a part of."""
        with self._lock:
            self._carry(mark_of(notice.id), notice)

    def _carry(self, mark: Mark, notice: Notice) -> None:
        told = msgspec.structs.replace(notice, id=text_of(mark))
        self._keep(mark, told)
        self._published += 1
        for queue in self._queues:
            self._dropped += not queue.put(told)

    def _keep(self, mark: Mark, notice: Notice) -> None:
        # One that comes late has a place that those who come back may have passed: it is only told.
        if mark > self._last:
            is_error = notice.kind is Kind.ERROR
            ring = self._rings[is_error]
            if len(ring) == self._room:
                self._lost[is_error] = ring[0].mark
            ring.append(Kept(mark, notice))
            self._last = mark

    def begin(self, notices: Sequence[Notice], since: Mapping[bool, Mark]) -> None:
        """Keep what was told before, in its order. Nothing is lost `since` then: of errors, and of the rest."""
        with self._lock:
            self._last = (0, 0)
            for one in notices:
                self._keep(mark_of(one.id), one)
            self._last = max(self._last, *since.values())
            self._lost = dict(since)

    def tear(self, missed: int | None = None) -> None:
        """Tell all who listen, and those who will come back, that notices were missed."""
        with self._lock:
            at = datetime.fromtimestamp(self._last[0] / 1000, UTC)
            self._last = next_mark(self._last, at)
            self._lost = {True: self._last, False: self._last}
            gap = Notice(id=text_of(self._last), at=at, kind=Kind.GAP, missed=missed)
            for queue in self._queues:
                queue.tear(gap)

    @property
    def last(self) -> str:
        """The id of the last notice."""
        return text_of(self._last)

    def subscribe(
        self,
        after: str | None = None,
        *,
        kinds: Collection[Kind] = (),
        heard: Heard | None = None,
        wake: Callable[[], None] | None = None,
        here: bool = False,
    ) -> Queue:
        """Listen, from now or from after the notice with this id."""
        since = None if after is None else mark_of(after)
        queue = Queue(self._room, frozenset(kinds), heard, wake, self._leave)
        with self._lock:
            if len(self._queues) >= LISTENERS:
                raise RateLimited(f"{LISTENERS} listen already: close a subscription first")
            if since is not None:
                self._catch_up(queue, since, told_all=after == OLDEST)
            self._queues = (*self._queues, queue)
        return queue

    def _catch_up(self, queue: Queue, since: Mark, *, told_all: bool) -> None:
        wanted = [one for one in (True, False) if queue.may_want(errors=one)]
        kept = merge(*([kept for kept in self._rings[one] if kept.mark > since] for one in wanted))
        missed = [kept.notice for kept in kept if queue.wants(kept.notice)]
        lost = not told_all and any(since < self._lost[one] for one in wanted)
        queue.begin(missed, lost=lost or (len(missed) > self._room and not told_all), at=self._last)

    def _leave(self, queue: Queue) -> None:
        with self._lock:
            self._queues = tuple(one for one in self._queues if one is not queue)

    def traffic(self) -> Traffic:
        """How much it carries."""
        with self._lock:
            return Traffic(subscribers=len(self._queues), published=self._published, dropped=self._dropped)

    def close(self) -> None:
        """End every subscription."""
        for queue in self._queues:
            queue.close()
