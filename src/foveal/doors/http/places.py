"""How many verbs a process runs at once: one while each is quick, more beside those that take long."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from typing import TypeVar

from anyio import CapacityLimiter, Semaphore, to_thread

T = TypeVar("T")

# After so many seconds a verb keeps nobody waiting any more: most likely it waits itself, for a disk or a database.
QUICK = 0.02


class Places:
    """Runs work in threads, at most so many. Threads that compute wait for one lock, and so they take turns.

    A turn ends after `quick` seconds: at once where most of the time is spent waiting for others.
    """

    def __init__(self, most: int, *, quick: float = QUICK) -> None:
        self._threads = CapacityLimiter(most)
        self._turns = Semaphore(1, fast_acquire=True)
        self._quick = quick

    async def run(self, work: Callable[[], T]) -> T:
        """What the work answers. Its turn ends when it does, or when it has taken long."""
        await self._turns.acquire()
        with ExitStack() as turn:
            turn.callback(self._turns.release)
            late = asyncio.get_running_loop().call_later(self._quick, turn.close)
            turn.callback(late.cancel)
            return await to_thread.run_sync(work, limiter=self._threads)
