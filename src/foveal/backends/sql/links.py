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
        """Link two visible records; an existing link gets the new weight."""
        with self._session.writing(access.viewpoint) as db:
            self._visible(db, access, [link.source_id, link.target_id])
            self._put_link(db, db.existing_organism(access.viewpoint), link)

    def _put_link(self, db: Transaction, organism: Organism, link: Link) -> None:
        db.change("put_link", link_values(organism, link))

    def unlink(self, access: Access, source_id: str, target_id: str, kind: str | None) -> int:
        """Remove the links between two records, of one kind or of all. Returns how many there were."""
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
        """The links of a visible record to and from visible records."""
        with self._session.reading(access.viewpoint) as db:
            self._visible(db, access, [record_id])
            values = {**db.existing_organism(access.viewpoint), "id": record_id}
            return self._between_visible(db, access, [link_of(row) for row in db.run("links_of", values)])

    def _between_visible(self, db: Transaction, access: Access, links: Sequence[Link]) -> list[Link]:
        ends = {end for link in links for end in (link.source_id, link.target_id)}
        visible = {record.id for record in self._get(db, access, sorted(ends))}
        return [link for link in links if {link.source_id, link.target_id} <= visible]

    def put_group(self, viewpoint: Viewpoint, group: Group) -> Group:
        """Create a group, or update the one with its id; `Conflict` if another group has its name."""
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
        """Add visible records to a group."""
        with self._session.writing(access.viewpoint) as db:
            values = self._group(db, access, group_id)
            self._visible(db, access, ids)
            db.batch(("add_member", [values | {"id": record_id} for record_id in ids]))

    def leave(self, access: Access, group_id: str, ids: Sequence[str]) -> None:
        """Remove visible records from a group."""
        with self._session.writing(access.viewpoint) as db:
            values = self._group(db, access, group_id)
            self._visible(db, access, ids)
            db.batch(("remove_member", [values | {"id": record_id} for record_id in ids]))

    def members(self, access: Access, group_id: str) -> list[Record]:
        """The visible records of a group, oldest first."""
        with self._session.reading(access.viewpoint) as db:
            group = self._group(db, access, group_id)
            visible = self._access(db, access)
            if visible is None:
                return []
            condition, values = visible
            rows = db.run("members_of", values | group, columns=self._dialect.columns, visible=condition)
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
        """How many records `scan` returns, and the position, time and id of every `every`th one."""
        with self._session.reading(access.viewpoint) as db:
            organism = db.organism(access.viewpoint)
            if organism is None:
                return 0, []
            direction = "desc" if order is Order.NEWEST else "asc"
            ways, values = self._each_way(access, organism, columns="r.occurred_at, r.id")
            rows = db.run("marks_in_time", values | {"every": every}, ways=ways, direction=direction)
            marks = [(place, from_micros(at), record_id) for place, at, record_id in rows if place % every == 0]
            return (rows[-1][0] if rows else 0), marks

    def nodes(self, access: Access) -> list[tuple[str, str, int]]:
        """How many visible records each node wrote in each scope."""
        with self._session.reading(access.viewpoint) as db:
            return [(node, scope, count) for node, scope, count in self._counted(db, access, "counts_by_node")]

    def _counted(self, db: Transaction, access: Access, name: str, **more: int) -> list[Any]:
        visible = self._access(db, access, counted=True)
        if visible is None:
            return []
        condition, values = visible
        return db.run(name, values | more, visible=condition)

    def children(
        self, access: Access, record_id: str, *, sort: Sort, descending: bool = False, limit: int | None = None
    ) -> list[Record]:
        """The visible children of a record, sorted."""
        with self._session.reading(access.viewpoint) as db:
            self._visible(db, access, [record_id])
            condition, values = self._access(db, access) or ("", {})
            rows = db.run(
                "children_of",
                values | {"id": record_id, "limit": limit},
                columns=self._dialect.columns,
                visible=condition,
                # Ascending, nulls come first, as everywhere in Foveal.
                sort=f"{SORTED_BY[sort]} {'desc nulls last' if descending else 'asc nulls first'}",
                direction="desc" if descending else "asc",
            )
            return [record_of(row) for row in rows]

    def descendants(self, access: Access, record_id: str, depth: int) -> list[Record]:
        """The visible records at most `depth` levels below a record, each once, oldest first."""
        with self._session.reading(access.viewpoint) as db:
            self._visible(db, access, [record_id])
            condition, values = self._access(db, access) or ("", {})
            asked = values | {"id": record_id, "depth": depth}
            rows = db.run("records_below", asked, columns=self._dialect.columns, visible=condition)
            return [record_of(row) for row in rows]

    def ancestors(self, access: Access, record_id: str) -> list[str]:
        """The ids of the ancestors of a record, nearest first."""
        with self._session.reading(access.viewpoint) as db:
            self._visible(db, access, [record_id])
            condition, values = self._access(db, access) or ("", {})
            parents: dict[str, Any] = dict(db.run("parents_above", values | {"id": record_id}, visible=condition))
        ancestors: dict[str, None] = {}
        above = str(parents.get(record_id))
        # Versions that were moved may form a cycle.
        while above in parents and above not in ancestors:
            ancestors[above] = None
            above = parents[above]
        return list(ancestors)

    def forget_tree(
        self, access: Access, ids: Sequence[str], *, hard: bool, move_id: str | None = None
    ) -> Forgotten:
        """Forget records and all their descendants, or erase them with `hard`."""
        with self._session.writing(access.viewpoint) as db:
            starts = {record.id for record in self._visible(db, access, ids)}
            # A hidden record may have visible descendants.
            wide = msgspec.structs.replace(access, include_hidden=True)
            condition, values = self._access(db, wide) or ("", {})
            asked = values | {"ids": self._dialect.array(sorted(starts))}
            rows = db.run("family_of", asked, columns=self._dialect.columns, visible=condition)
            records = [record_of(row) for row in rows]
            family = [
                record
                for record in records
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
                db.change("forget_all", asked | {"ids": self._dialect.array(gone_ids), "at": to_micros(at)})
                if move_id is not None:
                    self._journal(db, organism, [forgetting(move_id, going, access.viewpoint.node, at)])
        pinned = tuple(record.id for record in family if record.vitals.pinned)
        lingers = hard and bool(going) and not self._after_erase(organism)
        return Forgotten(ids=gone_ids, pinned=pinned, erased=hard, lingers=lingers, move=None if hard else move_id)

    def edges(self, access: Access, ids: Sequence[str]) -> list[Link]:
        """The links between visible records that start or end at one of these."""
        with self._session.reading(access.viewpoint) as db:
            own = db.organism_or_nobody(access.viewpoint)
            rows = db.run("edges_of", {**own, "ids": self._dialect.texts(ids)})
            return self._between_visible(db, access, [link_of(row) for row in rows])

    def keyed(self, access: Access, node: str, keys: Sequence[str]) -> Mapping[str, Record]:
        """The visible records that a node stored under these idempotency keys, by key."""
        with self._session.reading(access.viewpoint) as db:
            visible = self._access(db, access)
            if visible is None:
                return {}
            condition, values = visible
            asked = values | {"writer": node, "keys": self._dialect.texts(f"{node} {key}" for key in keys)}
            rows = db.run("records_under_keys", asked, columns=self._dialect.columns, visible=condition)
            return {key: record_of(columns) for key, *columns in rows}

    def put_session(self, viewpoint: Viewpoint, session: Session) -> None:
        """Store a session, or update it."""
        with self._session.writing(viewpoint) as db:
            db.change("put_session", session_values(db.own_organism(viewpoint), session))

    def sessions(self, access: Access, session_id: str | None = None, limit: int | None = None) -> list[Session]:
        """The sessions that were created or that visible records name, latest first."""
        with self._session.reading(access.viewpoint) as db:
            visible = self._access(db, access, counted=True)
            if visible is None:
                return []
            condition, values = visible
            asked = values | {"session_id": session_id, "limit": limit}
            rows = db.run("sessions_seen", asked, visible=condition)
            return [session_of(row, access.viewpoint.actor_id) for row in rows]
