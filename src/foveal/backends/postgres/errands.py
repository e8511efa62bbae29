"""What is to be done once, in a Postgres database."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from foveal.backends.postgres.part import Part
from foveal.backends.postgres.query import change, change_all, run
from foveal.backends.relational.errand_rows import errand_of, errand_values
from foveal.backends.relational.stamps import stamp
from foveal.model.errand import Errand


class Errands(Part):
    """Errands by their place."""

    def begin_errand(self, errand: Errand, since: datetime) -> Errand:
        """Keep an errand, unless there is one of this place."""
        with self._db.writing() as db:
            change(db, "remove_old_errands", {"since": stamp(since)})
            change(db, "begin_errand", errand_values(errand))
            return errand_of(run(db, "errand_at", {"place": errand.place})[0])

    def prolong_errands(self, held: Mapping[bytes, str], until: datetime) -> None:
        """Say that holders are still at their errands."""
        with self._db.writing() as db:
            # In the order of their places, so that two that do this never wait for each other.
            rows = [{"place": one, "holder": held[one], "until": stamp(until)} for one in sorted(held)]
            change_all(db, "prolong_errand", rows)

    def end_errand(self, place: bytes, holder: str, answer: bytes) -> None:
        """Keep the answer of an errand."""
        with self._db.writing() as db:
            change(db, "end_errand", {"place": place, "holder": holder, "answer": answer})

    def drop_errand(self, place: bytes, holder: str) -> None:
        """Remove an errand that came to nothing."""
        with self._db.writing() as db:
            change(db, "drop_errand", {"place": place, "holder": holder})
