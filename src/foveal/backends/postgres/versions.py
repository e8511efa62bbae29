"""What a Postgres database knows of a record beside its newest version: the one before, and who said the same."""

from __future__ import annotations

from collections.abc import Sequence

from foveal.backends.postgres.part import Part
from foveal.backends.postgres.query import run, texts, value
from foveal.backends.postgres.rows import COLUMNS
from foveal.backends.relational.record_rows import record_of
from foveal.model.record import Record
from foveal.model.sight import Sight
from foveal.rules.echoing import words_number
from foveal.rules.visibility import follows


class Versions(Part):
    """Earlier versions, and earlier words."""

    def previous(self, sight: Sight, records: Sequence[Record]) -> dict[str, Record]:
        """The version before each of these records, by id."""
        with self._db.reading(sight.viewpoint) as db:
            seen = self._sight(db, sight)
            if seen is None:
                return {}
            condition, values = seen
            ids = values | {"ids": texts(one.id for one in records)}
            visible = {row[0] for row in run(db, "ids_seen", ids, sight=condition)}
            wanted = [(one.id, one.version - 1) for one in records if one.id in visible]
            given = {
                **self._some_organism(db, sight.viewpoint),
                "ids": [one for one, _ in wanted],
                "versions": [version for _, version in wanted],
            }
            found = [record_of(row) for row in run(db, "versions_at", given, columns=COLUMNS)]
            return {one.id: one for one in found if follows(one, sight)}

    def said_before(self, sight: Sight, records: Sequence[Record]) -> dict[str, str]:
        """For each of these records, the id of the first in which the same speaker said the same words."""
        with self._db.reading(sight.viewpoint) as db:
            seen = self._sight(db, sight)
            if seen is None:
                return {}
            condition, values = seen
            numbers = {one.id: words_number(one) for one in records}
            given = values | {"words": sorted(set(numbers.values()))}
            # Most was never said, and that is soon known; who said it first takes a plan for who looks.
            if not value(db, "said_at_all", given):
                return {}
            first = dict(run(db, "said_before", given, sight=condition))
            return {one: first[number] for one, number in numbers.items() if first[number] is not None}
