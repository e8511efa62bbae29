"""What is to be done once, in a SQLite file."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from foveal.backends.relational.errand_rows import errand_of, errand_values
from foveal.backends.relational.stamps import stamp
from foveal.backends.sqlite.part import Part
from foveal.backends.sqlite.query import queries, run
from foveal.model.errand import Errand


class Errands(Part):
    """Errands by their place."""

    def begin_errand(self, errand: Errand, since: datetime) -> Errand:
        """Keep an errand, unless there is one of this place."""
        with self._db.writing() as db:
            run(db, "remove_old_errands", {"since": stamp(since)})
            run(db, "begin_errand", errand_values(errand))
            return errand_of(run(db, "errand_at", {"place": errand.place})[0])

    def prolong_errands(self, held: Mapping[bytes, str], until: datetime) -> None:
        """Say that holders are still at their errands."""
        with self._db.writing() as db:
            db.executemany(queries()["prolong_errand"], [(stamp(until), *one) for one in held.items()])

    def end_errand(self, place: bytes, holder: str, answer: bytes) -> None:
        """Keep the answer of an errand."""
        with self._db.writing() as db:
            run(db, "end_errand", {"place": place, "holder": holder, "answer": answer})

    def drop_errand(self, place: bytes, holder: str) -> None:
        """Remove an errand that came to nothing."""
        with self._db.writing() as db:
            run(db, "drop_errand", {"place": place, "holder": holder})
