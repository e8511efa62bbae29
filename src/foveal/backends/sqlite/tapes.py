"""Tapes in a SQLite file: begun, filled, finished, put to use."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from itertools import islice
from typing import Any

import apsw
import numpy as np

from foveal.backends.relational.stamps import stamp
from foveal.backends.relational.tape_rows import (
    chart_of,
    plane_bytes,
    refuse_charted,
    refuse_shown,
    refuse_unfinished,
    tape_among,
    tape_of,
    tape_values,
)
from foveal.backends.sqlite.part import Part
from foveal.backends.sqlite.query import queries, run, value
from foveal.errors import NotFound
from foveal.model.glyph import Tape, TapeState
from foveal.model.sight import Viewpoint
from foveal.ports.tapes import Chart, Cutting, Found, Kin, Points, Uncut, Whole
from foveal.rules.placement import Plane

_BLOCK = 10_000


class Taping(Part):
    """How tapes are built. Each call is one transaction, so a build that was stopped goes on where it was."""

    def tapes(self, viewpoint: Viewpoint) -> list[Tape]:
        """The tapes of an organism that were built or begun, by number."""
        with self._db.reading() as db:
            organism = self._organism(db, viewpoint.world, viewpoint.actor_id)
            return [tape_of(row) for row in run(db, "tapes_of", {"organism": organism})]

    def shown_tape(self, viewpoint: Viewpoint) -> int:
        """The number of the tape whose addresses are shown: 0 is the encoder's own."""
        with self._db.reading() as db:
            organism = self._organism(db, viewpoint.world, viewpoint.actor_id)
            return value(db, "shown_tape", {"organism": organism}) or 0

    def begin_tape(self, viewpoint: Viewpoint, encoder: str, now: datetime) -> Tape:
        """The unfinished tape of this encoder, or else a new one."""
        with self._db.writing() as db:
            organism = self._organism(db, viewpoint.world, viewpoint.actor_id)
            if organism is None:
                raise NotFound("there is nothing here to build a tape from")
            values: dict[str, Any] = {"organism": organism}
            for number, other in run(db, "unfinished_tapes", values):
                if other == encoder:
                    return tape_among(run(db, "tapes_of", values), number)
                for step in ("remove_tape", "remove_places"):
                    run(db, step, values | {"tape": number})
            number = value(db, "newest_tape", values) + 1
            run(db, "add_tape", values | {"tape": number, "encoder": encoder, "at": stamp(now)})
            return tape_among(run(db, "tapes_of", values), number)

    def uncut(self, viewpoint: Viewpoint, tape: int, limit: int) -> list[Uncut]:
        """Versions that a tape does not know yet, oldest first."""
        with self._db.reading() as db:
            values = self._tape(db, viewpoint, tape)
            return [Uncut(seq=seq, text=text) for seq, text in run(db, "uncut", values | {"limit": limit})]

    def count_uncut(self, viewpoint: Viewpoint, tape: int) -> int:
        """How many versions a tape does not know yet."""
        with self._db.reading() as db:
            return value(db, "count_uncut", self._tape(db, viewpoint, tape))

    def put_phrases(self, viewpoint: Viewpoint, tape: int, cut: Sequence[Cutting], found: Sequence[Found]) -> None:
        """Take the phrases of versions in, all or none."""
        with self._db.writing() as db:
            values = self._tape(db, viewpoint, tape)
            organism = values["organism"]
            keys = json.dumps([one.seq for one in cut])
            # What was erased meanwhile leaves nothing here, neither its places nor phrases that only it had.
            there = {row[0] for row in run(db, "still_there", {"organism": organism, "keys": keys})}
            kept = [one for one in cut if one.seq in there]
            said = {key for one in kept for _, _, key in one.spans}
            fresh = [one for one in found if one.key in said]
            if values["state"] == TapeState.CUTTING:
                _add(db, (organism, tape), sorted(fresh, key=lambda one: one.key))
            else:
                for one in fresh:
                    self._take(db, values, one)
            db.executemany(
                queries()["add_mention"], [(organism, tape, one.seq, *span) for one in kept for span in one.spans]
            )
            for one in kept:
                run(db, "add_place", (organism, tape, one.seq, one.digits))
                if one.digits is None:
                    run(db, "add_version_point", (organism, tape, one.seq, one.point.tobytes()))
            if values["active"]:
                _show(db, values | {"above": min((one.seq for one in cut), default=0) - 1})
            if cut:
                run(db, "follow_to", values | {"seq": max(one.seq for one in cut)})

    def _take(self, db: apsw.Connection, values: dict[str, Any], one: Found) -> None:
        if value(db, "phrase_known", values | {"key": one.key}):
            return
        member = None if one.family is None else value(db, "next_member", values | {"family": one.family})
        # The family may have gone since the phrase was compared with it.
        family = None if member is None else one.family
        own = (values["organism"], values["tape"], one.key)
        run(db, "add_phrase", (*own, one.language, family, member, one.likeness))

    def points(self, viewpoint: Viewpoint, tape: int) -> Points:
        """The phrases of a tape that is being cut."""
        with self._db.reading() as db:
            values = self._tape(db, viewpoint, tape)
            count, size = run(db, "count_points", values)[0]
            keys, uses = np.empty(count, np.int64), np.empty(count, np.int64)
            points = np.empty((count, (size or 0) // np.dtype(np.int16).itemsize), np.int16)
            rows = iter(db.execute(queries()["points"], values))
            # In blocks: a million rows at once would take several times the room of the points.
            for start in range(0, count, _BLOCK):
                block = list(islice(rows, _BLOCK))
                here = slice(start, start + len(block))
                keys[here], uses[here] = [row[0] for row in block], [row[2] for row in block]
                points[here] = np.frombuffer(b"".join(row[1] for row in block), np.int16).reshape(len(block), -1)
        return Points(keys, points, uses)

    def put_families(
        self, viewpoint: Viewpoint, tape: int, families: Sequence[Kin], plane: Plane, digest: str
    ) -> None:
        """Store the families of a tape and who belongs to them, all at once."""
        with self._db.writing() as db:
            values = self._tape(db, viewpoint, tape)
            refuse_charted(values)
            own = (values["organism"], tape)
            db.executemany(
                queries()["add_family"],
                [
                    (*own, one.number, one.centre.tobytes(), one.digits, one.x, one.y, len(one.members))
                    for one in families
                ],
            )
            db.executemany(
                queries()["join_family"],
                [
                    (one.number, member, likeness, *own, key)
                    for one in families
                    for member, (key, likeness) in enumerate(one.members)
                ],
            )
            run(db, "charted", values | {"plane": plane_bytes(plane), "digest": digest})

    def unplaced(self, viewpoint: Viewpoint, tape: int, limit: int) -> list[tuple[int, Whole]]:
        """Versions that have no digits on a tape yet, with their points."""
        with self._db.reading() as db:
            rows = run(db, "unplaced", self._tape(db, viewpoint, tape) | {"limit": limit})
            return [(seq, np.frombuffer(point, np.int16)) for seq, point in rows]

    def put_places(self, viewpoint: Viewpoint, tape: int, places: Sequence[tuple[int, str]]) -> None:
        """Store the digits of versions."""
        with self._db.writing() as db:
            organism = self._tape(db, viewpoint, tape)["organism"]
            db.executemany(queries()["put_place"], [(digits, organism, tape, seq) for seq, digits in places])
            db.executemany(queries()["remove_version_point"], [(organism, tape, seq) for seq, _ in places])

    def finish_tape(self, viewpoint: Viewpoint, tape: int) -> None:
        """Say that a tape is ready; the points of its phrases are let go."""
        with self._db.writing() as db:
            values = self._tape(db, viewpoint, tape)
            for step in ("let_points_go", "finish_tape"):
                run(db, step, values)

    def use_tape(self, viewpoint: Viewpoint, tape: int) -> None:
        """Show the addresses of a tape from now on, at once for all; 0 is the encoder's own."""
        with self._db.writing() as db:
            organism = self._organism(db, viewpoint.world, viewpoint.actor_id)
            values: dict[str, Any] = {"organism": organism, "tape": tape, "above": 0}
            if tape:
                values |= self._tape(db, viewpoint, tape)
                refuse_unfinished(values)
            run(db, "show_tape", values | {"tape": 0})
            run(db, "remove_places", values | {"tape": 0})
            if tape:
                _show(db, values)
            run(db, "activate_tape", values)

    def drop_tape(self, viewpoint: Viewpoint, tape: int) -> None:
        """Remove a tape and all it holds; the one that is shown is `Conflict`."""
        with self._db.writing() as db:
            values = self._tape(db, viewpoint, tape)
            refuse_shown(values)
            for step in ("retire_tape", "remove_tape", "remove_places"):
                run(db, step, values)

    def chart(self, viewpoint: Viewpoint, tape: int) -> Chart:
        """The middles of the families of a tape."""
        with self._db.reading() as db:
            values = self._tape(db, viewpoint, tape)
            return chart_of(run(db, "chart", values), values["plane"])

    def _tape(self, db: apsw.Connection, viewpoint: Viewpoint, tape: int) -> dict[str, Any]:
        organism = self._organism(db, viewpoint.world, viewpoint.actor_id)
        return tape_values({"organism": organism}, tape, run(db, "tape_row", {"organism": organism, "tape": tape}))


def _add(db: apsw.Connection, own: tuple[int, int], found: Sequence[Found]) -> None:
    """Take in phrases that have no family yet, with their points."""
    db.executemany(queries()["add_phrase"], [(*own, one.key, one.language, None, None, 0.0) for one in found])
    db.executemany(queries()["add_phrase_point"], [(*own, one.key, one.point.tobytes()) for one in found])


def _show(db: apsw.Connection, values: dict[str, Any]) -> None:
    """Show where versions lie on a tape, and keep where they lie on the encoder's own."""
    for step in ("keep_origin", "show_tape"):
        run(db, step, values)
