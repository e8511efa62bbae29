"""Renditions of sessions and regions in a Postgres database, and who does which job."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from foveal.backends.postgres.clocks import Clocked
from foveal.backends.postgres.part import EVERYONE
from foveal.backends.postgres.query import change, change_all, run, texts, value
from foveal.backends.relational.rendition_rows import rendition_of, rendition_values
from foveal.backends.relational.stamps import moment_or_none, stamp
from foveal.model.rendition import Rendition, Subject
from foveal.model.sight import Sight, Viewpoint


class Renditions(Clocked):
    """What many records say together, shorter."""

    def unsummarised(
        self, kind: Subject, viewpoint: Viewpoint | None, before: datetime, limit: int
    ) -> list[tuple[Viewpoint, str]]:
        """Sessions or regions, of one organism or of all, that have grown since they were last summed up."""
        with self._db.reading(viewpoint) as db:
            own = self._some_organism(db, viewpoint) if viewpoint else EVERYONE
            values = {**own, "before": stamp(before), "limit": limit}
            rows = run(db, f"unsummarised_{kind.value}s", values)
            return [(Viewpoint(world=row[0], actor_id=row[1]), row[2]) for row in rows]

    def summarise(self, viewpoint: Viewpoint, kind: Subject, subject: str, made: Sequence[Rendition]) -> None:
        """Put these renditions in the place of those a session or region had."""
        with self._db.writing(viewpoint) as db:
            organism = self._some_organism(db, viewpoint)
            place = {**organism, "kind": kind.value, "subject": subject}
            change(db, "summarised", place)
            change(db, "remove_renditions", place)
            for one in made:
                number = value(db, "add_rendition", rendition_values(place, one))
                own = {**organism, "rendition": number}
                change_all(
                    db, "add_source", [{**own, "id": source, "version": version} for source, version in one.sources]
                )

    def renditions(
        self, sight: Sight, kind: Subject, *, subjects: Sequence[str] | None = None, limit: int
    ) -> list[Rendition]:
        """The renditions that may be seen, of some sessions or regions or of all, latest first."""
        with self._db.reading(sight.viewpoint) as db:
            seen = self._sight(db, sight)
            if seen is None:
                return []
            listed = None if subjects is None else texts(subjects)
            values = seen[1] | {"kind": kind.value, "limit": limit, "subjects": listed}
            return [
                rendition_of(row, run(db, "sources_of", seen[1] | {"rendition": row[0]}))
                for row in run(db, "renditions_seen", values, sight=seen[0])
            ]

    def lease(self, name: str, holder: str, now: datetime, span: timedelta) -> bool:
        """Take or prolong a lease: false while another holds it."""
        with self._db.writing() as db:
            agreed = now + self._measure(db, now)
            values = {"name": name, "holder": holder, "now": stamp(agreed), "until": stamp(agreed + span)}
            return value(db, "take_lease", values) == holder

    def release(self, name: str, holder: str) -> None:
        """Give a lease back."""
        with self._db.writing() as db:
            change(db, "release_lease", {"name": name, "holder": holder})

    def ran_at(self, name: str) -> datetime | None:
        """When a job was last done."""
        with self._db.reading() as db:
            last = moment_or_none(value(db, "ran_at", {"name": name}))
            return None if last is None else last - self._behind

    def ran(self, name: str, at: datetime) -> None:
        """Note that a job was done."""
        with self._db.writing() as db:
            change(db, "ran", {"name": name, "at": stamp(at + self._behind)})
