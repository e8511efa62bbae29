"""The time of day."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Says what time it is."""

    def now(self) -> datetime:
        """This moment, with a time zone."""
        ...


class SystemClock:
    """The clock of this machine."""

    def now(self) -> datetime:
        """This moment in UTC."""
        return datetime.now(UTC)
