"""How a memory reaches a Postgres database."""

from __future__ import annotations

from msgspec import Struct


class Database(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The connections of a process, and a replica that may be read."""

    pool_size: int = 10
    """How many connections a process opens at most."""
    replica: str | None = None
    """postgresql://… of a replica that is read when it is no further behind than `staleness`."""
    staleness: float = 5.0
    """How many seconds a replica may be behind what others wrote. What this process wrote is always seen."""
    mirror_records: int = 200_000
    """An actor of more records is searched inside the database, not in RAM; 0 for every actor."""
