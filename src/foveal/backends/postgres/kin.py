"""Families and phrases in a Postgres database, with no words that the sight may not see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foveal.backends.postgres.part import Part
from foveal.backends.postgres.query import Db, run, texts, value
from foveal.backends.postgres.rows import COLUMNS
from foveal.backends.relational.phrase_rows import families_of, mentions_of, phrase_of, placed_of
from foveal.model.glyph import Family, Mention, Phrase
from foveal.model.record import Record
from foveal.model.sight import Sight
from foveal.rules.adjoining import held, stem
from foveal.rules.kinship import nearest_first

_PAGE = 200
_AT_FIRST, _FURTHER = 3, 16


class Kin(Part):
    """How tapes are looked at."""

    def families(
        self, sight: Sight, tape: int, *, numbers: Sequence[int] | None = None, prefix: str = "", limit: int = 100
    ) -> list[Family]:
        """The families with words that are visible, by number."""
        found: list[Family] = []
        with self._db.reading(sight.viewpoint) as db:
            seen = self._on(db, sight, tape)
            if seen is None:
                return []
            if numbers is not None:
                rows = run(db, "families_by_number", seen[1] | {"numbers": list(numbers)})
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

    def _told(self, db: Db, seen: tuple[str, dict[str, Any]], rows: Sequence[Any]) -> list[Family]:
        values = seen[1] | {"numbers": [row[0] for row in rows]}
        return families_of(rows, run(db, "family_words", values, sight=seen[0]))

    def family_phrases(self, sight: Sight, tape: int, number: int, limit: int) -> list[Phrase]:
        """The visible phrases of a family, the nearest to its middle first."""
        with self._db.reading(sight.viewpoint) as db:
            seen = self._on(db, sight, tape)
            if seen is None:
                return []
            rows = run(db, "family_words", seen[1] | {"numbers": [number]}, sight=seen[0])
        return nearest_first([phrase_of(row) for row in rows])[:limit]

    def family_records(self, sight: Sight, tape: int, number: int, limit: int) -> list[Record]:
        """The visible records that say a phrase of a family, newest first, with their addresses on the tape."""
        with self._db.reading(sight.viewpoint) as db:
            seen = self._on(db, sight, tape)
            if seen is None:
                return []
            more = {"family": number, "limit": limit}
            rows = run(db, "family_records", seen[1] | more, columns=COLUMNS, sight=seen[0])
        return [placed_of(row, tape) for row in rows]

    def phrases_by_key(self, sight: Sight, tape: int, keys: Sequence[int]) -> Mapping[int, Phrase]:
        """The visible ones of these phrases."""
        with self._db.reading(sight.viewpoint) as db:
            seen = self._on(db, sight, tape)
            if seen is None:
                return {}
            rows = run(db, "phrases_by_key", seen[1] | {"keys": list(keys)}, sight=seen[0])
        return {row[0]: phrase_of(row[1:]) for row in rows}

    def phrases_by_member(
        self, sight: Sight, tape: int, members: Sequence[tuple[int, int]]
    ) -> Mapping[tuple[int, int], str]:
        """The words of these members of families, as far as they are visible."""
        wanted = set(members)
        with self._db.reading(sight.viewpoint) as db:
            seen = self._on(db, sight, tape)
            if seen is None:
                return {}
            numbers = sorted({family for family, _ in wanted})
            rows = run(db, "family_words", seen[1] | {"numbers": numbers}, sight=seen[0])
        return {(row[0], row[1]): row[6] for row in rows if (row[0], row[1]) in wanted}

    def mentions(self, sight: Sight, tape: int, ids: Sequence[str]) -> Mapping[str, list[Mention]]:
        """The phrases of visible records that have a family, in the order of the text."""
        with self._db.reading(sight.viewpoint) as db:
            seen = self._on(db, sight, tape)
            if seen is None:
                return {}
            rows = run(db, "mentions_in", seen[1] | {"ids": texts(ids)}, sight=seen[0])
        return mentions_of(rows)

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
        with self._db.reading(sight.viewpoint) as db:
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
        return [placed_of(row, tape) for row in rows]

    def count_placed(self, sight: Sight, tape: int, prefixes: Sequence[str]) -> list[int]:
        """How many visible records lie under each prefix."""
        with self._db.reading(sight.viewpoint) as db:
            seen = self._on(db, sight, tape)
            if seen is None:
                return [0] * len(prefixes)
            rows = run(db, "count_placed", seen[1] | {"prefix": stem(prefixes)}, sight=seen[0])
        return held(dict(rows), prefixes)

    def _on(self, db: Db, sight: Sight, tape: int) -> tuple[str, dict[str, Any]] | None:
        seen = self._sight(db, sight)
        return None if seen is None else (seen[0], seen[1] | {"tape": tape})
