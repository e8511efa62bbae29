"""Who asks and what may be seen: `Viewpoint`, `Access`, the filter tree, the arguments of a write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, TypedDict

from msgspec import Struct

from foveal.model.record import Linearity, Scope, Tier


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


Scalar = str | int | float | bool | datetime | None


class Op(StrEnum):
    """What a field may be asked."""

    EQ = "eq"
    NE = "ne"
    IN = "in"
    CONTAINS = "contains"
    PREFIX = "prefix"
    LT = "lt"
    LTE = "lte"
    GT = "gt"
    GTE = "gte"


class Compare(Struct, frozen=True):
    """One field against one value (or, for `in`, a tuple of them)."""

    field: str
    op: Op
    value: Scalar | tuple[Scalar, ...]


class AllOf(Struct, frozen=True):
    """True when every part is; with no part, always."""

    parts: tuple[Filter, ...]


class AnyOf(Struct, frozen=True):
    """True when a part is; with no part, never."""

    parts: tuple[Filter, ...]


class Negation(Struct, frozen=True):
    """True when its part is not."""

    part: Filter


Filter = Compare | AllOf | AnyOf | Negation

FIELDS = (
    *("id", "kind", "tags", "region", "session_id", "speaker", "source", "node", "scope", "parent_id"),
    *("digits", "tape", "tier", "importance", "uses", "pinned", "muted", "archived", "linearity", "text"),
    *("occurred_at", "recorded_at", "valid_from", "valid_to"),
)


class Viewpoint(Struct, frozen=True, kw_only=True):
    """Who is asking: whose memory it is, and the node and session that speak.

    (world, actor) is one organism; the tree of nodes lives inside it.
    """

    world: str = "default"
    actor_id: str
    node: str = "/"
    session_id: str | None = None

    @property
    def organism(self) -> tuple[str, str]:
        """The memory that is looked at."""
        return (self.world, self.actor_id)


class Access(Struct, frozen=True, kw_only=True):
    """What one call may see.

    `as_of` asks what was known then, `valid_at` what was true then; `where` narrows further.
    The owner of an organism sees all its nodes; with `hidden`, also what is forgotten or expired. A sight that
    is `recalling` does not see what is muted.
    """

    viewpoint: Viewpoint
    now: datetime
    as_of: datetime | None = None
    valid_at: datetime | None = None
    where: Filter | None = None
    as_owner: bool = False
    include_hidden: bool = False
    for_recall: bool = False
