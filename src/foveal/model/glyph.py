"""The glyph tape: families of phrases, the glyphs that stand for them, and the map that places them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from foveal.model.ids import Address
from foveal.model.record import Record


class TapeState(StrEnum):
    """The progress of building a tape: cutting texts into phrases, placing families, ready for use."""

    CUTTING = "cutting"
    PLACING = "placing"
    READY = "ready"


class Tape(Struct, frozen=True, kw_only=True):
    """One map of an actor's memory with its families, fixed when the tape was built.

    Two tapes built from the same texts with the same encoder have the same `digest`. `waiting` counts the phrases
    that came later and fit no family; the next build includes them.
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
    """A phrase of a tape: its words, its family and its number there. A phrase that waits has no family."""

    text: str
    language: str
    uses: int
    likeness: float
    family: int | None = None
    member: int | None = None
    glyph: str | None = None


class Family(Struct, frozen=True, kw_only=True):
    """Phrases with about the same meaning, limited to those you may see.

    `label` is the phrase nearest to the centre, `coherence` the average closeness of all phrases to the centre, and
    `entropy` the mix of their languages in bits. `digits`, `x` and `y` place the centre on the map.
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
    """An occurrence of a phrase in a text, with the glyph and label of its family if it has one.

    It is `exact` when the tape has these very words, not only similar ones.
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
    """A text as a stream of glyphs and literal text; `density` is the share that glyphs stand for.

    If it is not `exact`, some glyphs stand for a whole family, and the stream marks them.
    """

    stream: str
    tape: int
    density: float
    exact: bool


class Decoded(Struct, frozen=True, kw_only=True):
    """The text of a stream. It is not `exact` if glyphs of whole families were read as their labels."""

    text: str
    exact: bool


class Neighbour(Struct, frozen=True, kw_only=True):
    """A record near an address: in the same `cell`, in a cell `beside` it, or under the same `prefix`."""

    relation: str
    shared: int
    address: Address
    record: Record


class Cell(Struct, frozen=True, kw_only=True):
    """A cell of the map: how many records it contains, and what they are about."""

    digits: str
    records: int
    summary: str


class Inspected(Struct, frozen=True, kw_only=True):
    """Everything at an address, or about a glyph.

    `cells` are the cells from the root down to it, each with its gist. For an address, `families` and `records` are
    those in its cell, and `mentions` are the phrases of the record; a cell may have no `record` of its own. For a
    glyph, `families` has the family it stands for, `phrases` are the phrases of that family, and `records` the
    records that contain one of them, newest first.
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
