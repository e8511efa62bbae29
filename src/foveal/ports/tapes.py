"""Where the tapes of an organism are kept."""

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
    """A version of a record whose phrases a tape does not know yet. `seq` counts versions as they were stored."""

    seq: int
    text: str


class Found(Struct, frozen=True, kw_only=True):
    """A phrase on its way into a tape: its key, its point, and the family it joins, if any."""

    key: int
    language: str
    point: Whole
    family: int | None = None
    likeness: float = 0.0


class Cutting(Struct, frozen=True, kw_only=True):
    """The phrases of one version: where each stands, as (start, length, key), and the point of the whole.

    `digits` is its place on the map, or None while the tape has none.
    """

    seq: int
    spans: Sequence[tuple[int, int, int]]
    point: Whole
    digits: str | None = None


class Points(Struct, frozen=True):
    """The distinct phrases of a tape, by key: their points, and how often each is said."""

    keys: NDArray[np.int64]
    points: Whole
    uses: NDArray[np.int64]


class Kin(Struct, frozen=True, kw_only=True):
    """A family as it is stored: its middle, its place, and its phrases as (key, likeness), the nearest first."""

    number: int
    centre: Whole
    digits: str
    x: float
    y: float
    members: Sequence[tuple[int, float]]


class Chart(Struct, frozen=True):
    """The middles of the families of a tape, by number, and the plane they are placed on."""

    numbers: NDArray[np.int64]
    centres: Whole
    plane: Plane


class Tapes(Protocol):
    """What a store keeps of tapes.

    Building sees the whole organism. Whatever takes a `Access` shows only words that stand in a record it may see:
    a phrase is kept as a place in a record, never as words of its own, so what is erased is erased here too.
    A tape that is not there is `NotFound`.
    """

    def tapes(self, viewpoint: Viewpoint) -> list[Tape]:
        """The tapes of an organism that were built or begun, by number; tape 0, the encoder's own, is not kept."""
        ...

    def shown_tape(self, viewpoint: Viewpoint) -> int:
        """The number of the tape whose addresses are shown: 0 is the encoder's own."""
        ...

    def begin_tape(self, viewpoint: Viewpoint, encoder: str, now: datetime) -> Tape:
        """The unfinished tape of this encoder, or else a new one; an unfinished one of another is dropped."""
        ...

    def uncut(self, viewpoint: Viewpoint, tape: int, limit: int) -> list[Uncut]:
        """Versions that a tape does not know yet, oldest first."""
        ...

    def count_uncut(self, viewpoint: Viewpoint, tape: int) -> int:
        """How many versions a tape does not know yet."""
        ...

    def put_phrases(self, viewpoint: Viewpoint, tape: int, cut: Sequence[Cutting], found: Sequence[Found]) -> None:
        """Take the phrases of versions in, all or none; what is known already is left as it is.

        A phrase that joins a family gets the next number in it. On the tape in use, versions with digits are shown
        there from now on.
        """
        ...

    def points(self, viewpoint: Viewpoint, tape: int) -> Points:
        """The phrases of a tape that is being cut."""
        ...

    def put_families(
        self, viewpoint: Viewpoint, tape: int, families: Sequence[Kin], plane: Plane, digest: str
    ) -> None:
        """Store the families of a tape and who belongs to them, all at once; once it has them, `Conflict`."""
        ...

    def unplaced(self, viewpoint: Viewpoint, tape: int, limit: int) -> list[tuple[int, Whole]]:
        """Versions that have no digits on a tape yet, with their points."""
        ...

    def put_places(self, viewpoint: Viewpoint, tape: int, places: Sequence[tuple[int, str]]) -> None:
        """Store the digits of versions."""
        ...

    def finish_tape(self, viewpoint: Viewpoint, tape: int) -> None:
        """Say that a tape is ready; the points of its phrases are let go."""
        ...

    def use_tape(self, viewpoint: Viewpoint, tape: int) -> None:
        """Show the addresses of a tape from now on, at once for all; 0 is the encoder's own."""
        ...

    def drop_tape(self, viewpoint: Viewpoint, tape: int) -> None:
        """Remove a tape and all it holds, finished or not; the one that is shown is `Conflict`.

        Its number is not given again, so that an address of it never leads to another place.
        """
        ...

    def chart(self, viewpoint: Viewpoint, tape: int) -> Chart:
        """The middles of the families of a tape."""
        ...

    def families(
        self, access: Access, tape: int, *, numbers: Sequence[int] | None = None, prefix: str = "", limit: int = 100
    ) -> list[Family]:
        """The families with words that are visible, by number: those asked for, or those under a prefix."""
        ...

    def family_phrases(self, access: Access, tape: int, number: int, limit: int) -> list[Phrase]:
        """The visible phrases of a family, the nearest to its middle first."""
        ...

    def family_records(self, access: Access, tape: int, number: int, limit: int) -> list[Record]:
        """The visible records that say a phrase of a family, newest first, with their addresses on the tape."""
        ...

    def phrases_by_key(self, access: Access, tape: int, keys: Sequence[int]) -> Mapping[int, Phrase]:
        """The visible ones of these phrases."""
        ...

    def phrases_by_member(
        self, access: Access, tape: int, members: Sequence[tuple[int, int]]
    ) -> Mapping[tuple[int, int], str]:
        """The words of these members of families, as far as they are visible."""
        ...

    def mentions(self, access: Access, tape: int, ids: Sequence[str]) -> Mapping[str, list[Mention]]:
        """The phrases of visible records that have a family, in the order of the text; without labels."""
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
        """How many visible records lie under each prefix."""
        ...
