"""The circuit breaker: what failed too often just now is not tried."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta

from foveal.errors import CircuitOpen
from foveal.model.server import Circuit
from foveal.ports.system import Clock, SystemClock
from foveal.rules import breaking


class Breaker:
    """A circuit that threads share: it opens after so many failures in a row, and lets one call try later."""

    def __init__(
        self,
        *,
        failures: int = breaking.FAILURES,
        reset: timedelta = breaking.RESET,
        clock: Clock | None = None,
    ) -> None:
        self.failures = failures
        self.reset_timeout = reset
        self._clock = clock or SystemClock()
        self._lock = threading.Lock()
        self._circuit = Circuit()

    @property
    def circuit(self) -> Circuit:
        """The circuit as it is now."""
        return self._circuit

    @property
    def waiting(self) -> timedelta:
        """How long until it lets a call through; nothing if it does now."""
        return breaking.waiting(self._circuit, self._clock.now(), self.reset_timeout)

    def reset(self) -> None:
        """Close it by hand."""
        with self._lock:
            self._circuit = breaking.reset(self._circuit)

    def enter(self) -> int:
        """Let a call through, and say in which epoch; `CircuitOpen` says how long it is shut."""
        with self._lock:
            now = self._clock.now()
            admitted = breaking.admitted(self._circuit, now, self.reset_timeout)
            if admitted is None:
                left = breaking.waiting(self._circuit, now, self.reset_timeout).total_seconds()
                raise CircuitOpen(
                    f"not tried: the server failed {self._circuit.failures} times; again in {left:.0f} s",
                    retry_after=left,
                )
            self._circuit = admitted
            return admitted.epoch

    def succeeded(self, epoch: int) -> None:
        """A call of that epoch was answered."""
        self._change(lambda one: breaking.succeeded(one, epoch))

    def failed(self, epoch: int) -> None:
        """A call of that epoch found nobody there."""
        self._change(lambda one: breaking.failed(one, epoch, self._clock.now(), self.failures))

    def abandoned(self, epoch: int) -> None:
        """A call of that epoch was given up before it was known."""
        self._change(lambda one: breaking.abandoned(one, epoch))

    def _change(self, change: Callable[[Circuit], Circuit]) -> None:
        with self._lock:
            self._circuit = change(self._circuit)
