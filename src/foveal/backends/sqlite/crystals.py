"""Crystals in a SQLite file: small rows, and texts that are kept once."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import apsw
import msgspec

from foveal.backends.relational.crystal_rows import (
    COLUMNS,
    crystal_of,
    crystal_values,
    fragment_values,
    lineage_of,
    looking,
    refuse_pinned,
    refuse_reaped,
    state_text,
    text_values,
    unpacked,
    way_up,
)
from foveal.backends.relational.stamps import stamp, stamp_or_none
from foveal.backends.sqlite.part import Part
from foveal.backends.sqlite.query import run, value
from foveal.errors import Conflict, NotFound
from foveal.model.crystal import Lineage, Reaped, StateCrystal
from foveal.model.sight import Viewpoint

# A node sees its own crystals and those of the nodes below it, as it may change records.
_SEEN = "(c.agent = :node or substr(c.agent, 1, length(:above)) = :above)"


class Crystals(Part):
    """The crystals of an organism."""

    def put_crystal(self, viewpoint: Viewpoint, crystal: StateCrystal, *, instead: bool = False) -> None:
        """Store a crystal, all of it or nothing; in the place of the one with its id if that is said."""
        with self._db.writing() as db:
            organism = self._own_organism(db, viewpoint)
            if instead:
                values = {**self._looking(db, viewpoint), "id": crystal.crystal_id}
                run(db, "remove_crystal", values, seen=_SEEN)
            if value(db, "crystal_taken", {"organism": organism, "id": crystal.crystal_id}):
                raise Conflict(f"the id {crystal.crystal_id} is taken", crystal_id=crystal.crystal_id)
            summary = self._put_text(db, organism, crystal.history_summary)
            state = self._put_text(db, organism, state_text(crystal))
            values = crystal_values({"organism": organism}, crystal) | {"summary": summary, "state": state}
            number = value(db, "add_crystal", values)
            for place, one in enumerate(crystal.focus_fragments):
                row = {"crystal": number, "content": self._put_text(db, organism, one.content)}
                run(db, "add_fragment", row | fragment_values(place, one))
            if instead:
                run(db, "remove_unused_blobs", {"organism": organism})
        if instead:
            self._db.cut_log()

    def crystal(self, viewpoint: Viewpoint, crystal_id: str) -> StateCrystal:
        """A whole crystal; of one that was reaped there is only the summary."""
        with self._db.reading() as db:
            row = self._crystal(db, viewpoint, crystal_id)
            return crystal_of(
                row,
                summary=self._text(db, row[20]),
                state=None if row[21] is None else self._text(db, row[21]),
                fragments=run(db, "fragments_of", (row[0],)),
            )

    def lineages(self, viewpoint: Viewpoint) -> list[Lineage]:
        """Every crystal without its content, oldest first."""
        with self._db.reading() as db:
            rows = run(db, "crystals_of", self._looking(db, viewpoint), columns=COLUMNS, seen=_SEEN)
            return [self._lineage(db, row) for row in rows]

    def ancestry(self, viewpoint: Viewpoint, crystal_id: str) -> list[Lineage]:
        """A crystal and those it comes from, nearest first."""
        with self._db.reading() as db:
            values = self._looking(db, viewpoint)

            def find(above: str) -> Lineage | None:
                rows = run(db, "crystal_of", values | {"id": above}, columns=COLUMNS, seen=_SEEN)
                return self._lineage(db, rows[0]) if rows else None

            return way_up(self._lineage(db, self._crystal(db, viewpoint, crystal_id)), find)

    def mark_crystal(
        self,
        viewpoint: Viewpoint,
        crystal_id: str,
        *,
        pinned: bool | None = None,
        touched_at: datetime | None = None,
    ) -> Lineage:
        """Pin a crystal or unpin it, or count a use of it."""
        with self._db.writing() as db:
            row = self._living(db, viewpoint, crystal_id)
            values = {"number": row[0], "pinned": pinned, "touched_at": stamp_or_none(touched_at)}
            run(db, "mark_crystal", values)
            return self._lineage(db, self._crystal(db, viewpoint, crystal_id))

    def compost_crystal(self, viewpoint: Viewpoint, crystal_id: str, now: datetime, *, hard: bool) -> Reaped:
        """Leave of a crystal its tombstone and summary, or with `hard` the tombstone."""
        with self._db.writing() as db:
            row = (self._crystal if hard else self._living)(db, viewpoint, crystal_id)
            refuse_pinned(row)
            if hard:
                run(db, "empty_answers", self._looking(db, viewpoint))
            reaped = self._buried(db, viewpoint, [(row[0], row[1])], now, hard=hard)
        if hard:
            self._db.cut_log()
        return reaped

    def reap_crystals(self, viewpoint: Viewpoint, now: datetime) -> Reaped:
        """Compost every crystal whose time is over and that is not pinned."""
        with self._db.writing() as db:
            values = {**self._looking(db, viewpoint), "now": stamp(now)}
            overdue = run(db, "overdue_crystals", values, seen=_SEEN)
            reaped = self._buried(db, viewpoint, overdue, now, hard=False)
            [(pinned, others)] = run(db, "living_crystals", values, seen=_SEEN)
            return msgspec.structs.replace(reaped, skipped_pinned=int(pinned), skipped_unexpired=int(others))

    def _buried(
        self, db: apsw.Connection, viewpoint: Viewpoint, rows: list[Any], now: datetime, *, hard: bool
    ) -> Reaped:
        for number, _ in rows:
            run(db, "remove_fragments", (number,))
            run(db, "bury_crystal", {"number": number, "now": stamp(now), "hard": hard})
        if rows:
            run(db, "remove_unused_blobs", self._looking(db, viewpoint))
        return Reaped(ids=tuple(row[1] for row in rows), blobs=db.changes() if rows else 0)

    def _looking(self, db: apsw.Connection, viewpoint: Viewpoint) -> dict[str, Any]:
        return looking({"organism": self._organism(db, viewpoint.world, viewpoint.actor_id)}, viewpoint)

    def _crystal(self, db: apsw.Connection, viewpoint: Viewpoint, crystal_id: str) -> Any:
        values = {**self._looking(db, viewpoint), "id": crystal_id}
        rows = run(db, "crystal_of", values, columns=COLUMNS, seen=_SEEN)
        if not rows:
            raise NotFound(f"there is no crystal {crystal_id!r} here", crystal_id=crystal_id)
        return rows[0]

    def _living(self, db: apsw.Connection, viewpoint: Viewpoint, crystal_id: str) -> Any:
        row = self._crystal(db, viewpoint, crystal_id)
        refuse_reaped(row)
        return row

    def _lineage(self, db: apsw.Connection, row: Any) -> Lineage:
        return lineage_of(row, self._text(db, row[20]))

    def _put_text(self, db: apsw.Connection, organism: int, text: str | None) -> int | None:
        return None if text is None else value(db, "put_blob", text_values({"organism": organism}, text))

    def _text(self, db: apsw.Connection, number: int | None) -> str:
        if number is None:
            return ""
        [(name, data)] = run(db, "blob_of", (number,))
        return unpacked(name, data)
