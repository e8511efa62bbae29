"""Links, groups and sessions; parents and children."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec

from foveal.backends.sql.lifecycle import Lifecycle
from foveal.backends.sql.records import Records
from foveal.backends.sql.rows import SORTED_BY, struct_of, to_micros, values_of
from foveal.backends.sql.session import Dialect, Transaction
from foveal.backends.sql.session import Session as SqlSession
from foveal.backends.sql.visibility import Part, known_to
from foveal.errors import Conflict, NotFound
from foveal.model.query import Access, Viewpoint
from foveal.model.record import Group, Link, Record, Session
from foveal.model.results import Forgotten
from foveal.rules.lifecycle import after, forgetting
from foveal.rules.trees import Sort
from foveal.rules.visibility import gone, owned_name, owner_and_name, require_own


class Links(Part):
    """What ties the records of an organism together: links, groups and sessions."""

    def __init__(self, session: SqlSession, dialect: Dialect, records: Records) -> None:
        super().__init__(session, dialect)
        self._records = records

    def link(self, access: Access, link: Link) -> None:
        """Link two visible records; an existing link gets the new weight."""
        with self._session.writing(access.viewpoint) as db:
            self._records.visible_in(db, access, [link.source_id, link.target_id])
            db.change("put_link", values_of(link, **db.existing_organism(access.viewpoint)))

    def unlink(self, access: Access, source_id: str, target_id: str, kind: str | None) -> int:
        """Remove the links between two records, of one kind or of all. Returns how many there were."""
        with self._session.writing(access.viewpoint) as db:
            self._records.visible_in(db, access, [source_id, target_id])
            values = {
                **db.existing_organism(access.viewpoint),
                "source_id": source_id,
                "target_id": target_id,
                "kind": kind,
            }
            return db.change("remove_links", values)

    def of(self, access: Access, record_id: str) -> list[Link]:
        """The links of a visible record to and from visible records."""
        with self._session.reading(access.viewpoint) as db:
            self._records.visible_in(db, access, [record_id])
            values = {**db.existing_organism(access.viewpoint), "id": record_id}
            links = self._each(Link, db.rows("links_of", values))
            return _between_visible(self._records, db, access, links)

    def put_group(self, viewpoint: Viewpoint, group: Group) -> Group:
        """Create a group, or update the one with its id; `Conflict` if another group has its name."""
        with self._session.writing(viewpoint) as db:
            organism = db.own_organism(viewpoint)
            known, bound = known_to(self._dialect, viewpoint.node, "name")
            if db.value("group_hidden", {**organism, **bound, "id": group.id}, known=known):
                raise Conflict(f"the id {group.id} is taken", group_id=group.id)
            values = values_of(group, **organism, name=owned_name(group.node, group.name))
            if db.value("name_taken", values):
                raise Conflict(f"there is a group {group.name!r} already", name=group.name)
            return msgspec.structs.replace(group, number=db.value("put_group", values))

    def groups(self, viewpoint: Viewpoint) -> list[Group]:
        """The groups that a node may know of, by name."""
        with self._session.reading(viewpoint) as db:
            known, bound = known_to(self._dialect, viewpoint.node, "name")
            rows = db.rows("groups_of", {**db.organism_or_nobody(viewpoint), **bound}, known=known)
            return sorted(self._each(Group, rows, _group_of), key=lambda group: (group.name, group.id))

    def join(self, access: Access, group_id: str, ids: Sequence[str]) -> None:
        """Add visible records to a group."""
        with self._session.writing(access.viewpoint) as db:
            values = self._group(db, access, group_id)
            self._records.visible_in(db, access, ids)
            db.batch(("add_member", [values | {"id": record_id} for record_id in ids]))

    def leave(self, access: Access, group_id: str, ids: Sequence[str]) -> None:
        """Remove visible records from a group."""
        with self._session.writing(access.viewpoint) as db:
            values = self._group(db, access, group_id)
            self._records.visible_in(db, access, ids)
            db.batch(("remove_member", [values | {"id": record_id} for record_id in ids]))

    def members(self, access: Access, group_id: str) -> list[Record]:
        """The visible records of a group, oldest first."""
        with self._session.reading(access.viewpoint) as db:
            return self._seen_records(db, access, "members_of", self._group(db, access, group_id))

    def _group(self, db: Transaction, access: Access, group_id: str) -> dict[str, Any]:
        values = {**db.organism_or_nobody(access.viewpoint), "group_id": group_id}
        known, bound = known_to(self._dialect, "/" if access.as_owner else access.viewpoint.node, "name")
        if not db.value("group_exists", values | bound, known=known):
            raise NotFound(f"there is no group {group_id!r} here", group_id=group_id)
        return values

    def put_session(self, viewpoint: Viewpoint, session: Session) -> None:
        """Store a session, or update it."""
        with self._session.writing(viewpoint) as db:
            own = {"id": owned_name(session.node, session.id)}
            db.change("put_session", values_of(session, **db.own_organism(viewpoint), **own))

    def sessions(self, access: Access, session_id: str | None = None, limit: int | None = None) -> list[Session]:
        """The sessions that were created and may be known, or that visible records name, latest first."""
        with self._session.reading(access.viewpoint) as db:
            known, bound = known_to(self._dialect, "/" if access.as_owner else access.viewpoint.node, "id")
            asked = {"session_id": session_id, "limit": limit, **bound}
            rows = self._counted(db, access, "sessions_seen", asked, known=known)
            return self._each(Session, rows, partial(_session_of, access.viewpoint.actor_id))


class Trees(Part):
    """Parents, children and their descendants."""

    def __init__(self, session: SqlSession, dialect: Dialect, records: Records, lifecycle: Lifecycle) -> None:
        super().__init__(session, dialect)
        self._records, self._lifecycle = records, lifecycle

    def children(
        self, access: Access, record_id: str, *, sort: Sort, descending: bool = False, limit: int | None = None
    ) -> list[Record]:
        """The visible children of a record, sorted."""
        with self._session.reading(access.viewpoint) as db:
            self._records.visible_in(db, access, [record_id])
            return self._seen_records(
                db,
                access,
                "children_of",
                {"id": record_id, "limit": limit},
                # Ascending, nulls come first, as everywhere in Foveal.
                sort=f"{SORTED_BY[sort]} {'desc nulls last' if descending else 'asc nulls first'}",
                direction="desc" if descending else "asc",
            )

    def descendants(self, access: Access, record_id: str, depth: int) -> list[Record]:
        """The visible records at most `depth` levels below a record, each once, oldest first."""
        with self._session.reading(access.viewpoint) as db:
            self._records.visible_in(db, access, [record_id])
            return self._seen_records(db, access, "records_below", {"id": record_id, "depth": depth})

    def ancestors(self, access: Access, record_id: str) -> list[str]:
        """The ids of the ancestors of a record, nearest first."""
        with self._session.reading(access.viewpoint) as db:
            self._records.visible_in(db, access, [record_id])
            parents = dict[str, str](self._seen(db, access, "parents_above", {"id": record_id}))
        ancestors: dict[str, None] = {}
        above = str(parents.get(record_id))
        # Versions that were moved may form a cycle.
        while above in parents and above not in ancestors:
            ancestors[above] = None
            above = parents[above]
        return list(ancestors)

    def forget(self, access: Access, ids: Sequence[str], *, hard: bool, move_id: str | None = None) -> Forgotten:
        """Forget records and all their descendants, or erase them with `hard`."""
        with self._session.writing(access.viewpoint) as db:
            starts = {record.id for record in self._records.visible_in(db, access, ids)}
            # A hidden record may have visible descendants.
            wide = msgspec.structs.replace(access, include_hidden=True)
            records = self._seen_records(db, wide, "family_of", {"ids": self._dialect.array(sorted(starts))})
            family = [
                record
                for record in records
                if record.id in starts or access.include_hidden or not gone(record, access.now)
            ]
            going = [record for record in family if not record.vitals.pinned]
            require_own(going, access)
            gone_ids = tuple(record.id for record in going)
            organism = db.existing_organism(access.viewpoint)
            removed: dict[str, int] = {}
            if hard:
                removed = self._records.erase_in(db, organism, gone_ids, access.now)
            else:
                at = after(access.now, self._records.newest_snapshot_at(db, organism))
                db.change("forget_all", {**organism, "ids": self._dialect.array(gone_ids), "at": to_micros(at)})
                if move_id is not None:
                    self._lifecycle.add_to_journal(
                        db, organism, [forgetting(move_id, going, access.viewpoint.node, at)]
                    )
        pinned = tuple(record.id for record in family if record.vitals.pinned)
        lingers = hard and bool(going) and not self._records.after_erase(organism)
        move = None if hard else move_id
        return Forgotten(ids=gone_ids, pinned=pinned, erased=hard, lingers=lingers, move=move, removed=removed)

    def edges(self, access: Access, ids: Sequence[str]) -> list[Link]:
        """The links between visible records that start or end at one of these."""
        with self._session.reading(access.viewpoint) as db:
            own = db.organism_or_nobody(access.viewpoint)
            rows = db.rows("edges_of", {**own, "ids": self._dialect.texts(ids)})
            return _between_visible(self._records, db, access, self._each(Link, rows))


def _group_of(row: Any) -> Group:
    node, name = owner_and_name(row.name)
    return struct_of(Group, row, node=node, name=name)


def _session_of(actor: str, row: Any) -> Session:
    return struct_of(Session, row, actor_id=actor, node=owner_and_name(row.stored or "")[0])


def _between_visible(records: Records, db: Transaction, access: Access, links: Sequence[Link]) -> list[Link]:
    """Those of these links both of whose ends are visible."""
    ends = {end for link in links for end in (link.source_id, link.target_id)}
    visible = {record.id for record in records.get_in(db, access, sorted(ends))}
    return [link for link in links if {link.source_id, link.target_id} <= visible]
