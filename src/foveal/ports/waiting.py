"""What work in a thread knows of its call: whether the caller waits, who may run while it waits, what it stored."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from threading import Event, Lock
from time import monotonic

from foveal.errors import TimedOut


@dataclass(eq=False)
class _Caller:
    """Who waits for an answer: `left` is set when they do so no longer."""

    left: Event
    committed: bool = False


_caller: ContextVar[_Caller | None] = ContextVar("caller", default=None)
# Entered while a thread waits: the server that the thread belongs to runs another call in its place.
Lend = Callable[[], AbstractContextManager[None]]
_lend: ContextVar[Lend] = ContextVar("lend", default=nullcontext)
# A thread that waits for longer lends its place, and then looks so often whether its caller still waits.
_BRIEF_SECONDS, _LOOK_SECONDS = 0.02, 0.25


@contextmanager
def abandoned_by(event: Event) -> Generator[None]:
    """Work inside, also in threads that inherit this context, may be abandoned by setting the event."""
    token = _caller.set(_Caller(event))
    try:
        yield
    finally:
        _caller.reset(token)


def require_wanted(*, repeatable: bool = False) -> None:
    """Raise `TimedOut` if the caller's deadline has passed, or the caller went away. Called before costly steps.

    Work that has committed something goes on to its end, unless doing it again changes nothing (`repeatable`).
    """
    caller = _caller.get()
    if caller is not None and caller.left.is_set() and (repeatable or not caller.committed):
        raise TimedOut("the caller no longer waits for this answer")


def committed() -> None:
    """Note that the call has changed something, so that it is no longer stopped half-way."""
    caller = _caller.get()
    if caller is not None:
        caller.committed = True


@dataclass
class StoredRecords:
    """How many new records a call has stored, whichever verb did it, also if the call failed afterwards."""

    count: int = 0


_stored: ContextVar[StoredRecords | None] = ContextVar("stored", default=None)


@contextmanager
def counting_stored() -> Generator[StoredRecords]:
    """Count the records that work inside stores."""
    stored = StoredRecords()
    token = _stored.set(stored)
    try:
        yield stored
    finally:
        _stored.reset(token)


def stored(records: int) -> None:
    """Note that the call has stored so many new records."""
    call = _stored.get()
    if call is not None:
        call.count += records


def _is_abandoned() -> bool:
    caller = _caller.get()
    return caller is not None and caller.left.is_set()


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
