"""Build tapes, and read the phrases and families on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

import msgspec
import numpy as np

from foveal.backends.sql.rows import struct_of, to_micros
from foveal.backends.sql.session import Transaction
from foveal.backends.sql.visibility import Part
from foveal.errors import Conflict, NotFound
from foveal.model.glyph import Family, Mention, Phrase, Tape, TapeState
from foveal.model.query import Access, Viewpoint
from foveal.model.record import Record
from foveal.ports.tapes import Chart, Cutting, Found, Points, StoredFamily, Uncut, Whole, Worded
from foveal.rules.addresses import Plane, held, stem
from foveal.rules.glyphs import family_of, glyph, nearest_first

_BLOCK = 10_000
_PAGE = 200
_AT_FIRST, _FURTHER = 3, 16


class Tapes(Part):
    """Builds tapes and reads them; a read returns only words from visible records.

    Each call is one transaction, so an interrupted build continues where it stopped.
    """

    def all(self, viewpoint: Viewpoint) -> list[Tape]:
        """The finished and unfinished tapes of an organism, by number."""
        with self._session.reading(viewpoint) as db:
            return self._each(Tape, db.rows("tapes_of", db.organism_or_nobody(viewpoint)), _tape_of)

    def shown(self, viewpoint: Viewpoint) -> int:
        """The number of the tape whose addresses are shown: 0 is the encoder's own."""
        with self._session.reading(viewpoint) as db:
            return db.value("shown_tape", db.organism_or_nobody(viewpoint)) or 0

    def legible(self, viewpoint: Viewpoint, encoder: str) -> int:
        """The number of the tape in use, or else of the newest finished one of this encoder; 0 if there is none."""
        with self._session.reading(viewpoint) as db:
            return db.value("legible_tape", {**db.organism_or_nobody(viewpoint), "encoder": encoder}) or 0

    def begin(self, viewpoint: Viewpoint, encoder: str, now: datetime) -> Tape:
        """The unfinished tape of this encoder, or a new one; an unfinished tape of another encoder is dropped."""
        with self._session.writing(viewpoint) as db:
            organism = db.organism(viewpoint)
            if organism is None:
                raise NotFound("there is nothing here to build a tape from")
            values: dict[str, Any] = {**organism}
            for number, its_encoder in db.run("unfinished_tapes", values):
                if its_encoder == encoder:
                    return _tape_among(db.rows("tapes_of", values), number)
                for step in ("remove_tape", "remove_places"):
                    db.change(step, values | {"tape": number})
            number = db.value("newest_tape", values) + 1
            db.change("add_tape", values | {"tape": number, "encoder": encoder, "at": to_micros(now)})
            return _tape_among(db.rows("tapes_of", values), number)

    def uncut(self, viewpoint: Viewpoint, tape: int, limit: int) -> list[Uncut]:
        """Versions whose phrases are not on a tape yet, oldest first."""
        with self._session.reading(viewpoint) as db:
            values = self._tape(db, viewpoint, tape)
            return [Uncut(seq=seq, text=text) for seq, text in db.run("uncut", values | {"limit": limit})]

    def count_uncut(self, viewpoint: Viewpoint, tape: int) -> int:
        """How many versions have no phrases on a tape yet; tape 0 has those of none."""
        with self._session.reading(viewpoint) as db:
            nothing = {**db.organism_or_nobody(viewpoint), "followed": 0}
            return db.value("count_uncut", self._tape(db, viewpoint, tape) if tape else nothing)

    def put_phrases(self, viewpoint: Viewpoint, tape: int, cut: Sequence[Cutting], found: Sequence[Found]) -> None:
        """Add the phrases of versions to a tape, all or none."""
        with self._session.writing(viewpoint) as db:
            values = self._tape(db, viewpoint, tape)
            keys = self._dialect.array(cutting.seq for cutting in cut)
            # A version erased meanwhile must leave nothing here, neither its place nor phrases that only it had.
            existing = {seq for (seq,) in db.run("still_there", values | {"keys": keys})}
            cuttings = [cutting for cutting in cut if cutting.seq in existing]
            mentioned = {key for cutting in cuttings for _, _, key in cutting.spans}
            own = db.organism_or_nobody(viewpoint) | {"tape": tape}
            fresh = [phrase for phrase in found if phrase.key in mentioned]
            if values["state"] == TapeState.CUTTING:
                _add(db, own, sorted(fresh, key=lambda phrase: phrase.key))
            else:
                self._add_to_families(db, values, fresh)
            mentions = [
                own | {"seq": cutting.seq, "start": start, "length": length, "key": key}
                for cutting in cuttings
                for start, length, key in cutting.spans
            ]
            places = [own | {"seq": cutting.seq, "digits": cutting.digits} for cutting in cuttings]
            waiting = [
                own | {"seq": cutting.seq, "data": cutting.point.tobytes()}
                for cutting in cuttings
                if cutting.digits is None
            ]
            db.batch(("add_mention", mentions), ("add_place", places), ("add_version_point", waiting))
            if values["active"]:
                _show(db, values | {"above": min((cutting.seq for cutting in cut), default=0) - 1})
            if cut:
                db.change("follow_to", values | {"seq": max(cutting.seq for cutting in cut)})

    def _add_to_families(self, db: Transaction, values: dict[str, Any], found: Sequence[Found]) -> None:
        """Add new phrases to the families they were assigned to."""
        keys = self._dialect.array(phrase.key for phrase in found)
        known = {key for (key,) in db.run("phrases_known", values | {"keys": keys})}
        new: dict[int, Found] = {}
        for phrase in found:
            if phrase.key not in known:
                new.setdefault(phrase.key, phrase)
        rows: list[dict[str, Any]] = []
        for phrase in new.values():
            member = None if phrase.family is None else db.value("next_member", values | {"family": phrase.family})
            # The family may have been removed since the phrase was compared with it.
            family = None if member is None else phrase.family
            more = {"language": phrase.language, "family": family, "member": member, "likeness": phrase.likeness}
            rows.append(values | more | {"key": phrase.key})
        db.batch(("add_phrase", rows))

    def points(self, viewpoint: Viewpoint, tape: int) -> Points:
        """The distinct phrases of a tape that has no families yet, with their points and uses."""
        with self._session.reading(viewpoint) as db:
            values = self._tape(db, viewpoint, tape)
            [(count, size)] = db.run("count_points", values)
            keys, uses = np.empty(count, np.int64), np.empty(count, np.int64)
            points = np.empty((count, (size or 0) // np.dtype(np.int16).itemsize), np.int16)
            rows = db.stream("points", values)
            # In blocks, because a million rows at once would take several times the memory of the points.
            for start in range(0, count, _BLOCK):
                block = list(islice(rows, _BLOCK))
                here = slice(start, start + len(block))
                keys[here], uses[here] = [key for key, _, _ in block], [times for _, _, times in block]
                data = b"".join(point for _, point, _ in block)
                points[here] = np.frombuffer(data, np.int16).reshape(len(block), -1)
        return Points(keys, points, uses)

    def words(
        self, viewpoint: Viewpoint, tape: int, *, keys: Sequence[int] = (), families: Sequence[int] = ()
    ) -> list[Worded]:
        """The words of these phrases and of the members of these families, whoever may see them, by key."""
        found: dict[int, Worded] = {}
        with self._session.reading(viewpoint) as db:
            values = {**db.organism_or_nobody(viewpoint), "tape": tape}
            for part in _parts(keys):
                rows = db.rows("words_by_key", values | {"keys": self._dialect.array(part)})
                found |= {row.key: struct_of(Worded, row) for row in rows}
            for part in _parts(families):
                rows = db.rows("words_by_family", values | {"numbers": self._dialect.array(part)})
                found |= {row.key: struct_of(Worded, row) for row in rows}
        return [found[key] for key in sorted(found)]

    def put_families(
        self, viewpoint: Viewpoint, tape: int, families: Sequence[StoredFamily], plane: Plane, digest: str
    ) -> None:
        """Store the families of a tape with their members, all at once."""
        with self._session.writing(viewpoint) as db:
            values = self._tape(db, viewpoint, tape)
            _refuse_charted(values)
            own = db.organism_or_nobody(viewpoint) | {"tape": tape}
            family_rows = [
                own
                | {"number": family.number, "centre": family.centre.tobytes(), "digits": family.digits}
                | {"x": family.x, "y": family.y, "next_member": len(family.members)}
                for family in families
            ]
            member_rows = [
                own | {"family": family.number, "member": member, "likeness": likeness, "key": key}
                for family in families
                for member, (key, likeness) in enumerate(family.members)
            ]
            db.batch(("add_family", family_rows), ("join_family", member_rows))
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

    def finish(self, viewpoint: Viewpoint, tape: int) -> None:
        """Mark a tape as ready, and delete the points of its phrases."""
        with self._session.writing(viewpoint) as db:
            values = self._tape(db, viewpoint, tape)
            for step in ("let_points_go", "finish_tape"):
                db.change(step, values)

    def use(self, viewpoint: Viewpoint, tape: int) -> None:
        """Switch all records to their addresses on a tape, at once; 0 is the encoder's own tape."""
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

    def drop(self, viewpoint: Viewpoint, tape: int) -> None:
        """Remove a tape and everything on it; `Conflict` for the tape that is shown."""
        with self._session.writing(viewpoint) as db:
            values = self._tape(db, viewpoint, tape)
            _refuse_shown(values)
            for step in ("retire_tape", "remove_tape", "remove_places"):
                db.change(step, values)

    def chart(self, viewpoint: Viewpoint, tape: int) -> Chart:
        """The centres of the families of a tape."""
        with self._session.reading(viewpoint) as db:
            values = self._tape(db, viewpoint, tape)
            return _chart_of(db.run("chart", values), values["plane"])

    def _tape(self, db: Transaction, viewpoint: Viewpoint, tape: int) -> dict[str, Any]:
        organism = db.organism_or_nobody(viewpoint)
        return _tape_values(organism, tape, db.rows("tape_row", {**organism, "tape": tape}))

    def families(
        self, access: Access, tape: int, *, numbers: Sequence[int] | None = None, prefix: str = "", limit: int = 100
    ) -> list[Family]:
        """The families that have visible words, by number."""
        families: list[Family] = []
        with self._session.reading(access.viewpoint) as db:
            values = {**db.organism_or_nobody(access.viewpoint), "tape": tape}
            if numbers is not None:
                rows = db.rows("families_by_number", values | {"numbers": self._dialect.array(numbers)})
                return self._families(db, access, tape, rows)[:limit]
            after, page = -1, min(_PAGE, limit)
            while len(families) < limit:
                rows = db.rows("family_numbers", values | {"prefix": prefix, "after": after, "limit": page})
                families += self._families(db, access, tape, rows)
                if len(rows) < page:
                    break
                # Hidden families do not count, so continue with larger pages.
                after, page = rows[-1].number, _PAGE
        return families[:limit]

    def _families(self, db: Transaction, access: Access, tape: int, rows: Sequence[Any]) -> list[Family]:
        return _families_of(rows, self._words(db, access, tape, [row.number for row in rows]))

    def _words(self, db: Transaction, access: Access, tape: int, numbers: Sequence[int]) -> list[Any]:
        """The rows of the visible phrases of families."""
        asked = {"tape": tape, "numbers": self._dialect.array(numbers)}
        return self._seen(db, access, "family_words", asked)

    def family_phrases(self, access: Access, tape: int, number: int, limit: int) -> list[Phrase]:
        """The visible phrases of a family, nearest to its centre first."""
        with self._session.reading(access.viewpoint) as db:
            rows = self._words(db, access, tape, [number])
        return nearest_first(self._each(Phrase, rows, _phrase_of))[:limit]

    def family_records(self, access: Access, tape: int, number: int, limit: int) -> list[Record]:
        """The visible records that contain a phrase of a family, newest first, with their addresses on the tape."""
        with self._session.reading(access.viewpoint) as db:
            asked = {"tape": tape, "family": number, "limit": limit}
            rows = self._seen(db, access, "family_records", asked, columns=self._dialect.columns)
        return self._placed(rows, tape)

    def phrases_by_key(self, access: Access, tape: int, keys: Sequence[int]) -> Mapping[int, Phrase]:
        """Those of these phrases that are visible, by key."""
        with self._session.reading(access.viewpoint) as db:
            asked = {"tape": tape, "keys": self._dialect.array(keys)}
            rows = self._seen(db, access, "phrases_by_key", asked)
        return {row.key: _phrase_of(row) for row in rows}

    def phrases_by_member(
        self, access: Access, tape: int, members: Sequence[tuple[int, int]]
    ) -> Mapping[tuple[int, int], str]:
        """The words of these members of families, where visible."""
        wanted = set(members)
        with self._session.reading(access.viewpoint) as db:
            rows = self._words(db, access, tape, sorted({family for family, _ in wanted}))
        return {(row.family, row.member): row.text for row in rows if (row.family, row.member) in wanted}

    def mentions(self, access: Access, tape: int, ids: Sequence[str]) -> Mapping[str, list[Mention]]:
        """The phrases in visible records that belong to a family, in the order of the text, by record id."""
        with self._session.reading(access.viewpoint) as db:
            asked = {"tape": tape, "ids": self._dialect.texts(ids)}
            rows = self._seen(db, access, "mentions_in", asked)
        mentions: dict[str, list[Mention]] = {}
        for row in rows:
            mentions.setdefault(row.id, []).append(_mention_of(row))
        return mentions

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
        """The visible records under a prefix of a tape, with their addresses on it, ordered by digits."""
        with self._session.reading(access.viewpoint) as db:
            condition = self._condition(db, access)
            if condition is None:
                return []
            visible, values = condition
            asked = values | {"tape": tape, "prefix": prefix, "region": region, "slice": time_slice, "limit": limit}
            # A page is a small part of a large cell, so search ever larger parts of the cell for it.
            part, until, rows = min(_PAGE, _AT_FIRST * limit), "", list[Any]()
            while until is not None and len(rows) < limit:
                until = db.value("placed_until", asked | {"part": part})
                rows = db.run("placed", asked | {"until": until}, columns=self._dialect.columns, visible=visible)
                part *= _FURTHER
        return self._placed(rows, tape)

    def _placed(self, rows: Iterable[Sequence[Any]], tape: int) -> list[Record]:
        """The records in rows that begin with their digits on a tape, with their addresses on that tape."""
        placed: list[Record] = []
        for digits, *columns in rows:
            for record in self._sound([columns]):
                address = msgspec.structs.replace(record.address, digits=digits, tape=tape)
                placed.append(msgspec.structs.replace(record, address=address))
        return placed

    def count_placed(self, access: Access, tape: int, prefixes: Sequence[str]) -> list[int]:
        """How many visible records are under each prefix."""
        with self._session.reading(access.viewpoint) as db:
            rows = self._seen(db, access, "count_placed", {"tape": tape, "prefix": stem(prefixes)})
        return held(dict(rows), prefixes)


def _parts(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(numbers), _BLOCK):
        yield numbers[start : start + _BLOCK]


def _add(db: Transaction, own: dict[str, Any], found: Sequence[Found]) -> None:
    """Add phrases that have no family yet, with their points."""
    no_family = {"family": None, "member": None, "likeness": 0.0}
    rows = [
        own | no_family | {"key": phrase.key, "language": phrase.language, "data": phrase.point.tobytes()}
        for phrase in found
    ]
    db.batch(("add_phrase", rows), ("add_phrase_point", rows))


def _show(db: Transaction, values: dict[str, Any]) -> None:
    """Give versions their addresses on a tape, and store those on the encoder's own tape."""
    for step in ("keep_origin", "show_tape"):
        db.change(step, values)


def _tape_of(row: Any) -> Tape:
    """The tape in a row of `tapes_of`."""
    return struct_of(Tape, row, waiting=row.waiting if row.state == TapeState.READY else 0)


def _tape_among(rows: Iterable[Any], number: int) -> Tape:
    """The tape with this number, from rows of `tapes_of`."""
    return next(_tape_of(row) for row in rows if row.number == number)


def _tape_values(own: Mapping[str, Any], tape: int, rows: Iterable[Any]) -> dict[str, Any]:
    """The values that queries about a tape bind, from the rows of `tape_row`; `NotFound` without a row."""
    for row in rows:
        return {**own, **row._asdict(), "tape": tape, "above": 0}
    raise NotFound(f"there is no tape {tape} here", tape=tape)


def _refuse_charted(values: Mapping[str, Any]) -> None:
    """Raise `Conflict` if a tape already has families."""
    if values["state"] != TapeState.CUTTING:
        raise Conflict(f"tape {values['tape']} has its families already", tape=values["tape"])


def _refuse_unfinished(values: Mapping[str, Any]) -> None:
    """Raise `Conflict` unless a tape is ready."""
    if values["state"] != TapeState.READY:
        raise Conflict(f"tape {values['tape']} is not finished: build it first", tape=values["tape"])


def _refuse_shown(values: Mapping[str, Any]) -> None:
    """Raise `Conflict` for the tape whose addresses are shown."""
    if values["active"]:
        raise Conflict(f"tape {values['tape']} is in use: put another to use first", tape=values["tape"])


def _plane_bytes(plane: Plane) -> bytes:
    """A plane as it is stored."""
    return np.array([*plane.centre, *plane.spread], np.float64).tobytes() + plane.axes.astype(np.float32).tobytes()


def _chart_of(rows: Sequence[Sequence[Any]], plane: bytes | None) -> Chart:
    """The centres of families, on a stored plane."""
    if plane is None:
        raise NotFound("this tape has no map yet: build it first")
    x, y, width, height = np.frombuffer(plane[:32], np.float64).tolist()
    axes = np.frombuffer(plane[32:], np.float32).reshape(-1, 2)
    centres = np.frombuffer(b"".join(centre for _, centre in rows), np.int16)
    numbers = np.array([number for number, _ in rows], np.int64)
    return Chart(numbers, centres.reshape(-1, axes.shape[0]), Plane(axes, (x, y), (width, height)))


def _phrase_of(row: Any) -> Phrase:
    """The phrase in a row of `family_words` or `phrases_by_key`."""
    return struct_of(Phrase, row, glyph=None if row.family is None else glyph(row.family))


def _families_of(rows: Iterable[Any], words: Iterable[Any]) -> list[Family]:
    """The families in rows, except those that have none of these words."""
    phrases: dict[int, list[Phrase]] = {}
    for word in words:
        phrases.setdefault(word.family, []).append(_phrase_of(word))
    return [
        family_of(row.number, phrases[row.number], row.digits, row.x, row.y)
        for row in rows
        if row.number in phrases
    ]


def _mention_of(row: Any) -> Mention:
    """The mention in a row of `mentions_in`."""
    end = row.start + row.length
    return struct_of(Mention, row, end=end, glyph=glyph(row.family), label=None, exact=True)
