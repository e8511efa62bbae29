"""What a read leaves behind: an entry in the log, and uses of what it showed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct


class Recalled(Struct, frozen=True, kw_only=True):
    """A record that a read showed: where and how sharp.

    `rank` is its place in the ranking, from 1, and `parts` are what its relevance is made of; both are None for
    what came for another reason than relevance.
    """

    id: str
    rank: int | None
    relevance: float
    parts: Mapping[str, float] | None
    zone: str
    depth: int


class Recollection(Struct, frozen=True, kw_only=True):
    """One read, as the log keeps it: who asked what, when, and what came back."""

    query: str
    at: datetime
    node: str
    session_id: str | None
    policy: str
    items: tuple[Recalled, ...]


class Use(Struct, frozen=True, kw_only=True):
    """That a record was used: how often, and when last."""

    id: str
    times: int
    at: datetime
