"""The verbs of `memory.tape`, and lookups: by address, by glyph, on the map."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Unpack

from foveal.engine.runtime.facade import Facade
from foveal.engine.runtime.runtime import Runtime
from foveal.engine.tape import build, encode
from foveal.engine.tape.build import in_use, known
from foveal.engine.tape.encode import labelled
from foveal.errors import Invalid, InvalidAddress, NotFound
from foveal.model.glyph import Cell, Decoded, Encoded, Family, Inspected, Landmark, Mention, Neighbour, Tape
from foveal.model.ids import Address
from foveal.model.query import Access, At
from foveal.model.record import Record
from foveal.rules.addresses import LEVELS, adjoining, shared
from foveal.rules.drafts import viewpoint_of
from foveal.rules.glyphs import LONGEST, Sign, covered, density, is_glyph, number
from foveal.rules.summaries import LIMIT, joined, summary, telling
from foveal.rules.validation import MOST_COUNT, checked_count, checked_name, checked_text

_RECORDS, _FAMILIES, _PHRASES = 20, 20, 50
# What a cell is about is told by so many labels, chosen from so many.
_LABELS, _WEIGHED = 4, 40


def chosen(runtime: Runtime, access: Access, tape: int | None) -> int:
    """The number of the tape that was asked for, or of the one in use."""
    if tape is None:
        return in_use(runtime, access.viewpoint)
    return known(runtime, access.viewpoint, checked_count(tape, "tape", least=0)).number


def mapped(runtime: Runtime, access: Access, tape: int | None) -> int:
    """The number of the tape whose map is asked for; 0, the encoder's own, has one too."""
    if tape is None:
        return runtime.store.shown_tape(access.viewpoint)
    return chosen(runtime, access, tape) if checked_count(tape, "tape", least=0) else 0


def neighbours(runtime: Runtime, access: Access, where: Address, limit: int) -> list[Neighbour]:
    """The records near an address: in its cell, beside it, then under ever shorter prefixes of it."""
    found: list[Neighbour] = []
    seen: set[str] = set()
    for relation, prefix in _around(where.digits):
        for record in runtime.store.placed(access, where.tape, prefix=prefix, limit=limit + len(seen) + 1):
            if record.id in seen or _is_at(record, where):
                continue
            seen.add(record.id)
            near = shared(where.digits, record.address.digits)
            found.append(Neighbour(relation=relation, shared=near, address=record.address, record=record))
            if len(found) == limit:
                return found
    return found


def _around(digits: str) -> Iterator[tuple[str, str]]:
    yield "cell", digits
    for one in adjoining(digits):
        yield "beside", one
    for length in range(len(digits) - 1, -1, -1):
        yield "prefix", digits[:length]


def _is_at(record: Record, where: Address) -> bool:
    return (record.region, record.address.time_slice) == (where.region, where.time_slice)


def address_of(access: Access, where: Address | str) -> Address:
    """The address that was meant, if it is one of this world."""
    # An address that was made by hand may hold anything: only what can be written down is one.
    found = Address.parse(checked_text(str(where) if isinstance(where, Address) else where, "address"))
    if max(found.time_slice, found.tape) > MOST_COUNT:
        raise InvalidAddress(f"the numbers of {str(found)[:80]} are too large")
    if len(found.digits) > LEVELS:
        raise InvalidAddress(f"an address has at most {LEVELS} digits, not {len(found.digits)}")
    if found.world != access.viewpoint.world:
        raise NotFound(f"there is nothing here at {found}", address=str(found))
    return found


def at_address(runtime: Runtime, access: Access, where: Address) -> Inspected:
    """The record at an address, its phrases, and what its cell and the cells around that are about.

    Where no record lies, a cell that holds some further down is shown by itself.
    """
    found = runtime.store.placed(
        access, where.tape, prefix=where.digits, region=where.region, time_slice=where.time_slice, limit=1
    )
    tape = where.tape
    if not found:
        return _at_cell(runtime, access, where)
    [record] = found
    mentions = runtime.store.mentions(access, tape, [record.id]).get(record.id, []) if tape else []
    digits = record.address.digits
    return Inspected(
        tape=tape,
        address=record.address,
        record=record,
        density=_density(record, mentions),
        mentions=tuple(labelled(runtime, access, tape, mentions)),
        families=tuple(runtime.store.families(access, tape, prefix=digits, limit=_FAMILIES)) if tape else (),
        records=tuple(runtime.store.placed(access, tape, prefix=digits, limit=_RECORDS)),
        cells=tuple(cells(runtime, access, tape, digits)),
    )


