"""Tapes: how they are built, and the phrases and families on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

import msgspec
import numpy as np

from foveal.backends.sql.rows import from_micros, record_of, to_micros
from foveal.backends.sql.session import Part, Transaction
from foveal.errors import Conflict, NotFound
from foveal.model.glyph import Family, Mention, Phrase, Tape, TapeState
from foveal.model.query import Access, Viewpoint
from foveal.model.record import Record
from foveal.ports.tapes import Chart, Cutting, Found, Kin, Points, Uncut, Whole
from foveal.rules.addresses import Plane, held, stem
from foveal.rules.glyphs import family_of, glyph, nearest_first

_BLOCK = 10_000
_PAGE = 200
_AT_FIRST, _FURTHER = 3, 16

Row = Sequence[Any]


class Tapes(Part):
    """How tapes are built and looked at; nobody gets words that they may not see.

    Each call is one transaction, so a build that was stopped goes on where it was.
    """

    def tapes(self, viewpoint: Viewpoint) -> list[Tape]:
        """The tapes of an organism that were built or begun, by number."""
        with self._session.reading(viewpoint) as db:
            return [_tape_of(row) for row in db.run("tapes_of", db.organism_or_nobody(viewpoint))]

    def shown_tape(self, viewpoint: Viewpoint) -> int:
        """The number of the tape whose addresses are shown: 0 is the encoder's own."""
        with self._session.reading(viewpoint) as db:
            return db.value("shown_tape", db.organism_or_nobody(viewpoint)) or 0

    def begin_tape(self, viewpoint: Viewpoint, encoder: str, now: datetime) -> Tape:
        """The unfinished tape of this encoder, or else a new one."""
        with self._session.writing(viewpoint) as db:
            organism = db.organism(viewpoint)
            if organism is None:
                raise NotFound("there is nothing here to build a tape from")
            values: dict[str, Any] = {**organism}
            for number, other in db.run("unfinished_tapes", values):
                if other == encoder:
                    return _tape_among(db.run("tapes_of", values), number)
                for step in ("remove_tape", "remove_places"):
                    db.change(step, values | {"tape": number})
            number = db.value("newest_tape", values) + 1
            db.change("add_tape", values | {"tape": number, "encoder": encoder, "at": to_micros(now)})
            return _tape_among(db.run("tapes_of", values), number)

    def uncut(self, viewpoint: Viewpoint, tape: int, limit: int) -> list[Uncut]:
        """Versions that a tape does not know yet, oldest first."""
        with self._session.reading(viewpoint) as db:
            values = self._tape(db, viewpoint, tape)
            return [Uncut(seq=seq, text=text) for seq, text in db.run("uncut", values | {"limit": limit})]

    def count_uncut(self, viewpoint: Viewpoint, tape: int) -> int:
        """How many versions a tape does not know yet."""
        with self._session.reading(viewpoint) as db:
            return db.value("count_uncut", self._tape(db, viewpoint, tape))

    def put_phrases(self, viewpoint: Viewpoint, tape: int, cut: Sequence[Cutting], found: Sequence[Found]) -> None:
        """Take the phrases of versions in, all or none."""
        with self._session.writing(viewpoint) as db:
            values = self._tape(db, viewpoint, tape)
            keys = self._dialect.array(cutting.seq for cutting in cut)
            # What was erased meanwhile leaves nothing here, neither its places nor phrases that only it had.
            there = {row[0] for row in db.run("still_there", values | {"keys": keys})}
            kept = [cutting for cutting in cut if cutting.seq in there]
            said = {key for cutting in kept for _, _, key in cutting.spans}
            own = db.organism_or_nobody(viewpoint) | {"tape": tape}
            fresh = [phrase for phrase in found if phrase.key in said]
            if values["state"] == TapeState.CUTTING:
                _add(db, own, sorted(fresh, key=lambda phrase: phrase.key))
            else:
                self._take(db, values, fresh)
            mentioned = [
                own | {"seq": cutting.seq, "start": start, "length": length, "key": key}
                for cutting in kept
                for start, length, key in cutting.spans
            ]
            places = [own | {"seq": cutting.seq, "digits": cutting.digits} for cutting in kept]
            waiting = [own | {"seq": one.seq, "data": one.point.tobytes()} for one in kept if one.digits is None]
            db.batch(("add_mention", mentioned), ("add_place", places), ("add_version_point", waiting))
            if values["active"]:
                _show(db, values | {"above": min((one.seq for one in cut), default=0) - 1})
            if cut:
                db.change("follow_to", values | {"seq": max(one.seq for one in cut)})

    def _take(self, db: Transaction, values: dict[str, Any], found: Sequence[Found]) -> None:
        known = {
            row[0]
            for row in db.run("phrases_known", values | {"keys": self._dialect.array(one.key for one in found)})
        }
        new = {one.key: one for one in reversed(found) if one.key not in known}
        rows: list[dict[str, Any]] = []
        for one in (one for one in found if new.get(one.key) is one):
            member = None if one.family is None else db.value("next_member", values | {"family": one.family})
            # The family may have gone since the phrase was compared with it.
            family = None if member is None else one.family
            more = {"language": one.language, "family": family, "member": member, "likeness": one.likeness}
            rows.append(values | more | {"key": one.key})
        db.batch(("add_phrase", rows))

    def points(self, viewpoint: Viewpoint, tape: int) -> Points:
        """The phrases of a tape that is being cut."""
        with self._session.reading(viewpoint) as db:
            values = self._tape(db, viewpoint, tape)
            [(count, size)] = db.run("count_points", values)
            keys, uses = np.empty(count, np.int64), np.empty(count, np.int64)
            points = np.empty((count, (size or 0) // np.dtype(np.int16).itemsize), np.int16)
            rows = db.stream("points", values)
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
        with self._session.writing(viewpoint) as db:
            values = self._tape(db, viewpoint, tape)
            _refuse_charted(values)
            own = db.organism_or_nobody(viewpoint) | {"tape": tape}
            made = [
                own
                | {"number": one.number, "centre": one.centre.tobytes(), "digits": one.digits}
                | {"x": one.x, "y": one.y, "next_member": len(one.members)}
                for one in families
            ]
            joined = [
                own | {"family": one.number, "member": member, "likeness": likeness, "key": key}
                for one in families
                for member, (key, likeness) in enumerate(one.members)
            ]
            db.batch(("add_family", made), ("join_family", joined))
            db.change("charted", values | {"plane": _plane_bytes(plane), "digest": digest})

    def unplaced(self, viewpoint: Viewpoint, tape: int, limit: int) -> list[tuple[int, Whole]]:
        """Versions that have no digits on a tape yet, with their points."""
        with self._session.reading(viewpoint) as db:
            rows = db.run("unplaced", self._tape(db, viewpoint, tape) | {"limit": limit})
            return [(seq, np.frombuffer(point, np.int16)) for seq, point in rows]

    def put_places(self, viewpoint: Viewpoint, tape: int, places: Sequence[tuple[int, str]]) -> None:
        """Store the digits of versions."""
        with self._session.writing(viewpoint) as db:
            own = self._tape(db, viewpoint, tape)
            db.batch(("put_place", [own | {"seq": seq, "digits": digits} for seq, digits in places]))
            db.change("remove_version_points", own | {"keys": self._dialect.array(seq for seq, _ in places)})

    def finish_tape(self, viewpoint: Viewpoint, tape: int) -> None:
        """Say that a tape is ready; the points of its phrases are let go."""
        with self._session.writing(viewpoint) as db:
            values = self._tape(db, viewpoint, tape)
            for step in ("let_points_go", "finish_tape"):
                db.change(step, values)

    def use_tape(self, viewpoint: Viewpoint, tape: int) -> None:
        """Show the addresses of a tape from now on, at once for all; 0 is the encoder's own."""
        with self._session.writing(viewpoint) as db:
            values: dict[str, Any] = {**db.organism_or_nobody(viewpoint), "tape": tape, "above": 0}
            if tape:
                values |= self._tape(db, viewpoint, tape)
                _refuse_unfinished(values)
            db.change("show_tape", values | {"tape": 0})
            db.change("remove_places", values | {"tape": 0})
            if tape:
                _show(db, values)
            db.change("activate_tape", values)

    def drop_tape(self, viewpoint: Viewpoint, tape: int) -> None:
        """Remove a tape and all it holds; the one that is shown is `Conflict`."""
        with self._session.writing(viewpoint) as db:
            values = self._tape(db, viewpoint, tape)
            _refuse_shown(values)
            for step in ("retire_tape", "remove_tape", "remove_places"):
                db.change(step, values)

    def chart(self, viewpoint: Viewpoint, tape: int) -> Chart:
        """The middles of the families of a tape."""
        with self._session.reading(viewpoint) as db:
            values = self._tape(db, viewpoint, tape)
            return _chart_of(db.run("chart", values), values["plane"])

    def _tape(self, db: Transaction, viewpoint: Viewpoint, tape: int) -> dict[str, Any]:
        organism = db.organism_or_nobody(viewpoint)
        return _tape_values(organism, tape, db.run("tape_row", {**organism, "tape": tape}))

    def families(
        self, access: Access, tape: int, *, numbers: Sequence[int] | None = None, prefix: str = "", limit: int = 100
    ) -> list[Family]:
        """The families with words that are visible, by number."""
        found: list[Family] = []
        with self._session.reading(access.viewpoint) as db:
            seen = self._on(db, access, tape)
            if seen is None:
                return []
            if numbers is not None:
                rows = db.run("families_by_number", seen[1] | {"numbers": self._dialect.array(numbers)})
                return self._families(db, seen, rows)[:limit]
            after, page = -1, min(_PAGE, limit)
            while len(found) < limit:
                rows = db.run("family_numbers", seen[1] | {"prefix": prefix, "after": after, "limit": page})
                found += self._families(db, seen, rows)
                if len(rows) < page:
                    break
                # Those that were hidden are not counted: look further with larger steps.
                after, page = rows[-1][0], _PAGE
        return found[:limit]

    def _families(self, db: Transaction, seen: tuple[str, dict[str, Any]], rows: Sequence[Any]) -> list[Family]:
        values = seen[1] | {"numbers": self._dialect.array(row[0] for row in rows)}
        return _families_of(rows, db.run("family_words", values, visible=seen[0]))

    def family_phrases(self, access: Access, tape: int, number: int, limit: int) -> list[Phrase]:
        """The visible phrases of a family, the nearest to its middle first."""
        with self._session.reading(access.viewpoint) as db:
            seen = self._on(db, access, tape)
            if seen is None:
                return []
            rows = db.run("family_words", seen[1] | {"numbers": self._dialect.array([number])}, visible=seen[0])
        return nearest_first([_phrase_of(row) for row in rows])[:limit]

    def family_records(self, access: Access, tape: int, number: int, limit: int) -> list[Record]:
        """The visible records that say a phrase of a family, newest first, with their addresses on the tape."""
        with self._session.reading(access.viewpoint) as db:
            seen = self._on(db, access, tape)
            if seen is None:
                return []
            more = {"family": number, "limit": limit}
            rows = db.run("family_records", seen[1] | more, columns=self._dialect.columns, visible=seen[0])
        return [_placed_of(row, tape) for row in rows]

    def phrases_by_key(self, access: Access, tape: int, keys: Sequence[int]) -> Mapping[int, Phrase]:
        """The visible ones of these phrases."""
        with self._session.reading(access.viewpoint) as db:
            seen = self._on(db, access, tape)
            if seen is None:
                return {}
            rows = db.run("phrases_by_key", seen[1] | {"keys": self._dialect.array(keys)}, visible=seen[0])
        return {row[0]: _phrase_of(row[1:]) for row in rows}

    def phrases_by_member(
        self, access: Access, tape: int, members: Sequence[tuple[int, int]]
    ) -> Mapping[tuple[int, int], str]:
        """The words of these members of families, as far as they are visible."""
        wanted = set(members)
        with self._session.reading(access.viewpoint) as db:
            seen = self._on(db, access, tape)
            if seen is None:
                return {}
            numbers = self._dialect.array(sorted({family for family, _ in wanted}))
            rows = db.run("family_words", seen[1] | {"numbers": numbers}, visible=seen[0])
        return {(row[0], row[1]): row[6] for row in rows if (row[0], row[1]) in wanted}

    def mentions(self, access: Access, tape: int, ids: Sequence[str]) -> Mapping[str, list[Mention]]:
        """The phrases of visible records that have a family, in the order of the text."""
        with self._session.reading(access.viewpoint) as db:
            seen = self._on(db, access, tape)
            if seen is None:
                return {}
            rows = db.run("mentions_in", seen[1] | {"ids": self._dialect.texts(ids)}, visible=seen[0])
        return _mentions_of(rows)

    def placed(
        self,
        access: Access,
        tape: int,
        *,
        prefix: str = "",
        region: str | None = None,
        time_slice: int | None = None,
        limit: int = 100,
    ) -> list[Record]:
        """The visible records under a prefix of a tape, with their addresses on it, in the order of the digits."""
        with self._session.reading(access.viewpoint) as db:
            seen = self._on(db, access, tape)
            if seen is None:
                return []
            values = seen[1] | {"prefix": prefix, "region": region, "slice": time_slice, "limit": limit}
            # The first of a large cell are few: look for them in ever larger parts of it.
            part, until, rows = min(_PAGE, _AT_FIRST * limit), "", list[Any]()
            while until is not None and len(rows) < limit:
                until = db.value("placed_until", values | {"part": part})
                rows = db.run("placed", values | {"until": until}, columns=self._dialect.columns, visible=seen[0])
                part *= _FURTHER
        return [_placed_of(row, tape) for row in rows]

    def count_placed(self, access: Access, tape: int, prefixes: Sequence[str]) -> list[int]:
        """How many visible records lie under each prefix."""
        with self._session.reading(access.viewpoint) as db:
            seen = self._on(db, access, tape)
            if seen is None:
                return [0] * len(prefixes)
            rows = db.run("count_placed", seen[1] | {"prefix": stem(prefixes)}, visible=seen[0])
        return held(dict(rows), prefixes)

    def _on(self, db: Transaction, access: Access, tape: int) -> tuple[str, dict[str, Any]] | None:
        seen = self._access(db, access)
        return None if seen is None else (seen[0], seen[1] | {"tape": tape})


def _add(db: Transaction, own: dict[str, Any], found: Sequence[Found]) -> None:
    """Take in phrases that have no family yet, with their points."""
    nothing = {"family": None, "member": None, "likeness": 0.0}
    rows = [
        own | nothing | {"key": one.key, "language": one.language, "data": one.point.tobytes()} for one in found
    ]
    db.batch(("add_phrase", rows), ("add_phrase_point", rows))


def _show(db: Transaction, values: dict[str, Any]) -> None:
    """Show where versions lie on a tape, and keep where they lie on the encoder's own."""
    for step in ("keep_origin", "show_tape"):
        db.change(step, values)


def _tape_of(row: Sequence[Any]) -> Tape:
    """The tape that a row of `tapes_of` holds."""
    number, encoder, state, active, created_at, digest, records, phrases, families, waiting = row
    return Tape(
        number=number,
        encoder=encoder,
        state=TapeState(state),
        active=bool(active),
        created_at=from_micros(created_at),
        records=records,
        phrases=phrases,
        families=families,
        waiting=waiting if state == TapeState.READY else 0,
        digest=digest,
    )


def _tape_among(rows: Iterable[Sequence[Any]], number: int) -> Tape:
    """The tape with a number."""
    return next(_tape_of(row) for row in rows if row[0] == number)


def _tape_values(own: Mapping[str, Any], tape: int, rows: Iterable[Sequence[Any]]) -> dict[str, Any]:
    """What queries about a tape bind, from what `tape_row` found."""
    for _, state, active, followed, plane in rows:
        of_tape = {"tape": tape, "state": state, "active": active, "followed": followed, "plane": plane}
        return {**own, **of_tape, "above": 0}
    raise NotFound(f"there is no tape {tape} here", tape=tape)


def _refuse_charted(values: Mapping[str, Any]) -> None:
    """Raise `Conflict` for a tape that has its families."""
    if values["state"] != TapeState.CUTTING:
        raise Conflict(f"tape {values['tape']} has its families already", tape=values["tape"])


def _refuse_unfinished(values: Mapping[str, Any]) -> None:
    """Raise `Conflict` for a tape that is not ready."""
    if values["state"] != TapeState.READY:
        raise Conflict(f"tape {values['tape']} is not finished: build it first", tape=values["tape"])


def _refuse_shown(values: Mapping[str, Any]) -> None:
    """Raise `Conflict` for the tape whose addresses are shown."""
    if values["active"]:
        raise Conflict(f"tape {values['tape']} is in use: put another to use first", tape=values["tape"])


def _plane_bytes(plane: Plane) -> bytes:
    """A map as it is kept."""
    return np.array([*plane.centre, *plane.spread], np.float64).tobytes() + plane.axes.astype(np.float32).tobytes()


def _chart_of(rows: Sequence[Sequence[Any]], plane: bytes | None) -> Chart:
    """The middles of families, on the map that was kept."""
    if plane is None:
        raise NotFound("this tape has no map yet: build it first")
    x, y, broad, high = np.frombuffer(plane[:32], np.float64).tolist()
    axes = np.frombuffer(plane[32:], np.float32).reshape(-1, 2)
    centres = np.frombuffer(b"".join(row[1] for row in rows), np.int16)
    numbers = np.array([row[0] for row in rows], np.int64)
    return Chart(numbers, centres.reshape(-1, axes.shape[0]), Plane(axes, (x, y), (broad, high)))


def _phrase_of(row: Row) -> Phrase:
    """The phrase that a row of `family_words` holds."""
    family, member, likeness, language, uses, _, text = row
    return Phrase(
        text=text,
        language=language,
        uses=uses,
        likeness=likeness,
        family=family,
        member=member,
        glyph=None if family is None else glyph(family),
    )


def _families_of(rows: Iterable[Row], words: Iterable[Row]) -> list[Family]:
    """The families that rows hold, those without a word among `words` left out."""
    found: dict[int, list[Phrase]] = {}
    for row in words:
        found.setdefault(row[0], []).append(_phrase_of(row))
    return [family_of(row[0], found[row[0]], *row[1:]) for row in rows if row[0] in found]


def _mentions_of(rows: Iterable[Row]) -> dict[str, list[Mention]]:
    """The phrases of records that rows of `mentions_in` hold, by the ids of the records."""
    found: dict[str, list[Mention]] = {}
    for record_id, start, length, family, member, likeness, text in rows:
        found.setdefault(record_id, []).append(
            Mention(
                start=start,
                end=start + length,
                text=text,
                glyph=glyph(family),
                family=family,
                member=member,
                likeness=likeness,
                exact=True,
            )
        )
    return found


def _placed_of(row: Row, tape: int) -> Record:
    """The record that a row holds, with the address on a tape whose digits come first in the row."""
    record = record_of(row[1:])
    address = msgspec.structs.replace(record.address, digits=row[0], tape=tape)
    return msgspec.structs.replace(record, address=address)
