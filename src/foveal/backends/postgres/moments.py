"""The named moments of a Postgres database, and what changed between them."""

from __future__ import annotations

from datetime import datetime

import msgspec

from foveal.backends.postgres.part import Part
from foveal.backends.postgres.query import Db, Organism, change, run, value
from foveal.backends.postgres.rows import COLUMNS
from foveal.backends.relational.record_rows import record_of
from foveal.backends.relational.stamps import moment, moment_or_none, stamp
from foveal.errors import Conflict
from foveal.model.crystal import Changes, Snapshot
from foveal.model.record import Record
from foveal.model.sight import Sight, Viewpoint
from foveal.model.vitals import Vitals
from foveal.rules.moments import Span, after, changes_of


class Moments(Part):
    """The snapshots of an organism."""

    def put_snapshot(self, viewpoint: Viewpoint, snapshot: Snapshot, *, dated: bool = False) -> Snapshot:
        """Take a snapshot: its moment is not before anything that is stored."""
        with self._db.writing(viewpoint) as db:
            organism = self._own_organism(db, viewpoint)
            if value(db, "snapshot_taken", {**organism, "id": snapshot.id}):
                raise Conflict(f"the id {snapshot.id} is taken", snapshot_id=snapshot.id)
            newest = moment(value(db, "newest_change", {**organism}))
            at = snapshot.taken_at if dated else max(snapshot.taken_at, newest)
            taken = msgspec.structs.replace(snapshot, taken_at=at)
            values = {**organism, "id": taken.id, "label": taken.label}
            change(db, "add_snapshot", values | {"taken_at": stamp(taken.taken_at)})
            return taken

    def snapshots(self, viewpoint: Viewpoint) -> list[Snapshot]:
        """The snapshots of an organism, oldest first."""
        with self._db.reading(viewpoint) as db:
            rows = run(db, "snapshots_of", self._some_organism(db, viewpoint))
            return [Snapshot(id=row[0], label=row[1], taken_at=moment(row[2])) for row in rows]

    def changes(self, sight: Sight, since: datetime, until: datetime) -> Changes:
        """What changed after `since` and up to `until`, as far as `sight` sees it."""
        with self._db.reading(sight.viewpoint) as db:
            organism = self._some_organism(db, sight.viewpoint)
            between = {**organism, "since": stamp(since), "until": stamp(until)}
            ids = [row[0] for row in run(db, "changed_between", between)]
            present = msgspec.structs.replace(sight, hidden=True, as_of=None, valid_at=None, where=None)
            seen = [record.id for record in self._get(db, present, ids)]
            root = sight.owner or sight.viewpoint.node == "/"
            erased = [row[0] for row in run(db, "erased_between", between)] if root else []
            return changes_of([self._life(db, organism, one) for one in seen], erased, since, until)

    def _life(self, db: Db, organism: Organism, record_id: str) -> tuple[list[Record], list[Span]]:
        values = {**organism, "id": record_id}
        versions = [record_of(row) for row in run(db, "versions_of", values, columns=COLUMNS)]
        return versions, [(moment(row[0]), moment(row[1])) for row in run(db, "oblivions_of", values)]

    def _floor(self, db: Db, organism: Organism) -> datetime | None:
        return moment_or_none(value(db, "newest_snapshot", organism))

    def _dated(
        self, db: Db, organism: Organism, record_id: str, before: Vitals, vitals: Vitals, now: datetime
    ) -> Vitals:
        """The new vitals of a record, forgotten after the newest snapshot; what was forgotten till now is noted."""
        if vitals.forgotten_at == before.forgotten_at:
            return vitals
        floor = self._floor(db, organism)
        if before.forgotten_at is not None:
            span = {"began_at": stamp(before.forgotten_at), "ended_at": stamp(after(now, floor))}
            change(db, "add_oblivion", {**organism, "id": record_id, **span})
        if vitals.forgotten_at is None:
            return vitals
        return msgspec.structs.replace(vitals, forgotten_at=after(vitals.forgotten_at, floor))
