"""Families and phrases in a SQLite file, with no words that the sight may not see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import apsw
import msgspec

from foveal.backends.sqlite.part import Part
from foveal.backends.sqlite.query import run, value
from foveal.backends.sqlite.rows import COLUMNS, record_of
from foveal.model.glyph import Family, Mention, Phrase
from foveal.model.record import Record
from foveal.model.sight import Sight
from foveal.rules.adjoining import held, stem
from foveal.rules.glyphs import glyph
from foveal.rules.kinship import family_of, nearest_first

_PAGE = 200
_AT_FIRST, _FURTHER = 3, 16


class Kin(Part):
    """How tapes are looked at."""

    def families(
        self, sight: Sight, tape: int, *, numbers: Sequence[int] | None = None, prefix: str = "", limit: int = 100
    ) -> list[Family]:
        """The families with words that are visible, by number."""
        found: list[Family] = []
        with self._db.reading() as db:
            seen = self._on(db, sight, tape)
            if seen is None:
                return []
            if numbers is not None:
                rows = run(db, "families_by_number", seen[1] | {"numbers": _json(numbers)})
                return self._told(db, seen, rows)[:limit]
            after, page = -1, min(_PAGE, limit)
            while len(found) < limit:
                rows = run(db, "family_numbers", seen[1] | {"prefix": prefix, "after": after, "limit": page})
                found += self._told(db, seen, rows)
                if len(rows) < page:
                    break
                # Those that were hidden are not counted: look further with larger steps.
                after, page = rows[-1][0], _PAGE
        return found[:limit]

    def _told(self, db: apsw.Connection, seen: tuple[str, dict[str, Any]], rows: Sequence[Any]) -> list[Family]:
        words: dict[int, list[Phrase]] = {}
        values = seen[1] | {"numbers": _json([row[0] for row in rows])}
        for family, member, likeness, language, uses, _, text in run(db, "family_words", values, sight=seen[0]):
            words.setdefault(family, []).append(_phrase(text, language, uses, likeness, family, member))
        return [family_of(row[0], words[row[0]], *row[1:]) for row in rows if row[0] in words]

    def family_phrases(self, sight: Sight, tape: int, number: int, limit: int) -> list[Phrase]:
        """The visible phrases of a family, the nearest to its middle first."""
        with self._db.reading() as db:
            seen = self._on(db, sight, tape)
            if seen is None:
                return []
            rows = run(db, "family_words", seen[1] | {"numbers": _json([number])}, sight=seen[0])
        return nearest_first([_phrase(row[6], row[3], row[4], row[2], row[0], row[1]) for row in rows])[:limit]

    def family_records(self, sight: Sight, tape: int, number: int, limit: int) -> list[Record]:
        """The visible records that say a phrase of a family, newest first, with their addresses on the tape."""
        with self._db.reading() as db:
            seen = self._on(db, sight, tape)
            if seen is None:
                return []
            more = {"family": number, "limit": limit}
            rows = run(db, "family_records", seen[1] | more, columns=COLUMNS, sight=seen[0])
        return [_at(record_of(row[1:]), row[0], tape) for row in rows]

    def phrases_by_key(self, sight: Sight, tape: int, keys: Sequence[int]) -> Mapping[int, Phrase]:
        """The visible ones of these phrases."""
        with self._db.reading() as db:
            seen = self._on(db, sight, tape)
            if seen is None:
                return {}
            rows = run(db, "phrases_by_key", seen[1] | {"keys": _json(keys)}, sight=seen[0])
        return {row[0]: _phrase(row[7], row[4], row[5], row[3], row[1], row[2]) for row in rows}

    def phrases_by_member(
        self, sight: Sight, tape: int, members: Sequence[tuple[int, int]]
    ) -> Mapping[tuple[int, int], str]:
        """The words of these members of families, as far as they are visible."""
        wanted = set(members)
        with self._db.reading() as db:
            seen = self._on(db, sight, tape)
            if seen is None:
                return {}
            numbers = _json(sorted({family for family, _ in wanted}))
            rows = run(db, "family_words", seen[1] | {"numbers": numbers}, sight=seen[0])
        return {(row[0], row[1]): row[6] for row in rows if (row[0], row[1]) in wanted}

    def mentions(self, sight: Sight, tape: int, ids: Sequence[str]) -> Mapping[str, list[Mention]]:
        """The phrases of visible records that have a family, in the order of the text."""
        found: dict[str, list[Mention]] = {}
        with self._db.reading() as db:
            seen = self._on(db, sight, tape)
            if seen is None:
                return {}
            rows = run(db, "mentions_in", seen[1] | {"ids": _json(ids)}, sight=seen[0])
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

    def placed(
        self,
        sight: Sight,
        tape: int,
        *,
        prefix: str = "",
        region: str | None = None,
        time_slice: int | None = None,
        limit: int = 100,
    ) -> list[Record]:
        """The visible records under a prefix of a tape, with their addresses on it, in the order of the digits."""
        with self._db.reading() as db:
            seen = self._on(db, sight, tape)
            if seen is None:
                return []
            values = seen[1] | {"prefix": prefix, "region": region, "slice": time_slice, "limit": limit}
            # The first of a large cell are few: look for them in ever larger parts of it.
            part, until, rows = min(_PAGE, _AT_FIRST * limit), "", list[Any]()
            while until is not None and len(rows) < limit:
                until = value(db, "placed_until", values | {"part": part})
                rows = run(db, "placed", values | {"until": until}, columns=COLUMNS, sight=seen[0])
                part *= _FURTHER
        return [_at(record_of(row[1:]), row[0], tape) for row in rows]

    def count_placed(self, sight: Sight, tape: int, prefixes: Sequence[str]) -> list[int]:
        """How many visible records lie under each prefix."""
        with self._db.reading() as db:
            seen = self._on(db, sight, tape)
            if seen is None:
                return [0] * len(prefixes)
            rows = run(db, "count_placed", seen[1] | {"prefix": stem(prefixes)}, sight=seen[0])
        return held(dict(rows), prefixes)

    def _on(self, db: apsw.Connection, sight: Sight, tape: int) -> tuple[str, dict[str, Any]] | None:
        seen = self._sight(db, sight)
        return None if seen is None else (seen[0], seen[1] | {"tape": tape})


def _json(values: Sequence[object]) -> str:
    return msgspec.json.encode(list(values)).decode()


def _phrase(text: str, language: str, uses: int, likeness: float, family: int | None, member: int | None) -> Phrase:
    return Phrase(
        text=text,
        language=language,
        uses=uses,
        likeness=likeness,
        family=family,
        member=member,
        glyph=None if family is None else glyph(family),
    )


def _at(record: Record, digits: str, tape: int) -> Record:
    return msgspec.structs.replace(
        record, address=msgspec.structs.replace(record.address, digits=digits, tape=tape)
    )
