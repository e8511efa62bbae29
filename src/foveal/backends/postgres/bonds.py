"""Links, groups, regions and counts in a Postgres database."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from foveal.backends.postgres.encoding import Encoding
from foveal.backends.postgres.query import Db, Organism, change, change_all, run, value
from foveal.backends.postgres.rows import COLUMNS
from foveal.backends.relational.bond_rows import (
    COUNTED,
    group_of,
    group_values,
    link_of,
    link_values,
    region_of,
    stats_of,
)
from foveal.backends.relational.encoder_rows import NONE
from foveal.backends.relational.record_rows import record_of
from foveal.backends.relational.stamps import moment
from foveal.errors import Conflict, NotFound
from foveal.model.link import Group, Link
from foveal.model.outcome import Region, Stats
from foveal.model.record import Record
from foveal.model.sight import Sight, Viewpoint
from foveal.ports.store import Order


class Bonds(Encoding):
    """What ties the records of an organism together."""

    def link(self, sight: Sight, link: Link) -> None:
        """Draw an edge between two visible records; drawn again, it takes the new weight."""
        with self._db.writing(sight.viewpoint) as db:
            self._visible(db, sight, [link.source_id, link.target_id])
            self._put_link(db, self._seen_organism(db, sight), link)

    def _put_link(self, db: Db, organism: Organism, link: Link) -> None:
        change(db, "put_link", link_values(organism, link))

    def unlink(self, sight: Sight, source_id: str, target_id: str, kind: str | None) -> int:
        """Take edges away. Gives how many there were."""
        with self._db.writing(sight.viewpoint) as db:
            self._visible(db, sight, [source_id, target_id])
            values = {
                **self._seen_organism(db, sight),
                "source_id": source_id,
                "target_id": target_id,
                "kind": kind,
            }
            return change(db, "remove_links", values)

    def links(self, sight: Sight, record_id: str) -> list[Link]:
        """The edges of a visible record to and from visible records."""
        with self._db.reading(sight.viewpoint) as db:
            self._visible(db, sight, [record_id])
            values = {**self._seen_organism(db, sight), "id": record_id}
            return self._between_seen(db, sight, [link_of(row) for row in run(db, "links_of", values)])

    def _between_seen(self, db: Db, sight: Sight, edges: Sequence[Link]) -> list[Link]:
        ends = {end for link in edges for end in (link.source_id, link.target_id)}
        seen = {record.id for record in self._get(db, sight, sorted(ends))}
        return [link for link in edges if {link.source_id, link.target_id} <= seen]

    def put_group(self, viewpoint: Viewpoint, group: Group) -> Group:
        """Make a group, or rename it."""
        with self._db.writing(viewpoint) as db:
            values = group_values(self._own_organism(db, viewpoint), group)
            if value(db, "name_taken", values):
                raise Conflict(f"there is a group {group.name!r} already", name=group.name)
            return msgspec.structs.replace(group, number=value(db, "put_group", values))

    def groups(self, viewpoint: Viewpoint) -> list[Group]:
        """The groups of an organism, by name."""
        with self._db.reading(viewpoint) as db:
            rows = run(db, "groups_of", self._some_organism(db, viewpoint))
            return [group_of(row) for row in rows]

    def join(self, sight: Sight, group_id: str, ids: Sequence[str]) -> None:
        """Put visible records into a group."""
        with self._db.writing(sight.viewpoint) as db:
            values = self._group(db, sight, group_id)
            self._visible(db, sight, ids)
            change_all(db, "add_member", [values | {"id": one} for one in ids])

    def leave(self, sight: Sight, group_id: str, ids: Sequence[str]) -> None:
        """Take records out of a group."""
        with self._db.writing(sight.viewpoint) as db:
            values = self._group(db, sight, group_id)
            self._visible(db, sight, ids)
            change_all(db, "remove_member", [values | {"id": one} for one in ids])

    def members(self, sight: Sight, group_id: str) -> list[Record]:
        """The visible records of a group, oldest first."""
        with self._db.reading(sight.viewpoint) as db:
            group = self._group(db, sight, group_id)
            seen = self._sight(db, sight)
            if seen is None:
                return []
            rows = run(db, "members_of", seen[1] | group, columns=COLUMNS, sight=seen[0])
            return [record_of(row) for row in rows]

    def _group(self, db: Db, sight: Sight, group_id: str) -> dict[str, Any]:
        values = {**self._some_organism(db, sight.viewpoint), "group_id": group_id}
        if not value(db, "group_exists", values):
            raise NotFound(f"there is no group {group_id!r} here", group_id=group_id)
        return values

    def regions(self, sight: Sight) -> list[Region]:
        """The regions with visible records, by name."""
        with self._db.reading(sight.viewpoint) as db:
            return [region_of(row) for row in self._counted(db, sight, "regions_seen")]

    def stats(self, sight: Sight) -> Stats:
        """How much of it is visible."""
        with self._db.reading(sight.viewpoint) as db:
            active = self._active(db)
            counted = {name: self._counted(db, sight, name) for name in COUNTED}
            number = active[0] if active else NONE
            counted["versions_of_seen"] = self._counted(db, sight, "versions_of_seen", encoder=number)
            return stats_of(counted, active[1].id if active else None)

    def marks(self, sight: Sight, *, order: Order, every: int) -> tuple[int, list[tuple[int, datetime, str]]]:
        """How many records `scan` gives, and the place, time and id of each `every`th of them."""
        with self._db.reading(sight.viewpoint) as db:
            seen = self._sight(db, sight)
            if seen is None:
                return 0, []
            direction = "desc" if order is Order.NEWEST else "asc"
            rows = run(db, "marks_in_time", seen[1] | {"every": every}, sight=seen[0], direction=direction)
            found = [(place, moment(at), name) for place, at, name in rows if place % every == 0]
            return (rows[-1][0] if rows else 0), found

    def nodes(self, sight: Sight) -> list[tuple[str, str, int]]:
        """How many visible records each node wrote at each scope."""
        with self._db.reading(sight.viewpoint) as db:
            return [(node, scope, count) for node, scope, count in self._counted(db, sight, "counts_by_node")]

    def _counted(self, db: Db, sight: Sight, name: str, **more: int) -> list[Any]:
        seen = self._sight(db, sight)
        if seen is None:
            return []
        return run(db, name, seen[1] | more, sight=seen[0])
