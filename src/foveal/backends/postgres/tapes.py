"""Tapes in a Postgres database: begun, filled, finished, put to use."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np

from foveal.backends.postgres.part import Part
from foveal.backends.postgres.query import Db, change, change_all, run, value
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
from foveal.errors import NotFound
from foveal.model.glyph import Tape, TapeState
from foveal.model.sight import Viewpoint
from foveal.ports.tapes import Chart, Cutting, Found, Kin, Points, Uncut, Whole
from foveal.rules.placement import Plane


class Taping(Part):
    """How tapes are built. Each call is one transaction, so a build that was stopped goes on where it was."""

    def tapes(self, viewpoint: Viewpoint) -> list[Tape]:
        """The tapes of an organism that were built or begun, by number."""
        with self._db.reading(viewpoint) as db:
            return [tape_of(row) for row in run(db, "tapes_of", self._some_organism(db, viewpoint))]

    def shown_tape(self, viewpoint: Viewpoint) -> int:
        """The number of the tape whose addresses are shown: 0 is the encoder's own."""
        with self._db.reading(viewpoint) as db:
            return value(db, "shown_tape", self._some_organism(db, viewpoint)) or 0

    def begin_tape(self, viewpoint: Viewpoint, encoder: str, now: datetime) -> Tape:
        """The unfinished tape of this encoder, or else a new one."""
        with self._db.writing(viewpoint) as db:
            organism = self._organism(db, viewpoint.world, viewpoint.actor_id)
            if organism is None:
                raise NotFound("there is nothing here to build a tape from")
            values: dict[str, Any] = {**organism}
            for number, other in run(db, "unfinished_tapes", values):
                if other == encoder:
                    return tape_among(run(db, "tapes_of", values), number)
                for step in ("remove_tape", "remove_places"):
                    change(db, step, values | {"tape": number})
            number = value(db, "newest_tape", values) + 1
            change(db, "add_tape", values | {"tape": number, "encoder": encoder, "at": stamp(now)})
            return tape_among(run(db, "tapes_of", values), number)

    def uncut(self, viewpoint: Viewpoint, tape: int, limit: int) -> list[Uncut]:
        """Versions that a tape does not know yet, oldest first."""
        with self._db.reading(viewpoint) as db:
            values = self._tape(db, viewpoint, tape)
            return [Uncut(seq=seq, text=text) for seq, text in run(db, "uncut", values | {"limit": limit})]

    def count_uncut(self, viewpoint: Viewpoint, tape: int) -> int:
        """How many versions a tape does not know yet."""
        with self._db.reading(viewpoint) as db:
            return value(db, "count_uncut", self._tape(db, viewpoint, tape))

    def put_phrases(self, viewpoint: Viewpoint, tape: int, cut: Sequence[Cutting], found: Sequence[Found]) -> None:
        """Take the phrases of versions in, all or none."""
        with self._db.writing(viewpoint) as db:
            values = self._tape(db, viewpoint, tape)
            keys = [one.seq for one in cut]
            # What was erased meanwhile leaves nothing here, neither its places nor phrases that only it had.
            there = {row[0] for row in run(db, "still_there", values | {"keys": keys})}
            kept = [one for one in cut if one.seq in there]
            said = {key for one in kept for _, _, key in one.spans}
            own = {name: values[name] for name in ("world", "organism", "tape")}
            fresh = [one for one in found if one.key in said]
            if values["state"] == TapeState.CUTTING:
                _add(db, own, sorted(fresh, key=lambda one: one.key))
            else:
                self._take(db, values, fresh)
            mentioned = [
                own | {"seq": one.seq, "start": start, "length": length, "key": key}
                for one in kept
                for start, length, key in one.spans
            ]
            change_all(db, "add_mention", mentioned)
            change_all(db, "add_place", [own | {"seq": one.seq, "digits": one.digits} for one in kept])
            waiting = [own | {"seq": one.seq, "data": one.point.tobytes()} for one in kept if one.digits is None]
            change_all(db, "add_version_point", waiting)
            if values["active"]:
                _show(db, values | {"above": min((one.seq for one in cut), default=0) - 1})
            if cut:
                change(db, "follow_to", values | {"seq": max(one.seq for one in cut)})

    def _take(self, db: Db, values: dict[str, Any], found: Sequence[Found]) -> None:
        known = {row[0] for row in run(db, "phrases_known", values | {"keys": [one.key for one in found]})}
        new = {one.key: one for one in reversed(found) if one.key not in known}
        rows: list[dict[str, Any]] = []
        for one in (one for one in found if new.get(one.key) is one):
            member = None if one.family is None else value(db, "next_member", values | {"family": one.family})
            # The family may have gone since the phrase was compared with it.
            family = None if member is None else one.family
            more = {"language": one.language, "family": family, "member": member, "likeness": one.likeness}
            rows.append(values | more | {"key": one.key})
        change_all(db, "add_phrase", rows)

    def points(self, viewpoint: Viewpoint, tape: int) -> Points:
        """The phrases of a tape that is being cut."""
        with self._db.reading(viewpoint) as db:
            rows = run(db, "points", self._tape(db, viewpoint, tape))
        points = np.frombuffer(b"".join(row[1] for row in rows), np.int16)
        return Points(
            np.array([row[0] for row in rows], np.int64),
            points.reshape(len(rows), -1) if rows else np.empty((0, 0), np.int16),
            np.array([row[2] for row in rows], np.int64),
        )

    def put_families(
        self, viewpoint: Viewpoint, tape: int, families: Sequence[Kin], plane: Plane, digest: str
    ) -> None:
        """Store the families of a tape and who belongs to them, all at once."""
        with self._db.writing(viewpoint) as db:
            values = self._tape(db, viewpoint, tape)
            refuse_charted(values)
            own = {name: values[name] for name in ("world", "organism", "tape")}
            made = [
                own
                | {"number": one.number, "centre": one.centre.tobytes(), "digits": one.digits}
                | {"x": one.x, "y": one.y, "next_member": len(one.members)}
                for one in families
            ]
            change_all(db, "add_family", made)
            joined = [
                own | {"family": one.number, "member": member, "likeness": likeness, "key": key}
                for one in families
                for member, (key, likeness) in enumerate(one.members)
            ]
            change_all(db, "join_family", joined)
            change(db, "charted", values | {"plane": plane_bytes(plane), "digest": digest})

    def unplaced(self, viewpoint: Viewpoint, tape: int, limit: int) -> list[tuple[int, Whole]]:
        """Versions that have no digits on a tape yet, with their points."""
        with self._db.reading(viewpoint) as db:
            rows = run(db, "unplaced", self._tape(db, viewpoint, tape) | {"limit": limit})
            return [(seq, np.frombuffer(point, np.int16)) for seq, point in rows]

    def put_places(self, viewpoint: Viewpoint, tape: int, places: Sequence[tuple[int, str]]) -> None:
        """Store the digits of versions."""
        with self._db.writing(viewpoint) as db:
            own = self._tape(db, viewpoint, tape)
            change_all(db, "put_place", [own | {"seq": seq, "digits": digits} for seq, digits in places])
            change(db, "remove_version_points", own | {"keys": [seq for seq, _ in places]})

    def finish_tape(self, viewpoint: Viewpoint, tape: int) -> None:
        """Say that a tape is ready; the points of its phrases are let go."""
        with self._db.writing(viewpoint) as db:
            values = self._tape(db, viewpoint, tape)
            for step in ("let_points_go", "finish_tape"):
                change(db, step, values)

    def use_tape(self, viewpoint: Viewpoint, tape: int) -> None:
        """Show the addresses of a tape from now on, at once for all; 0 is the encoder's own."""
        with self._db.writing(viewpoint) as db:
            values: dict[str, Any] = {**self._some_organism(db, viewpoint), "tape": tape, "above": 0}
            if tape:
                values |= self._tape(db, viewpoint, tape)
                refuse_unfinished(values)
            change(db, "show_tape", values | {"tape": 0})
            change(db, "remove_places", values | {"tape": 0})
            if tape:
                _show(db, values)
            change(db, "activate_tape", values)

    def drop_tape(self, viewpoint: Viewpoint, tape: int) -> None:
        """Remove a tape and all it holds; the one that is shown is `Conflict`."""
        with self._db.writing(viewpoint) as db:
            values = self._tape(db, viewpoint, tape)
            refuse_shown(values)
            for step in ("retire_tape", "remove_tape", "remove_places"):
                change(db, step, values)

    def chart(self, viewpoint: Viewpoint, tape: int) -> Chart:
        """The middles of the families of a tape."""
        with self._db.reading(viewpoint) as db:
            values = self._tape(db, viewpoint, tape)
            return chart_of(run(db, "chart", values), values["plane"])

    def _tape(self, db: Db, viewpoint: Viewpoint, tape: int) -> dict[str, Any]:
        organism = self._some_organism(db, viewpoint)
        return tape_values(organism, tape, run(db, "tape_row", {**organism, "tape": tape}))


def _add(db: Db, own: dict[str, Any], found: Sequence[Found]) -> None:
    """Take in phrases that have no family yet, with their points."""
    nothing = {"family": None, "member": None, "likeness": 0.0}
    rows = [
        own | nothing | {"key": one.key, "language": one.language, "data": one.point.tobytes()} for one in found
    ]
    change_all(db, "add_phrase", rows)
    change_all(db, "add_phrase_point", rows)


def _show(db: Db, values: dict[str, Any]) -> None:
    """Show where versions lie on a tape, and keep where they lie on the encoder's own."""
    for step in ("keep_origin", "show_tape"):
        change(db, step, values)