def _at_cell(runtime: Runtime, access: Access, where: Address) -> Inspected:
    tape, digits = where.tape, where.digits
    inside = runtime.store.placed(access, tape, prefix=digits, limit=_RECORDS)
    if all(one.address.digits == digits for one in inside):
        raise NotFound(f"there is nothing here at {where}", address=str(where))
    return Inspected(
        tape=tape,
        address=where,
        families=tuple(runtime.store.families(access, tape, prefix=digits, limit=_FAMILIES)) if tape else (),
        records=tuple(inside),
        cells=tuple(cells(runtime, access, tape, digits)),
    )


def _density(record: Record, mentions: list[Mention]) -> float:
    signs = [(one.start, one.end, Sign(one.family, one.member)) for one in mentions if one.family is not None]
    return density(covered(record.text, signs))


def cells(runtime: Runtime, access: Access, tape: int, digits: str) -> list[Cell]:
    """The cells from the root down to one, with how much lies in each and what it is about."""
    return _told(runtime, access, tape, [digits[:length] for length in range(len(digits) + 1)])


def below(runtime: Runtime, access: Access, tape: int, prefix: str, levels: int) -> list[Cell]:
    """A cell and those below it in which something lies, level by level."""
    found = row = [prefix]
    for _ in range(min(levels, LEVELS - len(prefix))):
        row = [f"{one}{digit}" for one in row for digit in "012"]
        found = [*found, *row]
    return _told(runtime, access, tape, found, held=True)


def _told(
    runtime: Runtime, access: Access, tape: int, prefixes: Sequence[str], *, held: bool = False
) -> list[Cell]:
    """Cells with their gist; with `held`, those in which a record lies."""
    counts = runtime.store.count_placed(access, tape, prefixes)
    return [
        Cell(digits=one, records=count, summary=_about(runtime, access, tape, one))
        for one, count in zip(prefixes, counts, strict=True)
        if count or not held
    ]


def _about(runtime: Runtime, access: Access, tape: int, prefix: str) -> str:
    """What a cell is about: the labels that say most of the families in it, or else what its records say.

    It is told when somebody asks: a text kept for each cell would be out of date on every level with every write.
    """
    families = runtime.store.families(access, tape, prefix=prefix, limit=_WEIGHED) if tape else []
    if families:
        return joined(telling([(one.label, one.uses) for one in families], _LABELS))
    corners = [prefix] if len(prefix) == LEVELS else [f"{prefix}{digit}" for digit in "012"]
    texts = [
        one.text for cell in corners for one in runtime.store.placed(access, tape, prefix=cell, limit=_RECORDS)
    ]
    return summary(texts, LIMIT)


def of_glyph(runtime: Runtime, access: Access, tape: int, sign: str) -> Inspected:
    """The family that a glyph stands for, its phrases, and the records that say one of them."""
    family = number(sign)
    found = runtime.store.families(access, tape, numbers=[family], limit=1)
    if not found:
        raise NotFound(f"tape {tape} has no family {sign} here", glyph=sign, tape=tape)
    return Inspected(
        tape=tape,
        families=tuple(found),
        phrases=tuple(runtime.store.family_phrases(access, tape, family, _PHRASES)),
        records=tuple(runtime.store.family_records(access, tape, family, _RECORDS)),
        cells=tuple(cells(runtime, access, tape, found[0].digits)),
    )


def inspect(runtime: Runtime, access: Access, what: Address | str, tape: int | None) -> Inspected:
    """Everything at an address or about a glyph."""
    if isinstance(what, str) and is_glyph(what):
        return of_glyph(runtime, access, chosen(runtime, access, tape), what)
    if isinstance(what, str) and "#" not in what and what.strip():
        raise InvalidAddress(f"{what[:40]!r} is neither a glyph of one to {LONGEST} signs nor an address with a #")
    return at_address(runtime, access, address_of(access, what))


def landmarks(runtime: Runtime, access: Access, tape: int, limit: int) -> list[Landmark]:
    """The families most used, where they lie."""
    return [
        Landmark(glyph=one.glyph, label=one.label, uses=one.uses, digits=one.digits, x=one.x, y=one.y)
        for one in runtime.store.families(access, tape, limit=limit)
    ]


Progress = Callable[[int, int], None]


