"""The state of a circuit breaker."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct


class CircuitState(StrEnum):
    """Whether calls go through: all of them, none, or one to try."""

    CLOSED = "CLOSED"
    OPEN = "OPEN"
    HALF_OPEN = "HALF_OPEN"


class Circuit(Struct, frozen=True, kw_only=True):
    """A circuit: its state since when, and the failures in a row that were counted.

    `epoch` changes with the state, so that the outcome of a call that began in another state is told apart.
    """

    state: CircuitState = CircuitState.CLOSED
    failures: int = 0
    failed_at: datetime | None = None
    since: datetime | None = None
    epoch: int = 0
