"""Waiting for another process or thread, however slow the machine is."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

# Whoever waits so long waits in vain.
MOST = 240.0


def until(holds: Callable[[], bool], why: Callable[[], str] = lambda: "it did not come about") -> None:
    """Wait for what must come about; `why` says what is known if it does not."""
    end, waiting = time.monotonic() + MOST, threading.Event()
    while not holds():
        assert time.monotonic() < end, why()
        waiting.wait(0.02)
