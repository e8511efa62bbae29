"""What a store keeps for the life of records: who stands in which tier, the journal, renditions and leases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

import numpy as np
from msgspec import UNSET, Struct, UnsetType
from numpy.typing import NDArray

from foveal.model.query import Sight, Viewpoint
from foveal.model.record import Link, Record, Rendition, Subject, Tier
from foveal.model.results import Move
from foveal.ports.entry import Encoder, Entry


class Room(Struct, frozen=True, kw_only=True):
    """What one session of an actor holds in a tier: how much, and since when."""

    world: str
    actor_id: str
    session_id: str | None
    records: int
    oldest: datetime


class Act(Struct, frozen=True, kw_only=True):
    """A move, with what it writes: new records and links, and the move that it undoes."""

    move: Move
    entries: tuple[Entry, ...] = ()
    links: tuple[Link, ...] = ()
    undoes: str | None = None


class Lives(Protocol):
    """How records age in a store. A tier holds what is neither archived nor forgotten."""

    def rooms(
        self, tier: Tier, viewpoint: Viewpoint | None = None, *, before: datetime | None = None
    ) -> list[Room]:
        """What each session holds in a tier, of one organism or of all: all of it, or what was recorded before."""
        ...

    def held(
        self, sight: Sight, tier: Tier, *, session_id: str | UnsetType | None = UNSET, limit: int
    ) -> list[Record]:
        """What a tier holds, oldest first: of one session (None for what has none), or of all."""
        ...

    def act(self, sight: Sight, acts: Sequence[Act], encoder: Encoder) -> list[Move]:
        """Make moves, all in one transaction, with their rows in the journal. Gives those that were made.

        A move is left out as a whole when one of the fields it changes was changed meanwhile. `Forbidden` when the
        sight may not change a record.
        """
        ...

    def journal(
        self, sight: Sight, *, record_id: str | None = None, move_id: str | None = None, limit: int
    ) -> list[Move]:
        """Moves of records that may be seen, or could before they were forgotten: newest first."""
        ...

    def counted_moves(self, sight: Sight) -> Mapping[tuple[str, Tier], tuple[int, datetime]]:
        """How many moves of each kind left each tier, and when the last did."""
        ...

    def forget_moves(self, before: datetime, limit: int) -> int:
        """Drop the oldest rows of the journal. Gives how many went."""
        ...

    def arrivals(self, sight: Sight, limit: int) -> list[Record]:
        """What came to L4 and was not yet compared with the rest, oldest first."""
        ...

    def settle(self, viewpoint: Viewpoint, ids: Sequence[str]) -> None:
        """Say that arrivals were compared."""
        ...

    def facts(self, viewpoint: Viewpoint, encoder: Encoder, limit: int) -> Mapping[str, NDArray[np.float32]]:
        """The newest of what L4 holds and nothing was consolidated into: id and vector.

        The vector is the middle of those of its chunks, of unit length.
        """
        ...

    def faded(self, now: datetime, idle: timedelta, *, rate: float, below: float, limit: int) -> list[Record]:
        """Records of L4, of any actor, unused for that long, not pinned, whose strength is below that."""
        ...

    def expired(self, now: datetime, viewpoint: Viewpoint | None, limit: int) -> list[Record]:
        """Records of one organism, or of all, whose time has run out and that are not forgotten yet."""
        ...

    def unsummarised(
        self, kind: Subject, viewpoint: Viewpoint | None, before: datetime, limit: int
    ) -> list[tuple[Viewpoint, str]]:
        """Sessions or regions, of one organism or of all, that have grown since they were last summed up.

        Of sessions, those that were last written to before that moment; of regions, those that were last summed up
        before it.
        """
        ...

    def summarise(self, viewpoint: Viewpoint, kind: Subject, subject: str, made: Sequence[Rendition]) -> None:
        """Put these renditions in the place of those a session or region had."""
        ...

    def renditions(
        self, sight: Sight, kind: Subject, *, subjects: Sequence[str] | None = None, limit: int
    ) -> list[Rendition]:
        """The renditions that may be seen, of some sessions or regions or of all, latest first."""
        ...

    def lease(self, name: str, holder: str, now: datetime, span: timedelta) -> bool:
        """Take or prolong a lease: false while another holds it."""
        ...

    def release(self, name: str, holder: str) -> None:
        """Give a lease back."""
        ...

    def ran_at(self, name: str) -> datetime | None:
        """When a job was last done."""
        ...

    def ran(self, name: str, at: datetime) -> None:
        """Note that a job was done."""
        ...
