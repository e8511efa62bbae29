"""What is to be done once, in a Postgres database."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

import msgspec

from foveal.backends.postgres.clocks import Clocked
from foveal.backends.postgres.query import change, change_all, run
from foveal.backends.relational.errand_rows import errand_of, errand_values
from foveal.backends.relational.stamps import stamp
from foveal.model.errand import Errand


class Errands(Clocked):
    """Errands by their place.

    By the clock of the server: what is under way at one process must not seem cut off to another that is ahead.
    """

    def begin_errand(self, errand: Errand, since: datetime) -> Errand:
        """Keep an errand, unless there is one of this place."""
        with self._db.writing() as db:
            off = self._measure(db, errand.begun_at)
            change(db, "remove_old_errands", {"since": stamp(since + off)})
            change(db, "begin_errand", errand_values(_moved(errand, off)))
            return _moved(errand_of(run(db, "errand_at", {"place": errand.place})[0]), -off)

    def prolong_errands(self, held: Mapping[bytes, str], until: datetime) -> None:
        """Say that holders are still at their errands."""
        with self._db.writing() as db:
            end = stamp(until + self._behind)
            # In the order of their places, so that two that do this never wait for each other.
            rows = [{"place": one, "holder": held[one], "until": end} for one in sorted(held)]
            change_all(db, "prolong_errand", rows)

    def end_errand(self, place: bytes, holder: str, answer: bytes) -> None:
        """Keep the answer of an errand."""
        with self._db.writing() as db:
            change(db, "end_errand", {"place": place, "holder": holder, "answer": answer})

    def drop_errand(self, place: bytes, holder: str) -> None:
        """Remove an errand that came to nothing."""
        with self._db.writing() as db:
            change(db, "drop_errand", {"place": place, "holder": holder})


def _moved(errand: Errand, off: timedelta) -> Errand:
    return msgspec.structs.replace(errand, begun_at=errand.begun_at + off, until=errand.until + off)
