"""Parents, children and sessions in a Postgres database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from foveal.backends.postgres.bonds import Bonds
from foveal.backends.postgres.query import change, run, texts
from foveal.backends.postgres.rows import COLUMNS
from foveal.backends.relational.bond_rows import link_of
from foveal.backends.relational.record_rows import SORTED_BY, record_of
from foveal.backends.relational.session_rows import session_of, session_values
from foveal.backends.relational.stamps import stamp
from foveal.model.link import Link
from foveal.model.outcome import Forgotten
from foveal.model.record import Record
from foveal.model.session import Session
from foveal.model.sight import Sight, Viewpoint
from foveal.rules.branching import Sort
from foveal.rules.changing import forgetting
from foveal.rules.moments import after
from foveal.rules.visibility import gone, refuse_foreign


class Families(Bonds):
    """What lies below records, and the sessions they were written in."""

    def children(
        self, sight: Sight, record_id: str, *, sort: Sort, descending: bool = False, limit: int | None = None
    ) -> list[Record]:
        """The visible records right below one, sorted."""
        with self._db.reading(sight.viewpoint) as db:
            self._visible(db, sight, [record_id])
            condition, values = self._sight(db, sight) or ("", {})
            rows = run(
                db,
                "children_of",
                values | {"id": record_id, "limit": limit},
                columns=COLUMNS,
                sight=condition,
                # What has no value comes first, as everywhere in Foveal.
                sort=f"{SORTED_BY[sort]} {'desc nulls last' if descending else 'asc nulls first'}",
                direction="desc" if descending else "asc",
            )
            return [record_of(row) for row in rows]

    def descendants(self, sight: Sight, record_id: str, depth: int) -> list[Record]:
        """The visible records at most `depth` steps below one, each once, oldest first."""
        with self._db.reading(sight.viewpoint) as db:
            self._visible(db, sight, [record_id])
            condition, values = self._sight(db, sight) or ("", {})
            given = values | {"id": record_id, "depth": depth}
            rows = run(db, "records_below", given, columns=COLUMNS, sight=condition)
            return [record_of(row) for row in rows]

    def ancestors(self, sight: Sight, record_id: str) -> list[str]:
        """The ids above a record, nearest first."""
        with self._db.reading(sight.viewpoint) as db:
            self._visible(db, sight, [record_id])
            condition, values = self._sight(db, sight) or ("", {})
            parents: dict[str, Any] = dict(run(db, "parents_above", values | {"id": record_id}, sight=condition))
        found: dict[str, None] = {}
        above = str(parents.get(record_id))
        # Versions that were moved may make a circle.
        while above in parents and above not in found:
            found[above] = None
            above = parents[above]
        return list(found)

    def fell(self, sight: Sight, ids: Sequence[str], *, hard: bool, move_id: str | None = None) -> Forgotten:
        """Forget records and all that lies below them, or erase them."""
        with self._db.writing(sight.viewpoint) as db:
            starts = {one.id for one in self._visible(db, sight, ids)}
            # The way down leads through what is hidden already, too.
            wide = msgspec.structs.replace(sight, hidden=True)
            condition, values = self._sight(db, wide) or ("", {})
            given = values | {"ids": sorted(starts)}
            found = [record_of(row) for row in run(db, "family_of", given, columns=COLUMNS, sight=condition)]
            family = [one for one in found if one.id in starts or sight.hidden or not gone(one, sight.now)]
            going = [one for one in family if not one.vitals.pinned]
            refuse_foreign(going, sight)
            gone_ids = tuple(one.id for one in going)
            organism = self._seen_organism(db, sight)
            if hard:
                self._erase(db, organism, gone_ids, sight.now)
            else:
                at = after(sight.now, self._floor(db, organism))
                change(db, "forget_all", given | {"ids": list(gone_ids), "at": stamp(at)})
                if move_id is not None:
                    self._journal(db, organism, [forgetting(move_id, going, sight.viewpoint.node, at)])
        pinned = tuple(one.id for one in family if one.vitals.pinned)
        if hard:
            self._let_go(organism)
        return Forgotten(ids=gone_ids, pinned=pinned, erased=hard, move=None if hard else move_id)

    def edges(self, sight: Sight, ids: Sequence[str]) -> list[Link]:
        """The edges between visible records that begin or end at one of these."""
        with self._db.reading(sight.viewpoint) as db:
            own = self._some_organism(db, sight.viewpoint)
            rows = run(db, "edges_of", {**own, "ids": texts(ids)})
            return self._between_seen(db, sight, [link_of(row) for row in rows])

    def keyed(self, sight: Sight, node: str, keys: Sequence[str]) -> Mapping[str, Record]:
        """The visible records that a node stored under these idempotency keys, by key."""
        with self._db.reading(sight.viewpoint) as db:
            seen = self._sight(db, sight)
            if seen is None:
                return {}
            given = seen[1] | {"writer": node, "keys": texts(f"{node} {key}" for key in keys)}
            rows = run(db, "records_under_keys", given, columns=COLUMNS, sight=seen[0])
            return {row[0]: record_of(row[1:]) for row in rows}

    def put_session(self, viewpoint: Viewpoint, session: Session) -> None:
        """Keep a session, or what has changed about it."""
        with self._db.writing(viewpoint) as db:
            change(db, "put_session", session_values(self._own_organism(db, viewpoint), session))

    def sessions(self, sight: Sight, session_id: str | None = None, limit: int | None = None) -> list[Session]:
        """Those that were created and those that visible records name, the latest first."""
        with self._db.reading(sight.viewpoint) as db:
            seen = self._sight(db, sight)
            if seen is None:
                return []
            given = seen[1] | {"session_id": session_id, "limit": limit}
            return [
                session_of(row, sight.viewpoint.actor_id) for row in run(db, "sessions_seen", given, sight=seen[0])
            ]
