"""The dictionaries that `MemoryClient` returns."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Literal, NotRequired, TypedDict

from foveal.errors import Invalid
from foveal.model.notice import Notice
from foveal.model.record import Group, Link, Record, Session, Tier
from foveal.model.results import Forgotten
from foveal.model.server import Circuit

TIERS = {Tier.WORKING: "working", Tier.SESSION: "short", Tier.EPISODIC: "medium", Tier.SEMANTIC: "long"}


class Aged(TypedDict, total=False):
    """The extra keys of a ghost, an answer kept from before the server went away, with its age."""

    is_ghost: bool
    ghost_age_seconds: float


class MemoryDict(TypedDict):
    """One memory. A search adds `relevance`, and `replaced_by` if a later memory seems to replace it; following
    an edge adds `relationship`."""

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
    """A session that was started or ended."""

    status: Literal["success"]
    session_id: str
    session: SessionDict


class MemoryAnswer(Aged):
    """One memory, as it is now."""

    status: Literal["success"]
    memory_id: str
    memory: MemoryDict


class MemoriesAnswer(Aged):
    """Several memories and their count."""

    status: Literal["success"]
    memories: list[MemoryDict]
    count: int


class DeletedAnswer(TypedDict):
    """The ids that were forgotten, and the pinned ones that were kept."""

    status: Literal["success"]
    memory_id: str
    deleted: list[str]
    count: int
    pinned: list[str]


class RelationshipAnswer(TypedDict):
    """An edge that was added."""

    status: Literal["success"]
    relationship: RelationshipDict


class BatchItem(TypedDict):
    """The result for one item of a batch."""

    index: int
    status: Literal["added", "duplicate", "rejected", "found", "not_found"]
    memory_id: NotRequired[str]
    memory: NotRequired[MemoryDict]
    code: NotRequired[str]
    message: NotRequired[str]


class BatchAnswer(Aged):
    """The result for each item of a batch, in order, and how many succeeded."""

    status: Literal["success", "partial"]
    results: list[BatchItem]
    count: int


class GroupAnswer(TypedDict):
    """A context group; `created` is false if the name existed already."""

    status: Literal["success"]
    group_id: int
    group: GroupDict
    created: bool


class JoinedAnswer(TypedDict):
    """A memory that was added to a group."""

    status: Literal["success"]
    group_id: int
    memory_id: str


class EngramAnswer(TypedDict):
    """A state that was kept: its name, and when."""

    status: Literal["success"]
    key: str
    kept_at: str


class ManifestAnswer(TypedDict):
    """The state kept under a name, and its age."""

    status: Literal["success"]
    key: str
    state: Any
    age_seconds: float


class ErrorDict(TypedDict):
    """An error of the error bus: when, of which agent and part, of which kind, and how bad. It quotes no text."""

    timestamp: str
    agent: str
    component: str
    error_type: str
    message: str
    severity: str


class ErrorsAnswer(TypedDict):
    """Errors, newest first."""

    status: Literal["success"]
    errors: list[ErrorDict]
    count: int


class BreakerAnswer(TypedDict):
    """The state of the circuit breaker."""

    status: Literal["success"]
    state: Literal["CLOSED", "OPEN", "HALF_OPEN"]
    failure_count: int
    last_failure_time: str | None
    failure_threshold: int
    reset_timeout: float


def errors_answer(notices: Iterable[Notice]) -> ErrorsAnswer:
    """Errors of the error bus, under the client's names."""
    errors = [
        ErrorDict(
            timestamp=notice.at.isoformat(),
            agent=notice.node or "/",
            component=notice.fault.component,
            error_type=notice.fault.code,
            message=notice.fault.message,
            severity=notice.fault.severity.value,
        )
        for notice in notices
        if notice.fault is not None
    ]
    return ErrorsAnswer(status="success", errors=errors, count=len(errors))


def breaker_answer(circuit: Circuit, failures: int, reset: timedelta) -> BreakerAnswer:
    """The state of a circuit breaker, under the client's names."""
    return BreakerAnswer(
        status="success",
        state=circuit.state.value,
        failure_count=circuit.failures,
        last_failure_time=_isoformat(circuit.failed_at),
        failure_threshold=failures,
        reset_timeout=reset.total_seconds(),
    )


def memory_dict(record: Record) -> MemoryDict:
    """A record under the client's names."""
    vitals = record.vitals
    return MemoryDict(
        memory_id=record.id,
        content=record.text,
        memory_type=record.kind,
        memory_tier=TIERS[vitals.tier],
        importance=vitals.importance,
        access_count=vitals.uses,
        last_accessed_at=_isoformat(vitals.used_at),
        created_at=record.recorded_at.isoformat(),
        expires_at=_isoformat(vitals.expires_at),
        metadata=dict(record.metadata),
        tags=list(record.tags),
        parent_id=record.parent_id,
        session_id=record.session_id,
        agent_id=record.node,
        version=record.version,
    )


def relationship_dict(link: Link) -> RelationshipDict:
    """A link under the client's names."""
    return RelationshipDict(
        source_id=link.source_id,
        target_id=link.target_id,
        relationship_type=str(link.kind),
        strength=link.weight,
        created_at=link.created_at.isoformat(),
    )


def session_dict(session: Session) -> SessionDict:
    """A session under the client's names."""
    return SessionDict(
        session_id=session.id,
        user_id=session.actor_id,
        session_type=session.kind,
        metadata=dict(session.metadata),
        started_at=_isoformat(session.started_at),
        ended_at=_isoformat(session.ended_at),
    )


def group_dict(group: Group) -> GroupDict:
    """A group under the client's names."""
    return GroupDict(
        group_id=group.number,
        name=group.name,
        description=group.description,
        created_at=group.created_at.isoformat(),
    )


def memories_answer(memories: Iterable[MemoryDict], aged: Aged) -> MemoriesAnswer:
    """Several memories and their count."""
    memories = list(memories)
    return MemoriesAnswer(status="success", memories=memories, count=len(memories), **aged)


def deleted_answer(memory_id: str, forgotten: Forgotten) -> DeletedAnswer:
    """The result of a forget."""
    return DeletedAnswer(
        status="success",
        memory_id=memory_id,
        deleted=list(forgotten.ids),
        count=len(forgotten.ids),
        pinned=list(forgotten.pinned),
    )


def renamed(payload: Mapping[str, Any], names: Mapping[str, str], what: str) -> dict[str, Any]:
    """A payload under our own names; an unknown key raises `Invalid` with the closest match."""
    for name in payload:
        if name not in names:
            near = difflib.get_close_matches(str(name), names, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}"
            raise Invalid(f"{what} has no key {name!r}: {hint}")
    return {names[name]: value for name, value in payload.items()}


def _isoformat(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
