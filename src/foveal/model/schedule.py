"""How often the worker does what."""

from __future__ import annotations

from msgspec import Struct

from foveal.errors import Invalid


class Schedule(Struct, frozen=True, kw_only=True):
    """The hours between two runs of each job; 0 switches one off. `health_check` is an hour of the day, in UTC."""

    migration: float = 1 / 60
    """Records move from tier to tier."""
    reaping: float = 1.0
    """What has run out of time is told and forgotten."""
    decay: float = 24.0
    """What has faded away in L4 goes to the archive."""
    consolidation: float = 12.0
    """Near-duplicates of L4 become one, and sessions are summed up."""
    cleanup: float = 168.0
    """Old rows of the journal go."""
    health_check: float | None = 3.0
    """The stored data is checked."""
    journal_days: float = 90.0
    """How long the journal keeps a move, which can be undone as long."""
    faded_below: float = 0.1
    """The strength below which a record of L4 has faded away."""
    faded_days: float = 90.0
    """How long such a record must have been unused."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if value is not None and value < 0:
                raise Invalid(f"{name} of the scheduler must be 0 or more")
        if self.health_check is not None and self.health_check >= 24:
            raise Invalid("health_check is an hour of the day, below 24")
