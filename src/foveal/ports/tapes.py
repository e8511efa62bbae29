"""The part of a store that keeps tapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from foveal.model.glyph import Family, Mention, Phrase, Tape
from foveal.model.query import Access, Viewpoint
from foveal.model.record import Record
from foveal.rules.addresses import Plane

Whole = NDArray[np.int16]


class Uncut(Struct, frozen=True, kw_only=True):
    """A version of a record that a tape has not cut into phrases yet. `seq` numbers versions in storage order."""

    seq: int
    text: str


class Found(Struct, frozen=True, kw_only=True):
    """A new phrase for a tape: its key, its point, and the family it joins, if any."""

    key: int
    language: str
    point: Whole
    family: int | None = None
    likeness: float = 0.0


class Cutting(Struct, frozen=True, kw_only=True):
    """The phrases of one version, each as (start, length, key), and the point of the whole text.

    `digits` is the place of the version on the map, or None while the tape has no map.
    """

    seq: int
    spans: Sequence[tuple[int, int, int]]
    point: Whole
    digits: str | None = None


class Points(Struct, frozen=True):
    """The distinct phrases of a tape, by key: their points, and how often each occurs."""

    keys: NDArray[np.int64]
    points: Whole
    uses: NDArray[np.int64]


class Worded(Struct, frozen=True, kw_only=True):
    """The words of a phrase, and its family, if it has one."""

    key: int
    family: int | None
    text: str


class StoredFamily(Struct, frozen=True, kw_only=True):
    """A family as it is stored: its centre, its place, and its phrases as (key, likeness), nearest first."""

    number: int
    centre: Whole
    digits: str
    x: float
    y: float
    members: Sequence[tuple[int, float]]


class Chart(Struct, frozen=True):
    """The centres of the families of a tape, by number, and the plane that places them."""

    numbers: NDArray[np.int64]
    centres: Whole
    plane: Plane


class Tapes(Protocol):
    """The part of a store that keeps tapes.

    Building a tape sees the whole organism. A method that takes an `Access` shows only words of records that the
    access may see. A phrase is stored as a place in a record, never as text, so erasing a record erases its
    phrases. A missing tape is `NotFound`.
    """

    def all(self, viewpoint: Viewpoint) -> list[Tape]:
        """The built and unfinished tapes of an organism, by number; tape 0, the encoder's own, is not stored."""
        ...

    def shown(self, viewpoint: Viewpoint) -> int:
        """The number of the tape whose addresses are shown; 0 is the encoder's own."""
        ...

    def legible(self, viewpoint: Viewpoint, encoder: str) -> int:
        """The number of the tape in use, or else of the newest finished one of this encoder; 0 if there is none."""
        ...

    def begin(self, viewpoint: Viewpoint, encoder: str, now: datetime) -> Tape:
        """The unfinished tape of this encoder, or a new one; an unfinished tape of another encoder is dropped."""
        ...

    def uncut(self, viewpoint: Viewpoint, tape: int, limit: int) -> list[Uncut]:
        """Versions that a tape has not cut yet, oldest first."""
        ...

    def count_uncut(self, viewpoint: Viewpoint, tape: int) -> int:
        """How many versions a tape has not cut yet; 0 is a tape that has cut none."""
        ...

    def put_phrases(self, viewpoint: Viewpoint, tape: int, cut: Sequence[Cutting], found: Sequence[Found]) -> None:
        """Add the phrases of versions to a tape, all or none; known phrases and versions stay as they are.

        A phrase that joins a family gets the next number in it. On the tape in use, versions with digits are shown
        there from now on.
        """
        ...

    def points(self, viewpoint: Viewpoint, tape: int) -> Points:
        """The phrases of a tape that is being cut."""
        ...

    def words(
        self, viewpoint: Viewpoint, tape: int, *, keys: Sequence[int] = (), families: Sequence[int] = ()
    ) -> list[Worded]:
        """The words of these phrases and of the members of these families, whoever may see them, by key."""
        ...

    def put_families(
        self, viewpoint: Viewpoint, tape: int, families: Sequence[StoredFamily], plane: Plane, digest: str
    ) -> None:
        """Store the families of a tape and their members, all at once; `Conflict` if it already has families."""
        ...

    def unplaced(self, viewpoint: Viewpoint, tape: int, limit: int) -> list[tuple[int, Whole]]:
        """Versions without digits on a tape, with their points."""
        ...

    def put_places(self, viewpoint: Viewpoint, tape: int, places: Sequence[tuple[int, str]]) -> None:
        """Store the digits of versions."""
        ...

    def finish(self, viewpoint: Viewpoint, tape: int) -> None:
        """Mark a tape as ready and delete the points of its phrases."""
        ...

    def use(self, viewpoint: Viewpoint, tape: int) -> None:
        """Show the addresses of this tape from now on, for all records at once; 0 is the encoder's own."""
        ...

    def drop(self, viewpoint: Viewpoint, tape: int) -> None:
        """Delete a tape and everything in it, finished or not; `Conflict` for the tape that is shown.

        Its number is never reused, so that an old address never leads to another place.
        """
        ...

    def chart(self, viewpoint: Viewpoint, tape: int) -> Chart:
        """The centres of the families of a tape."""
        ...

    def families(
        self, access: Access, tape: int, *, numbers: Sequence[int] | None = None, prefix: str = "", limit: int = 100
    ) -> list[Family]:
        """The families with visible phrases, by number: those asked for, or those under a prefix."""
        ...

    def family_phrases(self, access: Access, tape: int, number: int, limit: int) -> list[Phrase]:
        """The visible phrases of a family, nearest to its centre first."""
        ...

    def family_records(self, access: Access, tape: int, number: int, limit: int) -> list[Record]:
        """The visible records that contain a phrase of a family, newest first, with their addresses on the tape."""
        ...

    def phrases_by_key(self, access: Access, tape: int, keys: Sequence[int]) -> Mapping[int, Phrase]:
        """Those of these phrases that are visible, by key."""
        ...

    def phrases_by_member(
        self, access: Access, tape: int, members: Sequence[tuple[int, int]]
    ) -> Mapping[tuple[int, int], str]:
        """The text of these members of families, where it is visible."""
        ...

    def mentions(self, access: Access, tape: int, ids: Sequence[str]) -> Mapping[str, list[Mention]]:
        """The phrases of visible records that belong to a family, in text order; without labels."""
        ...

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
        ...

    def count_placed(self, access: Access, tape: int, prefixes: Sequence[str]) -> list[int]:
        """The number of visible records under each prefix."""
        ...
