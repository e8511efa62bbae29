"""Trees, related records, sessions, nodes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec

from foveal.engine.runtime.runtime import Runtime
from foveal.errors import Conflict, Invalid, NotFound
from foveal.model.ids import new_id
from foveal.model.query import Access, AllOf, AnyOf, Compare, Op, Viewpoint
from foveal.model.record import Session
from foveal.model.results import Branch, Node, Related
from foveal.rules.trees import spread, tree_layout
from foveal.rules.validation import checked_metadata, checked_name


def tree(runtime: Runtime, access: Access, record_id: str, depth: int, limit: int) -> list[Branch]:
    """A record and what lies below it, each after its parent."""
    found = runtime.store.get(access, [record_id])
    if not found:
        raise NotFound(f"there is no record {record_id!r} here", record_id=record_id)
    return tree_layout(found[0], runtime.store.descendants(access, record_id, depth + 1), depth, limit)


def related(runtime: Runtime, access: Access, record_id: str, kind: str | None, depth: int) -> list[Related]:
    """The records that edges lead to, each once: the nearest first, and of those the strongest."""
    if not runtime.store.get(access, [record_id]):
        raise NotFound(f"there is no record {record_id!r} here", record_id=record_id)
    strengths = {record_id: 1.0}
    frontier = dict(strengths)
    found: list[Related] = []
    for distance in range(1, depth + 1):
        links = [link for link in runtime.store.edges(access, list(frontier)) if kind in (None, link.kind)]
        step = spread(frontier, links, strengths)
        records = runtime.store.get(access, list(step))
        level = [
            Related(record=one, link=step[one.id][1], distance=distance, strength=step[one.id][0])
            for one in records
        ]
        found += sorted(level, key=lambda one: (-one.strength, one.record.id))
        frontier = {one.record.id: one.strength for one in level}
        strengths |= frontier
        if not frontier:
            break
    return found


def require_parent(runtime: Runtime, viewpoint: Viewpoint, record_id: str, parent_id: str) -> None:
    """Refuse a parent that is not to be seen, or that lies below the record itself."""
    if not runtime.store.get(runtime.access(viewpoint), [parent_id]):
        raise NotFound(f"there is no parent {parent_id!r} here", record_id=parent_id)
    everything = runtime.access(viewpoint, as_owner=True, include_hidden=True)
    if record_id == parent_id or record_id in runtime.store.ancestors(everything, parent_id):
        raise Invalid(f"{parent_id} lies below {record_id}: it cannot be its parent", record_id=record_id)


def create_session(
    runtime: Runtime, viewpoint: Viewpoint, session_id: str | None, kind: str, metadata: Any
) -> Session:
    """Begin a session; an id that is in use is `Conflict`."""
    access = runtime.access(viewpoint)
    chosen = new_id(access.now) if session_id is None else checked_name(session_id, "session_id")
    if any(one.started_at is not None for one in runtime.store.sessions(access, chosen)):
        raise Conflict(f"there is a session {chosen!r} already", session_id=chosen)
    session = Session(
        id=chosen,
        actor_id=viewpoint.actor_id,
        kind=checked_name(kind, "kind"),
        metadata=checked_metadata(metadata),
        started_at=access.now,
    )
    runtime.store.put_session(viewpoint, session)
    return session


def get_session(runtime: Runtime, access: Access, session_id: str) -> Session:
    """One session; `NotFound` unless it was created, or a visible record names it."""
    found = runtime.store.sessions(access, checked_name(session_id, "session"))
    if not found:
        raise NotFound(f"there is no session {session_id!r} here", session_id=session_id)
    return found[0]


def end_session(runtime: Runtime, access: Access, session_id: str) -> Session:
    """Say that a session is over. Ended again, it keeps its first end."""
    found = get_session(runtime, access, session_id)
    if found.ended_at is None:
        found = msgspec.structs.replace(
            found, started_at=found.started_at or found.first_at or access.now, ended_at=access.now
        )
        runtime.store.put_session(access.viewpoint, found)
    return found


def nodes(runtime: Runtime, access: Access) -> list[Node]:
    """The nodes whose records reach this one, and all below it, with how much each wrote.

    Of a node below it is told that it wrote and how much, also when it keeps that to itself; never what.
    """
    own = access.viewpoint.node
    under = AnyOf((Compare("node", Op.EQ, own), Compare("node", Op.PREFIX, own.rstrip("/") + "/")))
    parts = (under,) if access.where is None else (access.where, under)
    below = msgspec.structs.replace(access, as_owner=True, where=AllOf(parts))
    seen: dict[str, Counter[str]] = {}
    for node, scope, count in runtime.store.nodes(access):
        seen.setdefault(node, Counter())[scope] = count
    # What lies below is known whole; of the rest only what is seen.
    known: dict[str, Counter[str]] = {one: Counter(scopes) for one, scopes in seen.items()}
    for node, scope, count in runtime.store.nodes(below):
        known.setdefault(node, Counter())[scope] = count
    return [
        Node(node=node, records=scopes.total(), scopes=dict(scopes), seen=seen.get(node, Counter()).total())
        for node, scopes in sorted(known.items(), key=lambda one: one[0].split("/"))
    ]
