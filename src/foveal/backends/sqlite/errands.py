"""What is to be done once, in a SQLite file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from foveal.backends.relational.stamps import moment, stamp
from foveal.backends.sqlite.part import Part
from foveal.backends.sqlite.query import queries, run
from foveal.model.errand import Errand


class Errands(Part):
    """Errands by their place."""

    def begin_errand(self, errand: Errand, since: datetime) -> Errand:
        """Keep an errand, unless there is one of this place."""
        values = {
            "place": errand.place,
            "content": errand.content,
            "holder": errand.holder,
            "begun_at": stamp(errand.begun_at),
            "until": stamp(errand.until),
            "world": errand.world,
            "actor": errand.actor_id,
            "answer": errand.answer,
        }
        with self._db.writing() as db:
            run(db, "remove_old_errands", {"since": stamp(since)})
            run(db, "begin_errand", values)
            return _errand(run(db, "errand_at", {"place": errand.place})[0])

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


def _errand(row: Sequence[Any]) -> Errand:
    place, content, holder, begun_at, until, world, actor, answer = row
    return Errand(
        place=place,
        content=content,
        holder=holder,
        begun_at=moment(begun_at),
        until=moment(until),
        world=world,
        actor_id=actor,
        answer=answer,
    )
