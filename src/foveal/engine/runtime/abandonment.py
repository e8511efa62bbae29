"""Stops work that nobody waits for any longer: its caller's deadline has passed, or the caller went away."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event

from foveal.errors import TimedOut

_abandoned: ContextVar[Event | None] = ContextVar("abandoned", default=None)


@contextmanager
def abandoned_by(event: Event) -> Generator[None]:
    """Work inside, also in threads that inherit this context, may be abandoned by setting the event."""
    token = _abandoned.set(event)
    try:
        yield
    finally:
        _abandoned.reset(token)


def require_wanted() -> None:
    """Raise `TimedOut` if the work that runs here was abandoned. Reads call this before each costly step."""
    event = _abandoned.get()
    if event is not None and event.is_set():
        raise TimedOut("the caller no longer waits for this answer")
