"""Links, groups, regions and counts; parents, children and sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from foveal.backends.sql.rows import (
    SORTED_BY,
    from_micros,
    group_of,
    group_values,
    link_of,
    link_values,
    record_of,
    region_of,
    session_of,
    session_values,
    to_micros,
)
from foveal.backends.sql.session import Organism, Part, Transaction
from foveal.errors import Conflict, NotFound
from foveal.model.query import Access, Viewpoint
from foveal.model.record import Group, Link, Record, Session
from foveal.model.results import Forgotten, Region
from foveal.ports.store import Order
from foveal.rules.lifecycle import after, forgetting
from foveal.rules.trees import Sort
from foveal.rules.visibility import gone, require_own


class Links(Part):
    """What ties the records of an organism together: links, groups, regions, trees and sessions."""

    def link(self, access: Access, link: Link) -> None:
        """Draw an edge between two visible records; drawn again, it takes the new weight."""
        with self._session.writing(access.viewpoint) as db:
            self._visible(db, access, [link.source_id, link.target_id])
            self._put_link(db, db.existing_organism(access.viewpoint), link)

    def _put_link(self, db: Transaction, organism: Organism, link: Link) -> None:
        db.change("put_link", link_values(organism, link))

    def unlink(self, access: Access, source_id: str, target_id: str, kind: str | None) -> int:
        """Take edges away. Gives how many there were."""
        with self._session.writing(access.viewpoint) as db:
            self._visible(db, access, [source_id, target_id])
            values = {
                **db.existing_organism(access.viewpoint),
                "source_id": source_id,
                "target_id": target_id,
                "kind": kind,
            }
            return db.change("remove_links", values)

    def links(self, access: Access, record_id: str) -> list[Link]:
        """The edges of a visible record to and from visible records."""
        with self._session.reading(access.viewpoint) as db:
            self._visible(db, access, [record_id])
            values = {**db.existing_organism(access.viewpoint), "id": record_id}
            return self._between_seen(db, access, [link_of(row) for row in db.run("links_of", values)])

    def _between_seen(self, db: Transaction, access: Access, edges: Sequence[Link]) -> list[Link]:
        ends = {end for link in edges for end in (link.source_id, link.target_id)}
        seen = {record.id for record in self._get(db, access, sorted(ends))}
        return [link for link in edges if {link.source_id, link.target_id} <= seen]

    def put_group(self, viewpoint: Viewpoint, group: Group) -> Group:
        """Make a group, or rename it."""
        with self._session.writing(viewpoint) as db:
            values = group_values(db.own_organism(viewpoint), group)
            if db.value("name_taken", values):
                raise Conflict(f"there is a group {group.name!r} already", name=group.name)
            return msgspec.structs.replace(group, number=db.value("put_group", values))

    def groups(self, viewpoint: Viewpoint) -> list[Group]:
        """The groups of an organism, by name."""
        with self._session.reading(viewpoint) as db:
            rows = db.run("groups_of", db.organism_or_nobody(viewpoint))
            return [group_of(row) for row in rows]

    def join(self, access: Access, group_id: str, ids: Sequence[str]) -> None:
        """Put visible records into a group."""
        with self._session.writing(access.viewpoint) as db:
            values = self._group(db, access, group_id)
            self._visible(db, access, ids)
            db.batch(("add_member", [values | {"id": record_id} for record_id in ids]))

    def leave(self, access: Access, group_id: str, ids: Sequence[str]) -> None:
        """Take records out of a group."""
        with self._session.writing(access.viewpoint) as db:
            values = self._group(db, access, group_id)
            self._visible(db, access, ids)
            db.batch(("remove_member", [values | {"id": record_id} for record_id in ids]))

    def members(self, access: Access, group_id: str) -> list[Record]:
        """The visible records of a group, oldest first."""
        with self._session.reading(access.viewpoint) as db:
            group = self._group(db, access, group_id)
            seen = self._access(db, access)
            if seen is None:
                return []
            rows = db.run("members_of", seen[1] | group, columns=self._dialect.columns, visible=seen[0])
            return [record_of(row) for row in rows]

    def _group(self, db: Transaction, access: Access, group_id: str) -> dict[str, Any]:
        values = {**db.organism_or_nobody(access.viewpoint), "group_id": group_id}
        if not db.value("group_exists", values):
            raise NotFound(f"there is no group {group_id!r} here", group_id=group_id)
        return values

    def regions(self, access: Access) -> list[Region]:
        """The regions with visible records, by name."""
        with self._session.reading(access.viewpoint) as db:
            return [region_of(row) for row in self._counted(db, access, "regions_seen")]

    def marks(self, access: Access, *, order: Order, every: int) -> tuple[int, list[tuple[int, datetime, str]]]:
        """How many records `scan` gives, and the place, time and id of each `every`th of them."""
        with self._session.reading(access.viewpoint) as db:
            organism = db.organism(access.viewpoint)
            if organism is None:
                return 0, []
            direction = "desc" if order is Order.NEWEST else "asc"
            ways, values = self._each_way(access, organism, columns="r.occurred_at, r.id")
            rows = db.run("marks_in_time", values | {"every": every}, ways=ways, direction=direction)
            found = [(place, from_micros(at), name) for place, at, name in rows if place % every == 0]
            return (rows[-1][0] if rows else 0), found

    def nodes(self, access: Access) -> list[tuple[str, str, int]]:
        """How many visible records each node wrote at each scope."""
        with self._session.reading(access.viewpoint) as db:
            return [(node, scope, count) for node, scope, count in self._counted(db, access, "counts_by_node")]

    def _counted(self, db: Transaction, access: Access, name: str, **more: int) -> list[Any]:
        seen = self._access(db, access, counted=True)
        return [] if seen is None else db.run(name, seen[1] | more, visible=seen[0])

    def children(
        self, access: Access, record_id: str, *, sort: Sort, descending: bool = False, limit: int | None = None
    ) -> list[Record]:
        """The visible records right below one, sorted."""
        with self._session.reading(access.viewpoint) as db:
            self._visible(db, access, [record_id])
            condition, values = self._access(db, access) or ("", {})
            rows = db.run(
                "children_of",
                values | {"id": record_id, "limit": limit},
                columns=self._dialect.columns,
                visible=condition,
                # What has no value comes first, as everywhere in Foveal.
                sort=f"{SORTED_BY[sort]} {'desc nulls last' if descending else 'asc nulls first'}",
                direction="desc" if descending else "asc",
            )
            return [record_of(row) for row in rows]

    def descendants(self, access: Access, record_id: str, depth: int) -> list[Record]:
        """The visible records at most `depth` steps below one, each once, oldest first."""
        with self._session.reading(access.viewpoint) as db:
            self._visible(db, access, [record_id])
            condition, values = self._access(db, access) or ("", {})
            given = values | {"id": record_id, "depth": depth}
            rows = db.run("records_below", given, columns=self._dialect.columns, visible=condition)
            return [record_of(row) for row in rows]

    def ancestors(self, access: Access, record_id: str) -> list[str]:
        """The ids above a record, nearest first."""
        with self._session.reading(access.viewpoint) as db:
            self._visible(db, access, [record_id])
            condition, values = self._access(db, access) or ("", {})
            parents: dict[str, Any] = dict(db.run("parents_above", values | {"id": record_id}, visible=condition))
        found: dict[str, None] = {}
        above = str(parents.get(record_id))
        # Versions that were moved may make a circle.
        while above in parents and above not in found:
            found[above] = None
            above = parents[above]
        return list(found)

    def forget_tree(
        self, access: Access, ids: Sequence[str], *, hard: bool, move_id: str | None = None
    ) -> Forgotten:
        """Forget records and all that lies below them, or erase them."""
        with self._session.writing(access.viewpoint) as db:
            starts = {record.id for record in self._visible(db, access, ids)}
            # The way down leads through what is hidden already, too.
            wide = msgspec.structs.replace(access, include_hidden=True)
            condition, values = self._access(db, wide) or ("", {})
            given = values | {"ids": self._dialect.array(sorted(starts))}
            rows = db.run("family_of", given, columns=self._dialect.columns, visible=condition)
            found = [record_of(row) for row in rows]
            family = [
                record
                for record in found
                if record.id in starts or access.include_hidden or not gone(record, access.now)
            ]
            going = [record for record in family if not record.vitals.pinned]
            require_own(going, access)
            gone_ids = tuple(record.id for record in going)
            organism = db.existing_organism(access.viewpoint)
            if hard:
                self._erase(db, organism, gone_ids, access.now)
            else:
                at = after(access.now, self._floor(db, organism))
                db.change("forget_all", given | {"ids": self._dialect.array(gone_ids), "at": to_micros(at)})
                if move_id is not None:
                    self._journal(db, organism, [forgetting(move_id, going, access.viewpoint.node, at)])
        pinned = tuple(record.id for record in family if record.vitals.pinned)
        lingers = hard and bool(going) and not self._after_erase(organism)
        return Forgotten(ids=gone_ids, pinned=pinned, erased=hard, lingers=lingers, move=None if hard else move_id)

    def edges(self, access: Access, ids: Sequence[str]) -> list[Link]:
        """The edges between visible records that begin or end at one of these."""
        with self._session.reading(access.viewpoint) as db:
            own = db.organism_or_nobody(access.viewpoint)
            rows = db.run("edges_of", {**own, "ids": self._dialect.texts(ids)})
            return self._between_seen(db, access, [link_of(row) for row in rows])

    def keyed(self, access: Access, node: str, keys: Sequence[str]) -> Mapping[str, Record]:
        """The visible records that a node stored under these idempotency keys, by key."""
        with self._session.reading(access.viewpoint) as db:
            seen = self._access(db, access)
            if seen is None:
                return {}
            given = seen[1] | {"writer": node, "keys": self._dialect.texts(f"{node} {key}" for key in keys)}
            rows = db.run("records_under_keys", given, columns=self._dialect.columns, visible=seen[0])
            return {row[0]: record_of(row[1:]) for row in rows}

    def put_session(self, viewpoint: Viewpoint, session: Session) -> None:
        """Keep a session, or what has changed about it."""
        with self._session.writing(viewpoint) as db:
            db.change("put_session", session_values(db.own_organism(viewpoint), session))

    def sessions(self, access: Access, session_id: str | None = None, limit: int | None = None) -> list[Session]:
        """Those that were created and those that visible records name, the latest first."""
        with self._session.reading(access.viewpoint) as db:
            seen = self._access(db, access, counted=True)
            if seen is None:
                return []
            given = seen[1] | {"session_id": session_id, "limit": limit}
            return [
                session_of(row, access.viewpoint.actor_id)
                for row in db.run("sessions_seen", given, visible=seen[0])
            ]
