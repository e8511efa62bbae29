"""The circuit breaker for calls over the network."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TypeVar

from msgspec.structs import replace

from foveal.errors import CircuitOpen, FovealError
from foveal.model.server import Circuit, CircuitState
from foveal.ports.system import Clock, SystemClock

FAILURES = 3
RESET = timedelta(seconds=60)
R = TypeVar("R")


def waiting(circuit: Circuit, now: datetime, reset: timedelta = RESET) -> timedelta:
    """How long until the next call is allowed; zero if it is allowed now.

    A trial call that never ends blocks others only as long as an open circuit does.

    >>> waiting(Circuit(), datetime(2026, 1, 1))
    datetime.timedelta(0)
    """
    if circuit.state is CircuitState.CLOSED or circuit.since is None:
        return timedelta(0)
    return max(timedelta(0), circuit.since + reset - now)


def let_through(circuit: Circuit, now: datetime, reset: timedelta = RESET) -> Circuit | None:
    """The circuit after it let a call through, or None if it does not.

    After the reset time, one call is let through as a trial.

    >>> let_through(Circuit(), datetime(2026, 1, 1)) == Circuit()
    True
    """
    if circuit.state is CircuitState.CLOSED:
        return circuit
    if waiting(circuit, now, reset):
        return None
    return replace(circuit, state=CircuitState.HALF_OPEN, since=now, epoch=circuit.epoch + 1)


def succeeded(circuit: Circuit, epoch: int) -> Circuit:
    """The circuit after a call of that epoch succeeded: the count of failures is reset, and a trial closes it.

    >>> succeeded(Circuit(failures=2), 0).failures
    0
    """
    if epoch != circuit.epoch or circuit.state is CircuitState.OPEN:
        return circuit
    later = 0 if circuit.state is CircuitState.CLOSED else 1
    return Circuit(failed_at=circuit.failed_at, epoch=circuit.epoch + later)


def failed(circuit: Circuit, epoch: int, now: datetime, failures: int = FAILURES) -> Circuit:
    """The circuit after a call of that epoch failed: it opens after `failures` in a row, or when a trial fails.

    >>> failed(Circuit(failures=2), 0, datetime(2026, 1, 1)).state
    <CircuitState.OPEN: 'OPEN'>
    """
    if epoch != circuit.epoch or circuit.state is CircuitState.OPEN:
        return circuit
    counted = replace(circuit, failures=circuit.failures + 1, failed_at=now)
    if circuit.state is CircuitState.CLOSED and counted.failures < failures:
        return counted
    return replace(counted, state=CircuitState.OPEN, since=now, epoch=circuit.epoch + 1)


def abandoned(circuit: Circuit, epoch: int) -> Circuit:
    """The circuit after a call of that epoch was given up without a result: another trial is allowed at once.

    >>> abandoned(Circuit(), 0) == Circuit()
    True
    """
    if epoch != circuit.epoch or circuit.state is not CircuitState.HALF_OPEN:
        return circuit
    return replace(circuit, state=CircuitState.OPEN, since=None, epoch=circuit.epoch + 1)


def reset(circuit: Circuit) -> Circuit:
    """The circuit closed by hand; results of calls in progress no longer count.

    >>> reset(Circuit(state=CircuitState.OPEN, failures=3)).state
    <CircuitState.CLOSED: 'CLOSED'>
    """
    return Circuit(epoch=circuit.epoch + 1)


class Breaker:
    """A circuit shared between threads: it opens after several failures in a row, and allows a trial later."""

    def __init__(
        self,
        *,
        failures: int = FAILURES,
        reset: timedelta = RESET,
        clock: Clock | None = None,
    ) -> None:
        self.failures = failures
        self.reset_timeout = reset
        self._clock = clock or SystemClock()
        self._lock = threading.Lock()
        self._circuit = Circuit()

    @property
    def circuit(self) -> Circuit:
        """The current state of the circuit. It is half open from when a trial is allowed until the trial ends."""
        circuit = self._circuit
        if circuit.state is CircuitState.OPEN and not waiting(circuit, self._clock.now(), self.reset_timeout):
            return replace(circuit, state=CircuitState.HALF_OPEN)
        return circuit

    @property
    def waiting(self) -> timedelta:
        """How long until the next call is allowed; zero if it is allowed now."""
        return waiting(self._circuit, self._clock.now(), self.reset_timeout)

    def reset(self) -> None:
        """Close the circuit by hand."""
        with self._lock:
            self._circuit = reset(self._circuit)

    def enter(self) -> int:
        """Let a call through and return its epoch; raises `CircuitOpen` with the time to wait otherwise."""
        with self._lock:
            now = self._clock.now()
            admitted = let_through(self._circuit, now, self.reset_timeout)
            if admitted is None:
                left = waiting(self._circuit, now, self.reset_timeout).total_seconds()
                raise CircuitOpen(
                    f"not tried: the server failed {self._circuit.failures} times; again in {left:.0f} s",
                    retry_after=left,
                )
            self._circuit = admitted
            return admitted.epoch

    def succeeded(self, epoch: int) -> None:
        """Report that a call of that epoch was answered."""
        self._change(lambda circuit: succeeded(circuit, epoch))

    def failed(self, epoch: int) -> None:
        """Report that a call of that epoch was not answered."""
        self._change(lambda circuit: failed(circuit, epoch, self._clock.now(), self.failures))

    def abandoned(self, epoch: int) -> None:
        """Report that a call of that epoch was given up before it had a result."""
        self._change(lambda circuit: abandoned(circuit, epoch))

    def guard(self, call: Callable[[], R], is_failure: Callable[[FovealError], bool]) -> R:
        """The result of a call, which is counted; `CircuitOpen` while the circuit is open.

        Only an error for which `is_failure` holds counts as a failure; after any other, the server has answered.
        """
        epoch = self.enter()
        report = self.abandoned
        try:
            result = call()
            report = self.succeeded
        except FovealError as error:
            report = self.failed if is_failure(error) else self.succeeded
            raise
        finally:
            report(epoch)
        return result

    def _change(self, change: Callable[[Circuit], Circuit]) -> None:
        with self._lock:
            self._circuit = change(self._circuit)
