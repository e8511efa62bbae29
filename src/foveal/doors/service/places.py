"""Runs blocking work of an event loop in threads that lend their places to others while they wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import partial
from typing import TypeVar

from anyio import CapacityLimiter, to_thread

from foveal.ports.waiting import lending

T = TypeVar("T")

# A door lends at most so many places at once: each of them is another thread.
MOST_LENT = 128
# The number of threads that anyio gives to an event loop.
_OF_THE_LOOP = 40


class Places:
    """So many places for threads, or without a number those that the event loop has for all blocking work."""

    def __init__(self, most: int | None = None) -> None:
        self._limiter = None if most is None else CapacityLimiter(most)
        self._with_lent = (most or _OF_THE_LOOP) + MOST_LENT

    async def run(self, work: Callable[[], T]) -> T:
        """The result of `work`, which runs in a thread once there is a place."""
        limiter = self._limiter or to_thread.current_default_thread_limiter()
        loop = asyncio.get_running_loop()
        with lending(partial(self._lend, loop, limiter)):
            return await to_thread.run_sync(work, limiter=limiter)

    @contextmanager
    def _lend(self, loop: asyncio.AbstractEventLoop, limiter: CapacityLimiter) -> Generator[None]:
        """Make room for one thread more while this one waits. Runs in the thread."""
        lent = False

        def add() -> None:
            nonlocal lent
            lent = limiter.total_tokens < self._with_lent
            limiter.total_tokens += lent

        def remove() -> None:
            limiter.total_tokens -= lent

        # A loop that has ended runs nobody else.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(add)
        try:
            yield
        finally:
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(remove)


PLACES = Places()
