"""What a caller may say with a text it writes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, TypedDict

from foveal.model.linearity import Linearity
from foveal.model.scope import Scope
from foveal.model.tier import Tier


class At(TypedDict, total=False):
    """The viewpoint of a call. What is not said is what `view` bound, else the default."""

    actor_id: str
    """Whose memory it is. Every call needs one."""
    world: str
    """The tenant; "default" if never said."""
    node: str
    """The agent that speaks, as a path in the tree of agents; "/" if never said."""
    session_id: str | None
    """The conversation that is going on."""


class Details(At, total=False):
    """Everything about a record but its text."""

    region: str | None
    """The topic it is filed under; "agent:<actor_id>" if not said."""
    kind: str
    """What it is: "note", "fact", "decision", …"""
    scope: Scope | str
    """How far it reaches in the tree of agents: local, shared or global."""
    source: str
    """Where it came from: "user", "assistant", "system", …"""
    speaker: str | None
    """Who said it, by name."""
    importance: float | None
    """From 0 to 1; the default of its kind if not said."""
    tags: Iterable[str]
    """Short labels to filter by."""
    metadata: Mapping[str, Any] | None
    """Anything else, as a JSON object."""
    parent_id: str | None
    """The record it belongs under."""
    occurred_at: datetime | str | None
    """When it was said or happened; now if not said."""
    valid_from: datetime | str | None
    """When it began to be true; `occurred_at` if not said."""
    valid_to: datetime | str | None
    """When it ceased to be true."""
    ttl: timedelta | float | None
    """How long it may be seen: a timedelta, or seconds."""
    expires_at: datetime | str | None
    """Until when it may be seen; instead of `ttl`."""
    pin: bool
    """Keep it from being forgotten and from decay."""
    tier: Tier | str | None
    """How hot it starts; the default of its kind if not said."""
    linearity: Linearity | str | None
    """What compression may do to it: droppable, required or preserved."""
    idempotency_key: str | None
    """A name for this write: sent twice, it is stored once."""
    id: str
    """An id of your own; a fresh one if not said."""
