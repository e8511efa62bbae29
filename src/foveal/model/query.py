"""The inputs of a call: the viewpoint, what it may see, the filter tree, and the details of a write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Any, Required, TypedDict

from msgspec import Struct

from foveal.model.record import Linearity, Scope, Tier


class At(TypedDict, total=False):
    """The viewpoint of a call. A missing key takes the value that `view` bound, or else the default."""

    actor_id: str
    """Whose memory it is; "me" by default. A server has no default, unless the key is for one actor."""
    world: str
    """The tenant; "default" by default."""
    node: str
    """The agent that speaks, as a path in the tree of agents; "/" by default."""
    session_id: str | None
    """The current conversation."""


class ChatMessage(TypedDict, total=False):
    """A message of a chat, as models get it. It is accepted wherever a text is."""

    role: Required[str]
    """Who speaks: "user", "assistant", "system" or "tool"."""
    content: Required[Any]
    """The text, or a list of parts with a text."""
    name: str
    """The name of the speaker."""


class Details(At, total=False):
    """Everything about a record except its text."""

    region: str | None
    """The topic it is filed under; "agent:<actor_id>" by default."""
    kind: str
    """What it is: "note", "fact", "decision", …"""
    scope: Scope | str | None
    """How far it reaches in the tree of agents: local, shared or global. By default what the root writes is global,
    and what a node below it writes is local."""
    source: str
    """Where it came from: "user", "assistant", "system", …"""
    speaker: str | None
    """Who said it, by name."""
    importance: float | None
    """From 0 to 1; by default that of its kind, or what the text suggests."""
    tags: Iterable[str]
    """Short labels to filter by."""
    metadata: Mapping[str, Any] | None
    """Anything else, as a JSON object."""
    parent_id: str | None
    """The record it belongs under."""
    occurred_at: datetime | date | str | None
    """When it was said or happened; now by default."""
    valid_from: datetime | date | str | None
    """When it became true; `occurred_at` by default."""
    valid_to: datetime | date | str | None
    """When it stopped being true."""
    ttl: timedelta | float | None
    """How long it stays visible: a timedelta, or seconds."""
    expires_at: datetime | date | str | None
    """When it stops being visible; an alternative to `ttl`."""
    pin: bool
    """Protect it from being forgotten and from decay."""
    tier: Tier | str | None
    """The tier it starts in; by default that of its kind."""
    linearity: Linearity | str | None
    """What compression may do to it: droppable, required or preserved."""
    idempotency_key: str | None
    """A name for this write: sent twice, it is stored once."""
    id: str
    """An id of your own, which ends with @ and the node unless that is the root; a new one by default."""


Scalar = str | int | float | bool | datetime | None


class Op(StrEnum):
    """The operators that compare a field with a value."""

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
    """A comparison of one field with one value (or, for `in`, a tuple of values)."""

    field: str
    op: Op
    value: Scalar | tuple[Scalar, ...]


class AllOf(Struct, frozen=True):
    """True if every part is true; without parts, always."""

    parts: tuple[Filter, ...]


class AnyOf(Struct, frozen=True):
    """True if any part is true; without parts, never."""

    parts: tuple[Filter, ...]


class Negation(Struct, frozen=True):
    """True if its part is false."""

    part: Filter


Filter = Compare | AllOf | AnyOf | Negation

FIELDS = (
    *("id", "kind", "tags", "region", "session_id", "speaker", "source", "node", "scope", "parent_id"),
    *("digits", "tape", "tier", "importance", "uses", "pinned", "muted", "archived", "linearity", "text"),
    *("occurred_at", "recorded_at", "valid_from", "valid_to"),
)


class Viewpoint(Struct, frozen=True, kw_only=True):
    """Who is calling: whose memory it is, and the node and the session that speak.

    The tree of nodes belongs to one actor in one world.
    """

    world: str = "default"
    actor_id: str
    node: str = "/"
    session_id: str | None = None

    @property
    def organism(self) -> tuple[str, str]:
        """The world and the actor whose memory it is."""
        return (self.world, self.actor_id)


class Access(Struct, frozen=True, kw_only=True):
    """What one call may see.

    `as_of` asks for what was known then, `valid_at` for what was true then; `where` is a further filter. With
    `as_owner`, the call sees all nodes of the organism; with `include_hidden`, also forgotten and expired records.
    With `for_recall`, it does not see muted records.
    """

    viewpoint: Viewpoint
    now: datetime
    as_of: datetime | None = None
    valid_at: datetime | None = None
    where: Filter | None = None
    as_owner: bool = False
    include_hidden: bool = False
    for_recall: bool = False

    @property
    def is_plain_recall(self) -> bool:
        """Whether, apart from `where`, only the scope of a record and the time until which it is shown decide."""
        return self.for_recall and not self.include_hidden and self.as_of is None and self.valid_at is None
