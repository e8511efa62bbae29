"""When calls to a server that fails are no longer tried, and when they are tried again."""

from __future__ import annotations

from datetime import datetime, timedelta

from msgspec.structs import replace

from foveal.model.server import Circuit, CircuitState

FAILURES = 3
RESET = timedelta(seconds=60)


def waiting(circuit: Circuit, now: datetime, reset: timedelta = RESET) -> timedelta:
    """How long until the next call may go through; nothing if it may now.

    A trial that never ended holds the door no longer than it would have been shut.

    >>> waiting(Circuit(), datetime(2026, 1, 1))
    datetime.timedelta(0)
    """
    if circuit.state is CircuitState.CLOSED or circuit.since is None:
        return timedelta(0)
    return max(timedelta(0), circuit.since + reset - now)


def admitted(circuit: Circuit, now: datetime, reset: timedelta = RESET) -> Circuit | None:
    """The circuit with one more call let through; None if it is not. When the time is over, one call is the trial.

    >>> admitted(Circuit(), datetime(2026, 1, 1)) == Circuit()
    True
    """
    if circuit.state is CircuitState.CLOSED:
        return circuit
    if waiting(circuit, now, reset):
        return None
    return replace(circuit, state=CircuitState.HALF_OPEN, since=now, epoch=circuit.epoch + 1)


def succeeded(circuit: Circuit, epoch: int) -> Circuit:
    """The circuit after a call of that epoch went well: failures are counted anew, and a trial closes it.

    >>> succeeded(Circuit(failures=2), 0).failures
    0
    """
    if epoch != circuit.epoch or circuit.state is CircuitState.OPEN:
        return circuit
    later = 0 if circuit.state is CircuitState.CLOSED else 1
    return Circuit(failed_at=circuit.failed_at, epoch=circuit.epoch + later)


def failed(circuit: Circuit, epoch: int, now: datetime, failures: int = FAILURES) -> Circuit:
    """The circuit after a call of that epoch failed: it opens at the last one allowed, or when a trial fails.

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
    """The circuit after a call of that epoch was given up, which says nothing: another trial may come at once.

    >>> abandoned(Circuit(), 0) == Circuit()
    True
    """
    if epoch != circuit.epoch or circuit.state is not CircuitState.HALF_OPEN:
        return circuit
    return replace(circuit, state=CircuitState.OPEN, since=None, epoch=circuit.epoch + 1)


def reset(circuit: Circuit) -> Circuit:
    """The circuit closed by hand; what is still under way no longer counts.

    >>> reset(Circuit(state=CircuitState.OPEN, failures=3)).state
    <CircuitState.CLOSED: 'CLOSED'>
    """
    return Circuit(epoch=circuit.epoch + 1)
