"""Between rows and what stands on a tape."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from foveal.backends.relational.record_rows import record_of
from foveal.model.glyph import Family, Mention, Phrase
from foveal.model.record import Record
from foveal.rules.glyphs import glyph
from foveal.rules.kinship import family_of

Row = Sequence[Any]


def phrase_of(row: Row) -> Phrase:
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


def families_of(rows: Iterable[Row], words: Iterable[Row]) -> list[Family]:
    """The families that rows hold, those without a word among `words` left out."""
    found: dict[int, list[Phrase]] = {}
    for row in words:
        found.setdefault(row[0], []).append(phrase_of(row))
    return [family_of(row[0], found[row[0]], *row[1:]) for row in rows if row[0] in found]


def mentions_of(rows: Iterable[Row]) -> dict[str, list[Mention]]:
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


def placed_of(row: Row, tape: int) -> Record:
    """The record that a row holds, with the address on a tape whose digits come first in the row."""
    record = record_of(row[1:])
    address = msgspec.structs.replace(record.address, digits=row[0], tape=tape)
    return msgspec.structs.replace(record, address=address)
