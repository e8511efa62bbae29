"""The glyph tape of a memory: built, looked at, written with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Unpack

from foveal.engine.facade.bound import Bound
from foveal.engine.tape import building, looking, streaming
from foveal.errors import Invalid
from foveal.model.glyph import Cell, Decoded, Encoded, Family, Inspected, Landmark, Mention, Neighbour, Tape
from foveal.model.ids import Address
from foveal.model.query import At
from foveal.rules.drafts import viewpoint_of
from foveal.rules.validation import checked_count, checked_name, checked_text

Progress = Callable[[int, int], None]


class Taping(Bound):
    """The glyph tape of a memory. `tape` in a call is the number of one; without it, the one in use is meant."""

    def build(self, *, use: bool = True, progress: Progress | None = None, **at: Unpack[At]) -> Tape:
        """Build a new tape from everything the actor's memory holds, beside the old one, and put it to use.

        A build that was stopped goes on where it was. The same texts give the same tape, byte for byte. `progress`
        is told how much of how much is done.
        """
        if progress is not None and not callable(progress):
            raise Invalid("progress must be a function of two numbers")
        return building.build(self._core, viewpoint_of(self._bound, at), use=use, progress=progress)

    def update(self, **at: Unpack[At]) -> Tape:
        """Take what was written since the build into the tape in use: cheap, and nothing moves."""
        return building.update(self._core, viewpoint_of(self._bound, at))

    def list(self, **at: Unpack[At]) -> list[Tape]:
        """The tapes there are. Tape 0, which comes with the encoder and has no families, is not among them."""
        return self._core.store.tapes(viewpoint_of(self._bound, at))

    def use(self, number: int, **at: Unpack[At]) -> None:
        """Show the addresses of another tape, from one moment to the next; 0 is the one of the encoder.

        Addresses of every other tape can still be inspected: they carry the number of theirs.
        """
        checked_count(number, "number", least=0)
        self._core.store.use_tape(viewpoint_of(self._bound, at), number)

    def drop(self, number: int, **at: Unpack[At]) -> None:
        """Remove a tape with its families; records stay. The one in use is `Conflict`: put another to use first.

        Addresses of a tape that was dropped lead nowhere: its number is not given again.
        """
        checked_count(number, "number")
        self._core.store.drop_tape(viewpoint_of(self._bound, at), number)

    def families(
        self, *, prefix: str = "", limit: int = 100, tape: int | None = None, **at: Unpack[At]
    ) -> list[Family]:
        """The families whose words you may see, the most used first; with `prefix`, those that lie under it."""
        sight = self._sight(at)
        number = looking.chosen(self._core, sight, tape)
        return self._core.store.families(sight, number, prefix=_digits(prefix), limit=checked_count(limit, "limit"))

    def glyphs(self, text: str, *, tape: int | None = None, **at: Unpack[At]) -> list[Mention]:
        """The phrases of a text that have a family, with its glyph and label, in the order of the text."""
        sight = self._sight(at)
        number = looking.chosen(self._core, sight, tape)
        return streaming.mentioned(self._core, sight, number, checked_text(text))

    def neighbours(self, address: Address | str, *, limit: int = 20, **at: Unpack[At]) -> list[Neighbour]:
        """The records near an address: in its cell, in the cells beside it, then under ever shorter prefixes."""
        sight = self._sight(at)
        where = looking.address_of(sight, address)
        return looking.neighbours(self._core, sight, where, checked_count(limit, "limit"))

    def inspect(self, what: Address | str, *, tape: int | None = None, **at: Unpack[At]) -> Inspected:
        """Everything at an address, of any tape, or about a glyph."""
        return looking.inspect(self._core, self._sight(at), what, tape)

    def density(self, ids: str | Sequence[str], *, tape: int | None = None, **at: Unpack[At]) -> dict[str, float]:
        """How much of each record the tape can write with signs: 0 nothing, 1 all of it. Give it `Written.ids`.

        A record counts by its text alone, so it need not be on the tape yet.
        """
        sight = self._sight(at)
        number = looking.chosen(self._core, sight, tape)
        return streaming.densities(self._core, sight, number, _ids(ids))

    def cells(self, prefix: str = "", *, levels: int = 1, tape: int | None = None, **at: Unpack[At]) -> list[Cell]:
        """The cell of a prefix and those below it, level by level: how much lies in each, and what it is about.

        Cells in which nothing lies are left out. Where no tape is in use, the map is the encoder's own.
        """
        sight = self._sight(at)
        number = looking.mapped(self._core, sight, tape)
        return looking.below(self._core, sight, number, _digits(prefix), checked_count(levels, "levels", least=0))

    def encode(self, text: str, *, lossy: bool = False, tape: int | None = None, **at: Unpack[At]) -> Encoded:
        """A text as a stream of glyphs and literal text, which `decode` turns back exactly.

        With `lossy`, phrases that are only like a family become its glyph too; the answer and the stream say so.
        """
        sight = self._sight(at)
        number = looking.chosen(self._core, sight, tape)
        return streaming.encode(self._core, sight, number, checked_text(text), lossy=lossy)

    def decode(self, stream: str, *, tape: int | None = None, **at: Unpack[At]) -> Decoded:
        """The text that a stream writes; `NotFound` when it has a phrase that is gone or not yours to see."""
        sight = self._sight(at)
        number = looking.chosen(self._core, sight, tape)
        return streaming.decode(self._core, sight, number, checked_text(stream, "stream"))

    def map(self, *, limit: int = 500, tape: int | None = None, **at: Unpack[At]) -> list[Landmark]:
        """The families most used, and where they lie in the triangle of the map."""
        sight = self._sight(at)
        number = looking.chosen(self._core, sight, tape)
        return looking.landmarks(self._core, sight, number, checked_count(limit, "limit"))


def _digits(prefix: str) -> str:
    if not isinstance(prefix, str) or prefix.strip("012"):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise Invalid(f"prefix {prefix!r} is not made of the digits 0, 1 and 2")
    return prefix


def _ids(ids: str | Sequence[str]) -> list[str]:
    listed = [ids] if isinstance(ids, str) else ids
    if not isinstance(listed, Sequence):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise Invalid(f"ids must be ids of records, not {type(ids).__name__}")
    return [checked_name(one, "id") for one in listed]
