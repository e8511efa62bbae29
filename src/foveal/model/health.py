"""How well a memory and what it stands on are."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct


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


class Health(Struct, frozen=True, kw_only=True):
    """How well all parts are, and the whole of them. Who drains takes no new work."""

    state: State
    at: datetime
    components: tuple[Component, ...]
    draining: bool = False

    @property
    def ready(self) -> bool:
        """Whether to send it work."""
        return self.state is not State.DOWN and not self.draining
