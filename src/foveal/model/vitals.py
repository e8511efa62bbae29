"""The mutable life of a record."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from foveal.model.tier import Tier


class Vitals(Struct, frozen=True, kw_only=True):
    """What may change about a record while its text stays.

    A forgotten record is hidden from every verb but keeps its text until it is erased; an archived
    one is only colder. A muted one is never recalled, but still there for whoever asks for it by id or by time.
    """

    tier: Tier = Tier.WORKING
    importance: float = 0.5
    uses: int = 0
    used_at: datetime | None = None
    pinned: bool = False
    expires_at: datetime | None = None
    archived_at: datetime | None = None
    forgotten_at: datetime | None = None
    muted: bool = False
