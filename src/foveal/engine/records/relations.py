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


def tree(core: Runtime, sight: Access, record_id: str, depth: int, limit: int) -> list[Branch]:
    """A record and what lies below it, each after its parent."""
    found = core.store.get(sight, [record_id])
    if not found:
        raise NotFound(f"there is no record {record_id!r} here", record_id=record_id)
    return tree_layout(found[0], core.store.descendants(sight, record_id, depth + 1), depth, limit)


def related(core: Runtime, sight: Access, record_id: str, kind: str | None, depth: int) -> list[Related]:
    """The records that edges lead to, each once: the nearest first, and of those the strongest."""
    if not core.store.get(sight, [record_id]):
        raise NotFound(f"there is no record {record_id!r} here", record_id=record_id)
    strengths = {record_id: 1.0}
    frontier = dict(strengths)
    found: list[Related] = []
    for distance in range(1, depth + 1):
        links = [link for link in core.store.edges(sight, list(frontier)) if kind in (None, link.kind)]
        step = spread(frontier, links, strengths)
        records = core.store.get(sight, list(step))
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


def require_parent(core: Runtime, viewpoint: Viewpoint, record_id: str, parent_id: str) -> None:
    """Refuse a parent that is not to be seen, or that lies below the record itself."""
    if not core.store.get(core.sight(viewpoint), [parent_id]):
        raise NotFound(f"there is no parent {parent_id!r} here", record_id=parent_id)
    everything = core.sight(viewpoint, as_owner=True, include_hidden=True)
    if record_id == parent_id or record_id in core.store.ancestors(everything, parent_id):
        raise Invalid(f"{parent_id} lies below {record_id}: it cannot be its parent", record_id=record_id)


def create_session(
    core: Runtime, viewpoint: Viewpoint, session_id: str | None, kind: str, metadata: Any
) -> Session:
    """Begin a session; an id that is in use is `Conflict`."""
    sight = core.sight(viewpoint)
    chosen = new_id(sight.now) if session_id is None else checked_name(session_id, "session_id")
    if any(one.started_at is not None for one in core.store.sessions(sight, chosen)):
        raise Conflict(f"there is a session {chosen!r} already", session_id=chosen)
    session = Session(
        id=chosen,
        actor_id=viewpoint.actor_id,
        kind=checked_name(kind, "kind"),
        metadata=checked_metadata(metadata),
        started_at=sight.now,
    )
    core.store.put_session(viewpoint, session)
    return session


def get_session(core: Runtime, sight: Access, session_id: str) -> Session:
    """One session; `NotFound` unless it was created, or a visible record names it."""
    found = core.store.sessions(sight, checked_name(session_id, "session"))
    if not found:
        raise NotFound(f"there is no session {session_id!r} here", session_id=session_id)
    return found[0]


def end_session(core: Runtime, sight: Access, session_id: str) -> Session:
    """Say that a session is over. Ended again, it keeps its first end."""
    found = get_session(core, sight, session_id)
    if found.ended_at is None:
        found = msgspec.structs.replace(
            found, started_at=found.started_at or found.first_at or sight.now, ended_at=sight.now
        )
        core.store.put_session(sight.viewpoint, found)
    return found


def nodes(core: Runtime, sight: Access) -> list[Node]:
    """The nodes whose records reach this one, and all below it, with how much each wrote.

    Of a node below it is told that it wrote and how much, also when it keeps that to itself; never what.
    """
    own = sight.viewpoint.node
    under = AnyOf((Compare("node", Op.EQ, own), Compare("node", Op.PREFIX, own.rstrip("/") + "/")))
    parts = (under,) if sight.where is None else (sight.where, under)
    below = msgspec.structs.replace(sight, as_owner=True, where=AllOf(parts))
    seen: dict[str, Counter[str]] = {}
    for node, scope, count in core.store.nodes(sight):
        seen.setdefault(node, Counter())[scope] = count
    # What lies below is known whole; of the rest only what is seen.
    known: dict[str, Counter[str]] = {one: Counter(scopes) for one, scopes in seen.items()}
    for node, scope, count in core.store.nodes(below):
        known.setdefault(node, Counter())[scope] = count
    return [
        Node(node=node, records=scopes.total(), scopes=dict(scopes), seen=seen.get(node, Counter()).total())
        for node, scopes in sorted(known.items(), key=lambda one: one[0].split("/"))
    ]
