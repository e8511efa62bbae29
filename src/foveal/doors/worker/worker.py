"""A loop around the scheduler that can be stopped."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

from foveal.engine.scheduler import Scheduler

LOG = logging.getLogger("foveal.worker")
SECONDS = 20.0

Told = Callable[[str, int], None]


class Worker:
    """Ticks until it is stopped. What fails is logged with its traceback and tried again at the next tick."""

    def __init__(self, scheduler: Scheduler, *, seconds: float = SECONDS, told: Told | None = None) -> None:
        self._scheduler = scheduler
        self._seconds = seconds
        self._told = told
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def run(self) -> None:
        """Work until `stop` is called."""
        while True:
            try:
                for name, count in self._scheduler.tick().items():
                    if self._told is not None:
                        self._told(name, count)
            except Exception as error:
                self._scheduler.failed(error)
                LOG.exception("a job failed; it is tried again")
            if self._stopped.wait(self._seconds):
                break
        self._scheduler.stop()

    def stop(self) -> None:
        """End after the job at hand."""
        self._stopped.set()

    def __enter__(self) -> Self:
        """Work in a thread of this process."""
        self._thread = threading.Thread(target=self.run, name="foveal-worker", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        if self._thread is not None:
            self._thread.join()
