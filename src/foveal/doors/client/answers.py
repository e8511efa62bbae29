"""The dictionaries that `MemoryClient` returns."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Literal, NotRequired, TypedDict

from foveal.errors import Invalid
from foveal.model.record import Group, Link, Record, Session, Tier
from foveal.model.results import Forgotten
from foveal.model.server import Circuit

TIERS = {Tier.WORKING: "working", Tier.SESSION: "short", Tier.EPISODIC: "medium", Tier.SEMANTIC: "long"}


class Aged(TypedDict, total=False):
    """What an answer says that is a ghost: the server is away, and it is so many seconds old."""

    is_ghost: bool
    ghost_age_seconds: float


class MemoryDict(TypedDict):
    """One memory. `relevance` stands there when it was searched for, `replaced_by` when a later one seems to say it
    anew, and `relationship` when an edge led to it."""

    memory_id: str
    content: str
    memory_type: str
    memory_tier: str
    importance: float
    access_count: int
    last_accessed_at: str | None
    created_at: str
    expires_at: str | None
    metadata: dict[str, Any]
    tags: list[str]
    parent_id: str | None
    session_id: str | None
    agent_id: str
    version: int
    relevance: NotRequired[float]
    replaced_by: NotRequired[str]
    relationship: NotRequired[RelationshipDict]


class RelationshipDict(TypedDict):
    """A typed edge between two memories."""

    source_id: str
    target_id: str
    relationship_type: str
    strength: float
    created_at: str


class SessionDict(TypedDict):
    """A session."""

    session_id: str
    user_id: str
    session_type: str
    metadata: dict[str, Any]
    started_at: str | None
    ended_at: str | None


class GroupDict(TypedDict):
    """A context group, with its number."""

    group_id: int
    name: str
    description: str
    created_at: str


class SessionAnswer(TypedDict):
    """A session that was begun."""

    status: Literal["success"]
    session_id: str
    session: SessionDict


class MemoryAnswer(Aged):
    """One memory, as it is now."""

    status: Literal["success"]
    memory_id: str
    memory: MemoryDict


class MemoriesAnswer(Aged):
    """Several memories, and how many they are."""

    status: Literal["success"]
    memories: list[MemoryDict]
    count: int


class DeletedAnswer(TypedDict):
    """What was forgotten, and the pinned ones that were not."""

    status: Literal["success"]
    memory_id: str
    deleted: list[str]
    count: int
    pinned: list[str]


class RelationshipAnswer(TypedDict):
    """An edge that was drawn."""

    status: Literal["success"]
    relationship: RelationshipDict


class BatchItem(TypedDict):
    """What became of one item of a batch."""

    index: int
    status: Literal["added", "duplicate", "rejected", "found", "not_found"]
    memory_id: NotRequired[str]
    memory: NotRequired[MemoryDict]
    code: NotRequired[str]
    message: NotRequired[str]


class BatchAnswer(Aged):
    """What became of each item of a batch, in its order, and how many went well."""

    status: Literal["success", "partial"]
    results: list[BatchItem]
    count: int


class GroupAnswer(TypedDict):
    """A context group; `created` is false when its name was there already."""

    status: Literal["success"]
    group_id: int
    group: GroupDict
    created: bool


class JoinedAnswer(TypedDict):
    """A memory that is in a group."""

    status: Literal["success"]
    group_id: int
    memory_id: str


class EngramAnswer(TypedDict):
    """A state that is kept where the client is: its name, and the file it is in."""

    status: Literal["success"]
    key: str
    path: str


class ManifestAnswer(TypedDict):
    """A state that an engram kept, how old it is, and whether that is fresh or stale."""

    status: Literal["success"]
    key: str
    state: Any
    level: str
    age_seconds: float


class BreakerAnswer(TypedDict):
    """The state of the circuit breaker."""

    status: Literal["success"]
    state: Literal["CLOSED", "OPEN", "HALF_OPEN"]
    failure_count: int
    last_failure_time: str | None
    failure_threshold: int
    reset_timeout: float


def breaker_answer(circuit: Circuit, failures: int, reset: timedelta) -> BreakerAnswer:
    """The state of a circuit under the names that the client knows."""
    return BreakerAnswer(
        status="success",
        state=circuit.state.value,
        failure_count=circuit.failures,
        last_failure_time=_written(circuit.failed_at),
        failure_threshold=failures,
        reset_timeout=reset.total_seconds(),
    )


def memory_dict(record: Record) -> MemoryDict:
    """A record under the names that the client knows."""
    vitals = record.vitals
    return MemoryDict(
        memory_id=record.id,
        content=record.text,
        memory_type=record.kind,
        memory_tier=TIERS[vitals.tier],
        importance=vitals.importance,
        access_count=vitals.uses,
        last_accessed_at=_written(vitals.used_at),
        created_at=record.recorded_at.isoformat(),
        expires_at=_written(vitals.expires_at),
        metadata=dict(record.metadata),
        tags=list(record.tags),
        parent_id=record.parent_id,
        session_id=record.session_id,
        agent_id=record.node,
        version=record.version,
    )


def relationship_dict(link: Link) -> RelationshipDict:
    """An edge under the names that the client knows."""
    return RelationshipDict(
        source_id=link.source_id,
        target_id=link.target_id,
        relationship_type=str(link.kind),
        strength=link.weight,
        created_at=link.created_at.isoformat(),
    )


def session_dict(session: Session) -> SessionDict:
    """A session under the names that the client knows."""
    return SessionDict(
        session_id=session.id,
        user_id=session.actor_id,
        session_type=session.kind,
        metadata=dict(session.metadata),
        started_at=_written(session.started_at),
        ended_at=_written(session.ended_at),
    )


def group_dict(group: Group) -> GroupDict:
    """A group under the names that the client knows."""
    return GroupDict(
        group_id=group.number,
        name=group.name,
        description=group.description,
        created_at=group.created_at.isoformat(),
    )


def memories_answer(memories: Iterable[MemoryDict], aged: Aged) -> MemoriesAnswer:
    """Several memories, counted."""
    listed = list(memories)
    return MemoriesAnswer(status="success", memories=listed, count=len(listed), **aged)


def deleted_answer(memory_id: str, gone: Forgotten) -> DeletedAnswer:
    """What a forget did."""
    return DeletedAnswer(
        status="success",
        memory_id=memory_id,
        deleted=list(gone.ids),
        count=len(gone.ids),
        pinned=list(gone.pinned),
    )


def renamed(given: Mapping[str, Any], names: Mapping[str, str], what: str) -> dict[str, Any]:
    """A payload under our own names; a key that does not exist is an error with the likely one."""
    for name in given:
        if name not in names:
            near = difflib.get_close_matches(str(name), names, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}"
            raise Invalid(f"{what} has no key {name!r}: {hint}")
    return {names[name]: value for name, value in given.items()}


def _written(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