class TapeVerbs(Facade):
    """The glyph tape of a memory. `tape` in a call is the number of one; without it, the one in use is meant."""

    def build(self, *, use: bool = True, progress: Progress | None = None, **at: Unpack[At]) -> Tape:
        """Build a new tape from everything the actor's memory holds, beside the old one, and put it to use.

        A build that was stopped goes on where it was. The same texts give the same tape, byte for byte. `progress`
        is told how much of how much is done.
        """
        if progress is not None and not callable(progress):
            raise Invalid("progress must be a function of two numbers")
        return build.build(self._runtime, viewpoint_of(self._bound, at), use=use, progress=progress)

    def update(self, **at: Unpack[At]) -> Tape:
        """Take what was written since the build into the tape in use: cheap, and nothing moves."""
        return build.update(self._runtime, viewpoint_of(self._bound, at))

    def list(self, **at: Unpack[At]) -> list[Tape]:
        """The tapes there are. Tape 0, which comes with the encoder and has no families, is not among them."""
        return self._runtime.store.tapes(viewpoint_of(self._bound, at))

    def use(self, number: int, **at: Unpack[At]) -> None:
        """Show the addresses of another tape, from one moment to the next; 0 is the one of the encoder.

        Addresses of every other tape can still be inspected: they carry the number of theirs.
        """
        checked_count(number, "number", least=0)
        self._runtime.store.use_tape(viewpoint_of(self._bound, at), number)

    def drop(self, number: int, **at: Unpack[At]) -> None:
        """Remove a tape with its families; records stay. The one in use is `Conflict`: put another to use first.

        Addresses of a tape that was dropped lead nowhere: its number is not given again.
        """
        checked_count(number, "number")
        self._runtime.store.drop_tape(viewpoint_of(self._bound, at), number)

    def families(
        self, *, prefix: str = "", limit: int = 100, tape: int | None = None, **at: Unpack[At]
    ) -> list[Family]:
        """The families whose words you may see, the most used first; with `prefix`, those that lie under it."""
        access = self._access(at)
        number = chosen(self._runtime, access, tape)
        return self._runtime.store.families(
            access, number, prefix=_digits(prefix), limit=checked_count(limit, "limit")
        )

    def glyphs(self, text: str, *, tape: int | None = None, **at: Unpack[At]) -> list[Mention]:
        """The phrases of a text that have a family, with its glyph and label, in the order of the text."""
        access = self._access(at)
        number = chosen(self._runtime, access, tape)
        return encode.mentioned(self._runtime, access, number, checked_text(text))

    def neighbours(self, address: Address | str, *, limit: int = 20, **at: Unpack[At]) -> list[Neighbour]:
        """The records near an address: in its cell, in the cells beside it, then under ever shorter prefixes."""
        access = self._access(at)
        where = address_of(access, address)
        return neighbours(self._runtime, access, where, checked_count(limit, "limit"))

    def inspect(self, what: Address | str, *, tape: int | None = None, **at: Unpack[At]) -> Inspected:
        """Everything at an address, of any tape, or about a glyph."""
        return inspect(self._runtime, self._access(at), what, tape)

    def density(self, ids: str | Sequence[str], *, tape: int | None = None, **at: Unpack[At]) -> dict[str, float]:
        """How much of each record the tape can write with signs: 0 nothing, 1 all of it. Give it `Written.ids`.

        A record counts by its text alone, so it need not be on the tape yet.
        """
        access = self._access(at)
        number = chosen(self._runtime, access, tape)
        return encode.densities(self._runtime, access, number, _ids(ids))

    def cells(self, prefix: str = "", *, levels: int = 1, tape: int | None = None, **at: Unpack[At]) -> list[Cell]:
        """The cell of a prefix and those below it, level by level: how much lies in each, and what it is about.

        Cells in which nothing lies are left out. Where no tape is in use, the map is the encoder's own.
        """
        access = self._access(at)
        number = mapped(self._runtime, access, tape)
        return below(self._runtime, access, number, _digits(prefix), checked_count(levels, "levels", least=0))

    def encode(self, text: str, *, lossy: bool = False, tape: int | None = None, **at: Unpack[At]) -> Encoded:
        """A text as a stream of glyphs and literal text, which `decode` turns back exactly.

        With `lossy`, phrases that are only like a family become its glyph too; the answer and the stream say so.
        """
        access = self._access(at)
        number = chosen(self._runtime, access, tape)
        return encode.encode(self._runtime, access, number, checked_text(text), lossy=lossy)

    def decode(self, stream: str, *, tape: int | None = None, **at: Unpack[At]) -> Decoded:
        """The text that a stream writes; `NotFound` when it has a phrase that is gone or not yours to see."""
        access = self._access(at)
        number = chosen(self._runtime, access, tape)
        return encode.decode(self._runtime, access, number, checked_text(stream, "stream"))

    def map(self, *, limit: int = 500, tape: int | None = None, **at: Unpack[At]) -> list[Landmark]:
        """The families most used, and where they lie in the triangle of the map."""
        access = self._access(at)
        number = chosen(self._runtime, access, tape)
        return landmarks(self._runtime, access, number, checked_count(limit, "limit"))


def _digits(prefix: str) -> str:
    if not isinstance(prefix, str) or prefix.strip("012"):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise Invalid(f"prefix {prefix!r} is not made of the digits 0, 1 and 2")
    return prefix


def _ids(ids: str | Sequence[str]) -> list[str]:
    listed = [ids] if isinstance(ids, str) else ids
    if not isinstance(listed, Sequence):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise Invalid(f"ids must be ids of records, not {type(ids).__name__}")
    return [checked_name(one, "id") for one in listed]
