"""How records belong together: links, trees, groups, sessions and nodes, with the verbs for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import msgspec

from foveal.engine.runtime.facade import Facade, checks_arguments
from foveal.engine.runtime.runtime import Runtime
from foveal.errors import Conflict, Invalid, NotFound
from foveal.model.ids import new_id
from foveal.model.query import Access, AllOf, AnyOf, At, Compare, Op, Viewpoint
from foveal.model.record import Group, Link, LinkKind, Record, Session
from foveal.model.results import Branch, Node, Related
from foveal.rules.drafts import viewpoint_of
from foveal.rules.trees import checked_order, checked_sort, spread, tree_layout
from foveal.rules.validation import checked_count, checked_fraction, checked_metadata, checked_name


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


def links_of(runtime: Runtime, access: Access, ids: Sequence[str]) -> list[Link]:
    """The links between visible records that start or end at one of these, oldest first."""
    found = runtime.store.trees.edges(access, ids)
    return sorted(found, key=lambda link: (link.created_at, link.source_id, link.target_id, link.kind))


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


def group(runtime: Runtime, access: Access, name: str, ids: Sequence[str], description: str) -> Group:
    """Add records to the group of this name, creating it if it does not exist."""
    existing = _named_group(runtime, access, name)
    if existing is None:
        new = Group(
            id=new_id(access.now),
            name=name,
            description=description,
            created_at=access.now,
            node=access.viewpoint.node,
        )
        try:
            existing = runtime.store.links.put_group(access.viewpoint, new)
        except Conflict:
            # Another process created it in the meantime.
            existing = _named_group(runtime, access, name)
            if existing is None:
                raise
    if description and description != existing.description:
        changed = msgspec.structs.replace(existing, description=description)
        existing = runtime.store.links.put_group(access.viewpoint, changed)
    runtime.writes.join(access, existing.id, ids)
    return existing


def _named_group(runtime: Runtime, access: Access, name: str) -> Group | None:
    groups = [group for group in runtime.store.links.groups(access.viewpoint) if group.name == name]
    # Nodes below may have groups of this name, which are not the ones that are meant here.
    own = [group for group in groups if group.node in (access.viewpoint.node, "/")]
    return max(own, key=lambda group: group.node, default=None)


@checks_arguments
class Links(Facade):
    """How records belong together: typed links between them, children under a parent, and whole trees."""

    def add(
        self,
        source_id: str,
        target_id: str,
        *,
        kind: str = LinkKind.RELATES,
        weight: float = 1.0,
        **at: Unpack[At],
    ) -> Link:
        """Create a typed, weighted link between two records. Linking them again updates the weight."""
        access = self._access(at)
        link = Link(
            source_id=source_id,
            target_id=target_id,
            kind=checked_name(kind, "kind"),
            weight=checked_fraction(weight, "weight"),
            created_at=access.now,
        )
        self._runtime.writes.link(access, link)
        return link

    def remove(self, source_id: str, target_id: str, *, kind: str | None = None, **at: Unpack[At]) -> int:
        """Remove the links between two records, or only those of one kind. Returns how many were removed."""
        return self._runtime.writes.unlink(self._access(at), source_id, target_id, kind)

    def related(
        self, record_id: str, *, kind: str | None = None, depth: int = 1, **at: Unpack[At]
    ) -> list[Related]:
        """The records reachable over at most `depth` links, each listed once: nearest first, then strongest.

        Links are followed in both directions. The strength of a path is the product of its link weights.
        """
        return related(self._runtime, self._access(at), record_id, kind, checked_count(depth, "depth"))

    def children(
        self,
        record_id: str,
        *,
        limit: int = 100,
        sort_field: str = "occurred_at",
        sort_order: str = "asc",
        **at: Unpack[At],
    ) -> list[Record]:
        """The direct children of a record, oldest first by default."""
        sort, descending = checked_sort(sort_field), checked_order(sort_order)
        count = checked_count(limit, "limit")
        return self._runtime.store.trees.children(
            self._access(at), record_id, sort=sort, descending=descending, limit=count
        )

    def tree(self, record_id: str, *, depth: int = 3, limit: int = 1000, **at: Unpack[At]) -> list[Branch]:
        """A record and its descendants down to `depth` levels, each listed right after its parent."""
        steps, count = checked_count(depth, "depth", 0), checked_count(limit, "limit")
        return tree(self._runtime, self._access(at), record_id, steps, count)


@checks_arguments
class Groups(Facade):
    """Named groups of records."""

    def add(self, name: str, record_ids: Sequence[str] = (), *, description: str = "", **at: Unpack[At]) -> Group:
        """Add records to the group of this name, creating it if it does not exist. Returns the group."""
        return group(self._runtime, self._access(at), checked_name(name, "name"), record_ids, description)

    def remove(self, group_id: str, record_ids: Sequence[str], **at: Unpack[At]) -> None:
        """Remove records from a group."""
        self._runtime.writes.leave(self._access(at), group_id, record_ids)

    def members(self, group_id: str, **at: Unpack[At]) -> list[Record]:
        """The records of a group, oldest first."""
        return self._runtime.store.links.members(self._access(at), group_id)

    def list(self, **at: Unpack[At]) -> list[Group]:
        """All groups, sorted by name."""
        return self._runtime.store.links.groups(viewpoint_of(self._bound, at))


@checks_arguments
class Sessions(Facade):
    """Conversations: start and end them, and see which there are."""

    def start(
        self, *, kind: str = "conversation", metadata: Mapping[str, Any] | None = None, **at: Unpack[At]
    ) -> Session:
        """Start a session with the given `session_id`, or with a new id if none is given."""
        viewpoint = viewpoint_of(self._bound, at)
        return create_session(self._runtime, viewpoint, at.get("session_id"), kind, metadata)

    def end(self, session: str, **at: Unpack[At]) -> Session:
        """End a session. Ending it again keeps the first end time."""
        return end_session(self._runtime, self._access(at), session)

    def get(self, session: str, **at: Unpack[At]) -> Session:
        """One session, with the number of its records and their first and last dates."""
        return get_session(self._runtime, self._access(at), session)

    def list(self, *, limit: int = 100, **at: Unpack[At]) -> list[Session]:
        """The sessions that were created explicitly or that records refer to, latest first."""
        return self._runtime.store.links.sessions(self._access(at), limit=checked_count(limit, "limit"))
