"""What a store hands to an index of vectors, and how far the index has come."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from foveal.model.trace import Floats


class Mark(Struct, frozen=True, kw_only=True):
    """How far an index has followed an organism: whose vectors it has, up to which version, and which erasures.

    `last` is a record that the store had then: a store that does not know it is another store.
    """

    encoder: str
    generation: int
    seq: int = 0
    last: str = ""
    erased_at: datetime | None = None


class Shelved(Struct, frozen=True, kw_only=True):
    """The vectors of a record as it is now, one row for each chunk of its text."""

    id: str
    kind: str
    vectors: Floats


class Shelf(Struct, frozen=True, kw_only=True):
    """The next records for an index, and the mark that it has reached with them.

    `anew` says that the mark it came with means nothing here: everything in the index is to be let go first.
    """

    rows: tuple[Shelved, ...]
    mark: Mark
    anew: bool = False
