"""Links and groups in a SQLite file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw
import msgspec

from foveal.backends.relational.bond_rows import group_of, group_values, link_of, link_values
from foveal.backends.relational.record_rows import record_of
from foveal.backends.sqlite.counting import Counting
from foveal.backends.sqlite.query import run, value
from foveal.backends.sqlite.rows import COLUMNS
from foveal.errors import Conflict, NotFound
from foveal.model.link import Group, Link
from foveal.model.record import Record
from foveal.model.sight import Sight, Viewpoint


class Bonds(Counting):
    """What ties the records of an organism together."""

    def link(self, sight: Sight, link: Link) -> None:
        """Draw an edge between two visible records; drawn again, it takes the new weight."""
        with self._db.writing() as db:
            self._visible(db, sight, [link.source_id, link.target_id])
            self._put_link(db, self._seen_organism(db, sight), link)

    def _put_link(self, db: apsw.Connection, organism: int, link: Link) -> None:
        run(db, "put_link", link_values({"organism": organism}, link))

    def unlink(self, sight: Sight, source_id: str, target_id: str, kind: str | None) -> int:
        """Take edges away. Gives how many there were."""
        with self._db.writing() as db:
            self._visible(db, sight, [source_id, target_id])
            values = {
                "organism": self._seen_organism(db, sight),
                "source_id": source_id,
                "target_id": target_id,
                "kind": kind,
            }
            run(db, "remove_links", values)
            return db.changes()

    def links(self, sight: Sight, record_id: str) -> list[Link]:
        """The edges of a visible record to and from visible records."""
        with self._db.reading() as db:
            self._visible(db, sight, [record_id])
            values = {"organism": self._seen_organism(db, sight), "id": record_id}
            return self._between_seen(db, sight, [link_of(row) for row in run(db, "links_of", values)])

    def _between_seen(self, db: apsw.Connection, sight: Sight, edges: Sequence[Link]) -> list[Link]:
        ends = {end for link in edges for end in (link.source_id, link.target_id)}
        seen = {record.id for record in self._get(db, sight, sorted(ends))}
        return [link for link in edges if {link.source_id, link.target_id} <= seen]

    def put_group(self, viewpoint: Viewpoint, group: Group) -> Group:
        """Make a group, or rename it."""
        with self._db.writing() as db:
            values = group_values({"organism": self._own_organism(db, viewpoint)}, group)
            if value(db, "name_taken", values):
                raise Conflict(f"there is a group {group.name!r} already", name=group.name)
            return msgspec.structs.replace(group, number=value(db, "put_group", values))

    def groups(self, viewpoint: Viewpoint) -> list[Group]:
        """The groups of an organism, by name."""
        with self._db.reading() as db:
            organism = self._organism(db, viewpoint.world, viewpoint.actor_id)
            rows = run(db, "groups_of", {"organism": organism})
            return [group_of(row) for row in rows]

    def join(self, sight: Sight, group_id: str, ids: Sequence[str]) -> None:
        """Put visible records into a group."""
        with self._db.writing() as db:
            values = self._group(db, sight, group_id)
            self._visible(db, sight, ids)
            for one in ids:
                run(db, "add_member", values | {"id": one})

    def leave(self, sight: Sight, group_id: str, ids: Sequence[str]) -> None:
        """Take records out of a group."""
        with self._db.writing() as db:
            values = self._group(db, sight, group_id)
            self._visible(db, sight, ids)
            for one in ids:
                run(db, "remove_member", values | {"id": one})

    def members(self, sight: Sight, group_id: str) -> list[Record]:
        """The visible records of a group, oldest first."""
        with self._db.reading() as db:
            group = self._group(db, sight, group_id)
            seen = self._sight(db, sight)
            if seen is None:
                return []
            rows = run(db, "members_of", seen[1] | group, columns=COLUMNS, sight=seen[0])
            return [record_of(row) for row in rows]

    def _group(self, db: apsw.Connection, sight: Sight, group_id: str) -> dict[str, Any]:
        organism = self._organism(db, sight.viewpoint.world, sight.viewpoint.actor_id)
        values = {"organism": organism, "group_id": group_id}
        if not value(db, "group_exists", values):
            raise NotFound(f"there is no group {group_id!r} here", group_id=group_id)
        return values
