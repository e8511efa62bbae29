"""What waits for one who listens: at most so much, and then a gap."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Self

from foveal.model.notice import Kind, Mark, Notice
from foveal.ports.system import Heard


class Queue:
    """The notices for one who listens. When it is full, later ones are counted, until there is room again."""

    def __init__(
        self,
        room: int,
        kinds: frozenset[Kind],
        heard: Heard | None,
        wake: Callable[[], None] | None,
        left: Callable[[Queue], None],
    ) -> None:
        self._room = room
        self._kinds = kinds
        self._heard = heard
        self._wake = wake
        self._left = left
        self._ready = threading.Condition()
        self._waiting: deque[Notice] = deque()
        self._missed = 0
        self._last: Notice | None = None
        self._closed = False

    def may_want(self, *, errors: bool) -> bool:
        """Whether it listens to errors, or to anything else."""
        return not self._kinds or (Kind.ERROR in self._kinds if errors else bool(self._kinds - {Kind.ERROR}))

    def wants(self, notice: Notice) -> bool:
        """Whether a notice is for this one."""
        return (not self._kinds or notice.kind in self._kinds) and (self._heard is None or self._heard(notice))

    def begin(self, notices: Sequence[Notice], *, lost: bool, at: Mark) -> None:
        """Start with what was told before, the newest of it, and with a gap if some of it is lost."""
        kept = notices[-self._room :]
        if lost:
            moment = kept[0].at if kept else datetime.fromtimestamp(at[0] / 1000, UTC)
            self._waiting.append(Notice(at=moment, kind=Kind.GAP))
        self._waiting += kept

    def put(self, notice: Notice) -> bool:
        """Take a notice in, if it is wanted; False if there was no room for it."""
        if not self.wants(notice):
            return True
        with self._ready:
            fits = len(self._waiting) < self._room and not self._missed
            if fits:
                self._waiting.append(notice)
                self._ready.notify()
            else:
                # What comes after a gap waits until the gap was told: the order stays.
                self._missed += 1
                self._last = notice
        if fits and self._wake is not None:
            self._wake()
        return fits

    def tear(self, gap: Notice) -> None:
        """Take a gap in, whoever it is for; one that is to be told already speaks for it."""
        with self._ready:
            if self._missed:
                return
            self._waiting.append(gap)
            self._ready.notify()
        if self._wake is not None:
            self._wake()

    def take(self) -> Notice | None:
        """The next notice, or None if there is none yet."""
        with self._ready:
            return self._first()

    def _first(self) -> Notice | None:
        if self._waiting:
            return self._waiting.popleft()
        if self._last is None:
            return None
        # With the id of the last one missed, who comes back after this gap goes on behind it.
        gap = Notice(id=self._last.id, at=self._last.at, kind=Kind.GAP, missed=self._missed)
        self._missed, self._last = 0, None
        return gap

    def next(self, timeout: timedelta | None = None) -> Notice | None:
        """The next notice, waiting for it; None when the time is up or the subscription closed."""
        with self._ready:
            seconds = None if timeout is None else timeout.total_seconds()
            self._ready.wait_for(lambda: self._waiting or self._missed or self._closed, seconds)
            return self._first()

    def close(self) -> None:
        """Listen no more. What waits can still be taken."""
        self._left(self)
        with self._ready:
            self._closed = True
            self._ready.notify_all()
        if self._wake is not None:
            self._wake()

    def __iter__(self) -> Iterator[Notice]:
        while (notice := self.next()) is not None:
            yield notice

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
