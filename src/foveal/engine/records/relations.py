"""Trees, related records, sessions and nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from foveal.engine.runtime.runtime import Runtime
from foveal.errors import Conflict, Invalid, NotFound
from foveal.model.ids import new_id
from foveal.model.query import Access, AllOf, AnyOf, Compare, Op, Viewpoint
from foveal.model.record import Record, Session
from foveal.model.results import Branch, Node, Related
from foveal.rules.trees import spread, tree_layout
from foveal.rules.validation import checked_metadata, checked_name


def tree(runtime: Runtime, access: Access, record_id: str, depth: int, limit: int) -> list[Branch]:
    """A record and its descendants, each right after its parent."""
    top = require_record(runtime, access, record_id)
    return tree_layout(top, runtime.store.trees.descendants(access, record_id, depth + 1), depth, limit)


def related(runtime: Runtime, access: Access, record_id: str, kind: str | None, depth: int) -> list[Related]:
    """The records reachable over links, each once: nearest first, then strongest."""
    require_record(runtime, access, record_id)
    strengths = {record_id: 1.0}
    frontier = dict(strengths)
    results: list[Related] = []
    for distance in range(1, depth + 1):
        links = [link for link in runtime.store.trees.edges(access, list(frontier)) if kind in (None, link.kind)]
        step = spread(frontier, links, strengths)
        records = runtime.store.records.get(access, list(step))
        level = [
            Related(record=record, link=step[record.id][1], distance=distance, strength=step[record.id][0])
            for record in records
        ]
        results += sorted(level, key=lambda result: (-result.strength, result.record.id))
        frontier = {result.record.id: result.strength for result in level}
        strengths |= frontier
        if not frontier:
            break
    return results


def require_record(runtime: Runtime, access: Access, record_id: str) -> Record:
    """The record with this id; `NotFound` if it does not exist or is not visible."""
    records = runtime.store.records.get(access, [record_id])
    if not records:
        raise NotFound(f"there is no record {record_id!r} here", record_id=record_id)
    return records[0]


def require_parent(runtime: Runtime, viewpoint: Viewpoint, record_id: str, parent_id: str) -> None:
    """Refuse a parent that is not visible, or that is a descendant of the record itself."""
    if not runtime.store.records.get(runtime.access(viewpoint), [parent_id]):
        raise NotFound(f"there is no parent {parent_id!r} here", record_id=parent_id)
    everything = runtime.access(viewpoint, as_owner=True, include_hidden=True)
    if record_id == parent_id or record_id in runtime.store.trees.ancestors(everything, parent_id):
        raise Invalid(f"{parent_id} lies below {record_id}: it cannot be its parent", record_id=record_id)


def create_session(
    runtime: Runtime, viewpoint: Viewpoint, session_id: str | None, kind: str, metadata: Any
) -> Session:
    """Start a session; `Conflict` if its id is in use."""
    access = runtime.access(viewpoint)
    name = new_id(access.now) if session_id is None else checked_name(session_id, "session_id")
    if _created(access, runtime.store.links.sessions(access, name)) is not None:
        raise Conflict(f"there is a session {name!r} already", session_id=name)
    session = Session(
        id=name,
        actor_id=viewpoint.actor_id,
        kind=checked_name(kind, "kind"),
        metadata=checked_metadata(metadata),
        started_at=access.now,
        node=viewpoint.node,
    )
    runtime.store.links.put_session(viewpoint, session)
    return session


def get_session(runtime: Runtime, access: Access, session_id: str) -> Session:
    """One session; `NotFound` unless it was created explicitly or a visible record refers to it."""
    sessions = runtime.store.links.sessions(access, checked_name(session_id, "session"))
    if not sessions:
        raise NotFound(f"there is no session {session_id!r} here", session_id=session_id)
    return _created(access, sessions) or sessions[0]


def _created(access: Access, sessions: Sequence[Session]) -> Session | None:
    """The session that this node created, or else the root: those of nodes below are others of the same name."""
    own = [session for session in sessions if session.node in (access.viewpoint.node, "/")]
    return max((session for session in own if session.started_at), key=lambda session: session.node, default=None)


def end_session(runtime: Runtime, access: Access, session_id: str) -> Session:
    """End a session. Ending it again keeps the first end time."""
    session = get_session(runtime, access, session_id)
    if session.ended_at is None:
        node = session.node if session.started_at else access.viewpoint.node
        started_at = session.started_at or session.first_at or access.now
        session = msgspec.structs.replace(session, started_at=started_at, ended_at=access.now, node=node)
        runtime.store.links.put_session(access.viewpoint, session)
    return session


def nodes(runtime: Runtime, access: Access) -> list[Node]:
    """The nodes whose records reach this one, and all nodes below it, with how many records each wrote.

    For a node below, private records are counted too, but never shown.
    """
    own = access.viewpoint.node
    under = AnyOf((Compare("node", Op.EQ, own), Compare("node", Op.PREFIX, own.rstrip("/") + "/")))
    parts = (under,) if access.where is None else (access.where, under)
    below = msgspec.structs.replace(access, as_owner=True, where=AllOf(parts))
    seen: dict[str, Counter[str]] = {}
    for node, scope, count in runtime.store.counts.nodes(access):
        seen.setdefault(node, Counter())[scope] = count
    # Nodes below count all their records, the others only those visible from here.
    known: dict[str, Counter[str]] = {node: Counter(scopes) for node, scopes in seen.items()}
    for node, scope, count in runtime.store.counts.nodes(below):
        known.setdefault(node, Counter())[scope] = count
    return [
        Node(node=node, records=scopes.total(), scopes=dict(scopes), seen=seen.get(node, Counter()).total())
        for node, scopes in sorted(known.items(), key=lambda item: item[0].split("/"))
    ]
