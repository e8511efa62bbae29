"""A conversation that was begun, and may have ended."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct, field


class Session(Struct, frozen=True, kw_only=True):
    """A session of an actor, and how much of it the viewpoint may see.

    `started_at` is None for a session that nobody created: records name it, and that is all.
    """

    id: str
    actor_id: str
    kind: str = "conversation"
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    started_at: datetime | None = None
    ended_at: datetime | None = None
    records: int = 0
    first_at: datetime | None = None
    last_at: datetime | None = None
