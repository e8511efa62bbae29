"""How large the organisms of a database are, and where each is searched."""

from __future__ import annotations

from typing import NamedTuple

from foveal.backends.postgres.connection import Connections

# An organism of so many records is found faster by indexes of its own.
INDEXED_RECORDS = 10_000


class Sized(NamedTuple):
    """An organism, how many records it is found by, and whether its own indexes are there."""

    world: str
    actor: str
    records: int
    indexed: bool

    def wants_indexes(self, mirror_records: int) -> bool:
        """Whether it is searched inside the database, and too large to do without indexes.

        >>> Sized("default", "ada", 300, indexed=False).wants_indexes(200)
        True
        """
        return self.records > mirror_records and (mirror_records > 0 or self.records >= INDEXED_RECORDS)


class Crowd(NamedTuple):
    """The largest organisms, largest first; how many are searched inside the database; the records of the rest."""

    largest: tuple[Sized, ...]
    inside: int
    mirrored: int


class Crowding:
    """Who is how large."""

    _db: Connections

    _mirror_records: int

    def crowd(self, limit: int) -> Crowd:
        """The sizes of all organisms, and the names of the largest. It counts everything, so it takes its time."""
        with self._db.reading() as db:
            rows = db.run("largest_organisms", {"most": self._mirror_records, "limit": limit})
        if not rows:
            return Crowd((), 0, 0)
        return Crowd(tuple(Sized(*row[:4]) for row in rows), rows[0][4], rows[0][5])
