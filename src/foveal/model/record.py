"""`Record`, `Vitals`, `Tier`, `Scope`, `Linearity`, `Link`, `Group`, `Session`, `Rendition`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Any, Self

from msgspec import Struct, field

from foveal.errors import Invalid
from foveal.model.ids import Address


class Linearity(IntEnum):
    """DROPPABLE may go, REQUIRED may be shortened, PRESERVED stays word for word."""

    DROPPABLE = 1
    REQUIRED = 2
    PRESERVED = 3

    @classmethod
    def named(cls, name: str | Linearity) -> Self:
        """The class of this name, in any case; an unknown name is an error that lists them.

        >>> Linearity.named("required")
        <Linearity.REQUIRED: 2>
        """
        word = name.name if isinstance(name, Linearity) else str(name).upper()
        if word not in cls.__members__:
            raise Invalid(f"{name!r} is not a linearity; use droppable, required or preserved")
        return cls[word]


class LinkKind(StrEnum):
    """The kinds of edges that have a meaning of their own; callers may name others."""

    PARENT = "parent"
    SUPERSEDES = "supersedes"
    DERIVED_FROM = "derived_from"
    RELATES = "relates"
    REPEATS = "repeats"
    CONSOLIDATED_INTO = "consolidated_into"


class Link(Struct, frozen=True, kw_only=True):
    """A typed, weighted edge from one record to another."""

    source_id: str
    target_id: str
    kind: str = LinkKind.RELATES
    weight: float = 1.0
    created_at: datetime


class Group(Struct, frozen=True, kw_only=True):
    """A named set of records. No two groups of a memory have the same name, nor the same number."""

    id: str
    name: str
    description: str = ""
    created_at: datetime
    number: int = 0


class Scope(StrEnum):
    """How far a record reaches from the node that wrote it.

    INHERITED is a way of looking, not a stored value: the read-only sight of what the parent
    itself wrote SHARED.
    """

    LOCAL = "local"
    SHARED = "shared"
    INHERITED = "inherited"
    GLOBAL = "global"


STORED_SCOPES = (Scope.LOCAL, Scope.SHARED, Scope.GLOBAL)


class Subject(StrEnum):
    """What a rendition may be of. Those of cells are made when a read wants them, and not kept."""

    SESSION = "session"
    REGION = "region"
    CELL = "cell"


KEPT = (Subject.SESSION, Subject.REGION)


class Rendition(Struct, frozen=True, kw_only=True):
    """What one node said in a session, a region or a cell of the map, shorter.

    The texts it was made from stay as they are.
    `sources` are the ids of those records with the versions that were read; `maker` is the summariser.
    It is seen by those who see its sources, and only while each of them is as it was.
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


class Tier(IntEnum):
    """A column with a policy, never a second store.

    >>> Tier.named("long_term") is Tier.named("L4") is Tier.SEMANTIC
    True
    """

    WORKING = 1
    SESSION = 2
    EPISODIC = 3
    SEMANTIC = 4

    @classmethod
    def named(cls, name: str | int | Tier) -> Self:
        """The tier that any of its names means; an unknown name is an error that lists them."""
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
