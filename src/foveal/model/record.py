"""Records and what belongs to them: vitals, tiers, scopes, links, groups, sessions, summaries."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Any, Self

from msgspec import Struct, field

from foveal.errors import Invalid
from foveal.model.display import brief, table_html
from foveal.model.ids import Address


class Linearity(IntEnum):
    """What compression may do: drop a DROPPABLE text, shorten a REQUIRED one, but never change a PRESERVED one."""

    DROPPABLE = 1
    REQUIRED = 2
    PRESERVED = 3

    @classmethod
    def named(cls, name: str | Linearity) -> Self:
        """The linearity with this name, in any case; the error for an unknown name lists them all.

        >>> Linearity.named("required")
        <Linearity.REQUIRED: 2>
        """
        word = name.name if isinstance(name, Linearity) else str(name).upper()
        if word not in cls.__members__:
            raise Invalid(f"{name!r} is not a linearity; use droppable, required or preserved")
        return cls[word]


class LinkKind(StrEnum):
    """The kinds of links that Foveal gives a meaning; callers may use others."""

    PARENT = "parent"
    SUPERSEDES = "supersedes"
    DERIVED_FROM = "derived_from"
    RELATES = "relates"
    REPEATS = "repeats"
    UPDATES = "updates"
    CONTRADICTS = "contradicts"
    CONSOLIDATED_INTO = "consolidated_into"


class Link(Struct, frozen=True, kw_only=True):
    """A typed, weighted edge from one record to another."""

    source_id: str
    target_id: str
    kind: str = LinkKind.RELATES
    weight: float = 1.0
    created_at: datetime


class Group(Struct, frozen=True, kw_only=True):
    """A named set of records. Names are unique within a node, numbers within a memory.

    A group of the root is known to every node; one of another node, to that node and those above it.
    """

    id: str
    name: str
    description: str = ""
    created_at: datetime
    number: int = 0
    node: str = "/"


class Scope(StrEnum):
    """How far a record reaches from the node that wrote it.

    INHERITED is never stored: it is how a node sees, read-only, what its parent wrote as SHARED.
    """

    LOCAL = "local"
    SHARED = "shared"
    INHERITED = "inherited"
    GLOBAL = "global"


STORED_SCOPES = (Scope.LOCAL, Scope.SHARED, Scope.GLOBAL)


class Subject(StrEnum):
    """What a rendition summarises. Renditions of cells are made for a read and not stored."""

    SESSION = "session"
    REGION = "region"
    CELL = "cell"


KEPT = (Subject.SESSION, Subject.REGION)


class Rendition(Struct, frozen=True, kw_only=True):
    """A summary of what one node wrote in a session, a region or a cell of the map.

    The records it was made from do not change. `sources` lists their ids with the versions that were read; `maker`
    is the summariser. Whoever sees all the sources sees the rendition, as long as no source has changed.
    """

    kind: Subject
    subject: str
    node: str
    scope: Scope
    text: str
    depth: int = 0
    records: int
    sources: tuple[tuple[str, int], ...]
    first_at: datetime
    last_at: datetime
    maker: str
    made_at: datetime


class Session(Struct, frozen=True, kw_only=True):
    """A session of an actor, and how much of it the viewpoint may see.

    `started_at` is None for a session that was never created and that only records name. A session that the root
    created is known to every node; one of another `node`, to that node and those above it.
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
    node: str = "/"


class Tier(IntEnum):
    """How hot a record is, from WORKING to SEMANTIC. A tier is a column with a policy, not a separate store.

    >>> Tier.named("long_term") is Tier.named("L4") is Tier.SEMANTIC
    True
    """

    WORKING = 1
    SESSION = 2
    EPISODIC = 3
    SEMANTIC = 4

    @classmethod
    def named(cls, name: str | int | Tier) -> Self:
        """The tier with this name or alias; the error for an unknown name lists them all."""
        number = _NAMES.get(str(name).lower()) if not isinstance(name, Tier) else int(name)
        if number is None:
            raise Invalid(f"{name!r} is not a tier; use one of {', '.join(_NAMES)}")
        return cls(number)


_NAMES = {
    **{"1": 1, "l1": 1, "working": 1, "operational": 1},
    **{"2": 2, "l2": 2, "session": 2, "short": 2},
    **{"3": 3, "l3": 3, "episodic": 3, "medium": 3},
    **{"4": 4, "l4": 4, "semantic": 4, "long": 4, "longterm": 4, "long_term": 4},
}


class Vitals(Struct, frozen=True, kw_only=True):
    """The mutable state of a record, whose text never changes.

    A forgotten record is hidden from every verb but keeps its text until it is erased; an archived one is only
    colder. A muted record is never recalled, but can still be found by id or by time.
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


class Record(Struct, frozen=True, kw_only=True):
    """One version of one memory. Its text is never edited: a later version supersedes it.

    It has two time axes: `valid_from` and `valid_to` say when it was true, `recorded_at` and `superseded_at` when
    it was known.
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

    def __repr__(self) -> str:
        return f"<{self.kind} {self.line}>"

    @property
    def line(self) -> str:
        """The record in one line: id, day, speaker and the beginning of its text."""
        who = f"{self.speaker}: " if self.speaker else ""
        return f"{self.id} {self.occurred_at:%Y-%m-%d} {who}{brief(self.text)}"

    def _repr_html_(self) -> str:
        return table_html(f"{self.kind} {self.id}", self.rows)

    @property
    def rows(self) -> list[tuple[str, object]]:
        """What a notebook shows of the record: the names of fields, and their values."""
        known: dict[str, object] = {
            "text": self.text,
            "when": f"{self.occurred_at:%Y-%m-%d %H:%M %Z}",
            "speaker": self.speaker,
            "tags": ", ".join(self.tags),
            "importance": round(self.importance, 2),
            "tier": self.tier.name.lower(),
        }
        return [(name, value) for name, value in known.items() if value not in (None, "")]

    @property
    def importance(self) -> float:
        """How much it matters, from 0 to 1, before decay."""
        return self.vitals.importance

    @property
    def tier(self) -> Tier:
        """How hot it is."""
        return self.vitals.tier

    @property
    def pinned(self) -> bool:
        """Whether it is protected from being forgotten and from decay."""
        return self.vitals.pinned

    @property
    def archived(self) -> bool:
        """Whether it was put away: found by a search as before, but not shown unasked."""
        return self.vitals.archived_at is not None

    @property
    def world(self) -> str:
        """The tenant the record belongs to."""
        return self.address.world

    @property
    def region(self) -> str:
        """The topic or agent the record is filed under."""
        return self.address.region
