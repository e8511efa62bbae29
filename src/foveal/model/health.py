"""How well a memory and what it stands on are."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from foveal.model.circuit import CircuitState


class State(StrEnum):
    """How well something is: it works, it works with less, it does not work."""

    OK = "ok"
    DEGRADED = "degraded"
    DOWN = "down"


class Component(Struct, frozen=True, kw_only=True):
    """One part: its state, why, and the figure that was looked at."""

    name: str
    state: State
    reason: str
    figure: float | None = None
    unit: str = ""


class BreakerState(Struct, frozen=True, kw_only=True):
    """What stands before another server: whether calls go to it, and how many in a row failed of those allowed to.

    `seconds` is until one call is tried, 0 when calls go through.
    """

    name: str
    state: CircuitState
    failures: int
    allowed: int
    seconds: float
    since: datetime | None = None
    failed_at: datetime | None = None


class Health(Struct, frozen=True, kw_only=True):
    """How well all parts are, and the whole of them. Who drains takes no new work."""

    state: State
    at: datetime
    components: tuple[Component, ...]
    draining: bool = False
    breakers: tuple[BreakerState, ...] = ()

    @property
    def ready(self) -> bool:
        """Whether to send it work."""
        return self.state is not State.DOWN and not self.draining
