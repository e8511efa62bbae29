"""What work in a thread knows of its call: whether the caller still waits, and who may run while the work waits."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from threading import Event, Lock
from time import monotonic

from foveal.errors import TimedOut

_abandoned: ContextVar[Event | None] = ContextVar("abandoned", default=None)
# Entered while a thread waits: the server that the thread belongs to runs another call in its place.
Lend = Callable[[], AbstractContextManager[None]]
_lend: ContextVar[Lend] = ContextVar("lend", default=nullcontext)
# A thread that waits for longer lends its place, and then looks so often whether its caller still waits.
_BRIEF_SECONDS, _LOOK_SECONDS = 0.02, 0.25


@contextmanager
def abandoned_by(event: Event) -> Generator[None]:
    """Work inside, also in threads that inherit this context, may be abandoned by setting the event."""
    token = _abandoned.set(event)
    try:
        yield
    finally:
        _abandoned.reset(token)


def require_wanted() -> None:
    """Raise `TimedOut` if the caller's deadline has passed, or the caller went away.

    Work calls this before each costly step, and never after it has committed something.
    """
    if _is_abandoned():
        raise TimedOut("the caller no longer waits for this answer")


def _is_abandoned() -> bool:
    event = _abandoned.get()
    return event is not None and event.is_set()


@contextmanager
def lending(lend: Lend) -> Generator[None]:
    """Work inside gives its place to others while it waits, by entering what `lend` returns."""
    token = _lend.set(lend)
    try:
        yield
    finally:
        _lend.reset(token)


def waiting() -> AbstractContextManager[None]:
    """A context in which this thread only waits, so that its server may run another call meanwhile."""
    return _lend.get()()


def acquired(lock: Lock, seconds: float) -> bool:
    """Wait for a lock. False if that takes longer, or the caller no longer waits.

    >>> lock = Lock()
    >>> acquired(lock, 1.0), acquired(lock, 0.0)
    (True, False)
    """
    until = monotonic() + seconds
    if lock.acquire(timeout=min(seconds, _BRIEF_SECONDS)):
        return True
    with waiting():
        while (left := until - monotonic()) > 0:
            if lock.acquire(timeout=min(left, _LOOK_SECONDS)):
                return True
            if _is_abandoned():
                break
    return False
