"""What was said, done or learned."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct, field

from foveal.model.address import Address
from foveal.model.linearity import Linearity
from foveal.model.scope import Scope
from foveal.model.vitals import Vitals


class Record(Struct, frozen=True, kw_only=True):
    """One version of one memory. Its text is never edited: a later version supersedes it.

    Two clocks: `valid_from` and `valid_to` say when it was true, `recorded_at` and
    `superseded_at` when we knew it.
    """

    id: str
    actor_id: str
    text: str
    address: Address
    recorded_at: datetime
    occurred_at: datetime
    valid_from: datetime
    valid_to: datetime | None = None
    superseded_at: datetime | None = None
    version: int = 1
    node: str = "/"
    session_id: str | None = None
    kind: str = "note"
    scope: Scope = Scope.LOCAL
    source: str = "user"
    speaker: str | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    parent_id: str | None = None
    linearity: Linearity = Linearity.DROPPABLE
    idempotency_key: str | None = None
    vitals: Vitals = field(default_factory=Vitals)

    @property
    def world(self) -> str:
        """The tenant the record belongs to."""
        return self.address.world

    @property
    def region(self) -> str:
        """The topic or agent the record is filed under."""
        return self.address.region
