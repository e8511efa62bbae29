"""What was done to records without changing their text, so that it can be told and undone."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from foveal.model.vitals import Vitals


class What(StrEnum):
    """The kinds of moves."""

    PROMOTED = "promoted"
    DIGESTED = "digested"
    SEDIMENTED = "sedimented"
    ARCHIVED = "archived"
    CONSOLIDATED = "consolidated"
    EXPIRED = "expired"
    FORGOTTEN = "forgotten"
    SUPERSEDED = "superseded"
    CLEARED = "cleared"
    RESTORED = "restored"
    UNDONE = "undone"


class Change(Struct, frozen=True, kw_only=True):
    """What a move did to the life of one record.

    Only the fields that differ are the change, so that a use counted meanwhile is not lost by it.
    """

    record_id: str
    before: Vitals
    after: Vitals


class Move(Struct, frozen=True, kw_only=True):
    """One move: who made it, of what kind, why, and what it changed. It is undone as a whole.

    `made` are records that the move wrote; `version` is the version that a superseding move made.
    """

    id: str
    at: datetime
    who: str
    what: What
    why: str
    changes: tuple[Change, ...]
    made: tuple[str, ...] = ()
    version: int | None = None
    undone_at: datetime | None = None

    @property
    def record_id(self) -> str:
        """The first record it touched."""
        return self.changes[0].record_id if self.changes else ""


class Metabolised(Struct, frozen=True, kw_only=True):
    """What a metabolism did, or would do: how many moves of each kind, and some of them."""

    moves: int
    counts: dict[str, int]
    examples: tuple[Move, ...]
    summaries: int = 0
    dry_run: bool = False


class Forecast(Struct, frozen=True, kw_only=True):
    """When a record will move by itself, what will become of it, and why."""

    at: datetime
    what: What
    tier: str
    why: str
