"""The glyph tape: families of phrases, the signs that stand for them, and the map they lie on."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from foveal.model.ids import Address
from foveal.model.record import Record


class TapeState(StrEnum):
    """How far the building of a tape is: phrases are cut, families are placed, it can be used."""

    CUTTING = "cutting"
    PLACING = "placing"
    READY = "ready"


class Tape(Struct, frozen=True, kw_only=True):
    """One map of an organism, with its families, frozen when it was built.

    `digest` is the same for two tapes that were built from the same texts by the same encoder. `waiting` phrases
    came later and are like no family; the next build takes them in.
    """

    number: int
    encoder: str
    state: TapeState
    active: bool
    created_at: datetime
    records: int = 0
    phrases: int = 0
    families: int = 0
    waiting: int = 0
    digest: str = ""


class Phrase(Struct, frozen=True, kw_only=True):
    """A phrase of a tape: its words, and which one of which family it is; no family when it waits for one."""

    text: str
    language: str
    uses: int
    likeness: float
    family: int | None = None
    member: int | None = None
    glyph: str | None = None


class Family(Struct, frozen=True, kw_only=True):
    """Phrases that mean about the same, as far as you may see them.

    `label` is the phrase nearest to the middle, `coherence` how near all are to it on average, `entropy` how mixed
    their languages are, in bits. `digits` and `x`, `y` say where the middle lies on the map.
    """

    number: int
    glyph: str
    label: str
    size: int
    uses: int
    coherence: float
    languages: Mapping[str, int]
    entropy: float
    examples: tuple[str, ...]
    digits: str
    x: float
    y: float


class Mention(Struct, frozen=True, kw_only=True):
    """A phrase where it stands in a text, with the glyph and the label of its family, if it has one.

    It is `exact` when the tape has these very words, and not only words like them.
    """

    start: int
    end: int
    text: str
    glyph: str | None = None
    label: str | None = None
    family: int | None = None
    member: int | None = None
    likeness: float = 0.0
    exact: bool = False


class Encoded(Struct, frozen=True, kw_only=True):
    """A text as a stream of glyphs and literal text; `density` is the share of signs in it.

    When it is not `exact`, some glyphs stand for their family as a whole, and are marked so.
    """

    stream: str
    tape: int
    density: float
    exact: bool


class Decoded(Struct, frozen=True, kw_only=True):
    """The text of a stream; not `exact` when glyphs of whole families were read as their labels."""

    text: str
    exact: bool


class Neighbour(Struct, frozen=True, kw_only=True):
    """A record near an address: in the same `cell`, in a cell `beside` it, or under the same `prefix`."""

    relation: str
    shared: int
    address: Address
    record: Record


class Cell(Struct, frozen=True, kw_only=True):
    """A cell of the map: how many records lie in it, and what they are about."""

    digits: str
    records: int
    summary: str


class Inspected(Struct, frozen=True, kw_only=True):
    """Everything at an address, or about a glyph.

    `cells` are the cells from the root down to it, each with its gist. At an address, `families` and `records` are
    those in its cell, and `mentions` the phrases of the record; a cell may have no `record` of its own. Of a glyph,
    `families` is the one it stands for, `phrases` are its words, and `records` those that say one of them, newest
    first.
    """

    tape: int
    address: Address | None = None
    record: Record | None = None
    density: float = 0.0
    mentions: tuple[Mention, ...] = ()
    families: tuple[Family, ...] = ()
    phrases: tuple[Phrase, ...] = ()
    records: tuple[Record, ...] = ()
    cells: tuple[Cell, ...] = ()


class Landmark(Struct, frozen=True, kw_only=True):
    """A family on the map, in a triangle with corners at (0, 0), (1, 0) and (0, 1)."""

    glyph: str
    label: str
    uses: int
    digits: str
    x: float
    y: float
