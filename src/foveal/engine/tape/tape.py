"""The verbs of `memory.tape`, and lookups: by address, by glyph, on the map."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Unpack

import msgspec

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
# How many labels describe a cell, and from how many families they are chosen.
_LABELS, _WEIGHED = 4, 40


def chosen(runtime: Runtime, access: Access, tape: int | None) -> int:
    """The number of the given tape, or of the one in use."""
    if tape is None:
        return in_use(runtime, access.viewpoint)
    return known(runtime, access.viewpoint, checked_count(tape, "tape", least=0)).number


def mapped(runtime: Runtime, access: Access, tape: int | None) -> int:
    """The number of the tape whose map is wanted; tape 0, that of the encoder, has a map too."""
    if tape is None:
        return runtime.store.tapes.shown(access.viewpoint)
    return chosen(runtime, access, tape) if checked_count(tape, "tape", least=0) else 0


def _seen_tape(runtime: Runtime, access: Access, tape: Tape) -> Tape:
    """A tape with the counts of what a node may see; the root sees all."""
    if access.viewpoint.node == "/":
        return tape
    families = runtime.store.tapes.families(access, tape.number, limit=MOST_COUNT)
    return msgspec.structs.replace(
        tape,
        records=sum(runtime.store.tapes.count_placed(access, tape.number, [""])),
        phrases=sum(family.size for family in families),
        families=len(families),
        waiting=0,
        digest="",
    )


def neighbours(runtime: Runtime, access: Access, where: Address, limit: int) -> list[Neighbour]:
    """The records near an address: in its cell, beside it, then under ever shorter prefixes of it."""
    nearby: list[Neighbour] = []
    seen: set[str] = set()
    for relation, prefix in _around(where.digits):
        for record in runtime.store.tapes.placed(access, where.tape, prefix=prefix, limit=limit + len(seen) + 1):
            if record.id in seen or _is_at(record, where):
                continue
            seen.add(record.id)
            near = shared(where.digits, record.address.digits)
            nearby.append(Neighbour(relation=relation, shared=near, address=record.address, record=record))
            if len(nearby) == limit:
                return nearby
    return nearby


def _around(digits: str) -> Iterator[tuple[str, str]]:
    yield "cell", digits
    for cell in adjoining(digits):
        yield "beside", cell
    for length in range(len(digits) - 1, -1, -1):
        yield "prefix", digits[:length]


def _is_at(record: Record, where: Address) -> bool:
    return (record.region, record.address.time_slice) == (where.region, where.time_slice)


def address_of(access: Access, where: Address | str) -> Address:
    """The address, parsed and checked; `NotFound` if it is in another world."""
    # An `Address` built by hand may hold anything, so it is checked by writing and parsing it.
    address = Address.parse(checked_text(str(where) if isinstance(where, Address) else where, "address"))
    if max(address.time_slice, address.tape) > MOST_COUNT:
        raise InvalidAddress(f"the numbers of {str(address)[:80]} are too large")
    if len(address.digits) > LEVELS:
        raise InvalidAddress(f"an address has at most {LEVELS} digits, not {len(address.digits)}")
    if address.world != access.viewpoint.world:
        raise NotFound(f"there is nothing here at {address}", address=str(address))
    return address


def at_address(runtime: Runtime, access: Access, where: Address) -> Inspected:
    """The record at an address, its phrases, and what its cell and the cells above it are about.

    If there is no record at the address, its cell is shown alone, provided that it holds records further down.
    """
    records = runtime.store.tapes.placed(
        access, where.tape, prefix=where.digits, region=where.region, time_slice=where.time_slice, limit=1
    )
    tape = where.tape
    if not records:
        return _at_cell(runtime, access, where)
    [record] = records
    mentions = runtime.store.tapes.mentions(access, tape, [record.id]).get(record.id, []) if tape else []
    digits = record.address.digits
    return Inspected(
        tape=tape,
        address=record.address,
        record=record,
        density=_density(record, mentions),
        mentions=tuple(labelled(runtime, access, tape, mentions)),
        families=tuple(runtime.store.tapes.families(access, tape, prefix=digits, limit=_FAMILIES)) if tape else (),
        records=tuple(runtime.store.tapes.placed(access, tape, prefix=digits, limit=_RECORDS)),
        cells=tuple(cells(runtime, access, tape, digits)),
    )


def _at_cell(runtime: Runtime, access: Access, where: Address) -> Inspected:
    tape, digits = where.tape, where.digits
    inside = runtime.store.tapes.placed(access, tape, prefix=digits, limit=_RECORDS)
    if all(record.address.digits == digits for record in inside):
        raise NotFound(f"there is nothing here at {where}", address=str(where))
    return Inspected(
        tape=tape,
        address=where,
        families=tuple(runtime.store.tapes.families(access, tape, prefix=digits, limit=_FAMILIES)) if tape else (),
        records=tuple(inside),
        cells=tuple(cells(runtime, access, tape, digits)),
    )


def _density(record: Record, mentions: list[Mention]) -> float:
    signs = [
        (mention.start, mention.end, Sign(mention.family, mention.member))
        for mention in mentions
        if mention.family is not None
    ]
    return density(covered(record.text, signs))


def cells(runtime: Runtime, access: Access, tape: int, digits: str) -> list[Cell]:
    """The cells from the root down to this one, with how many records each holds and what it is about."""
    return _described(runtime, access, tape, [digits[:length] for length in range(len(digits) + 1)])


def below(runtime: Runtime, access: Access, tape: int, prefix: str, levels: int) -> list[Cell]:
    """A cell and the cells below it that hold records, level by level."""
    prefixes = row = [prefix]
    for _ in range(min(levels, LEVELS - len(prefix))):
        row = [f"{parent}{digit}" for parent in row for digit in "012"]
        prefixes = [*prefixes, *row]
    return _described(runtime, access, tape, prefixes, held=True)


def _described(
    runtime: Runtime, access: Access, tape: int, prefixes: Sequence[str], *, held: bool = False
) -> list[Cell]:
    """Cells with their summary; with `held`, only those that hold a record."""
    counts = runtime.store.tapes.count_placed(access, tape, prefixes)
    return [
        Cell(digits=prefix, records=count, summary=_about(runtime, access, tape, prefix))
        for prefix, count in zip(prefixes, counts, strict=True)
        if count or not held
    ]


def _about(runtime: Runtime, access: Access, tape: int, prefix: str) -> str:
    """What a cell is about: the most informative labels of its families, or else a summary of its records.

    It is computed on demand, because every write would make stored texts out of date on every level.
    """
    families = runtime.store.tapes.families(access, tape, prefix=prefix, limit=_WEIGHED) if tape else []
    if families:
        return joined(telling([(family.label, family.uses) for family in families], _LABELS))
    corners = [prefix] if len(prefix) == LEVELS else [f"{prefix}{digit}" for digit in "012"]
    texts = [
        record.text
        for cell in corners
        for record in runtime.store.tapes.placed(access, tape, prefix=cell, limit=_RECORDS)
    ]
    return summary(texts, LIMIT)


def of_glyph(runtime: Runtime, access: Access, tape: int, sign: str) -> Inspected:
    """The family of a glyph, its phrases, and the records that contain one of them."""
    family = number(sign)
    families = runtime.store.tapes.families(access, tape, numbers=[family], limit=1)
    if not families:
        raise NotFound(f"tape {tape} has no family {sign} here", glyph=sign, tape=tape)
    return Inspected(
        tape=tape,
        families=tuple(families),
        phrases=tuple(runtime.store.tapes.family_phrases(access, tape, family, _PHRASES)),
        records=tuple(runtime.store.tapes.family_records(access, tape, family, _RECORDS)),
        cells=tuple(cells(runtime, access, tape, families[0].digits)),
    )


def inspect(runtime: Runtime, access: Access, what: Address | str, tape: int | None) -> Inspected:
    """Everything at an address or about a glyph."""
    if isinstance(what, str) and is_glyph(what):
        return of_glyph(runtime, access, chosen(runtime, access, tape), what)
    if isinstance(what, str) and "#" not in what and what.strip():
        raise InvalidAddress(f"{what[:40]!r} is neither a glyph of one to {LONGEST} signs nor an address with a #")
    return at_address(runtime, access, address_of(access, what))


def landmarks(runtime: Runtime, access: Access, tape: int, limit: int) -> list[Landmark]:
    """The most used families and their places on the map."""
    return [
        Landmark(
            glyph=family.glyph, label=family.label, uses=family.uses, digits=family.digits, x=family.x, y=family.y
        )
        for family in runtime.store.tapes.families(access, tape, limit=limit)
    ]


Progress = Callable[[int, int], None]


class TapeVerbs(Facade):
    """The glyph tape of a memory. The argument `tape` is the number of a tape and defaults to the one in use."""

    def build(self, *, use: bool = True, progress: Progress | None = None, **at: Unpack[At]) -> Tape:
        """Build a new tape from the whole memory of the actor, next to the old one, and put it to use.

        An interrupted build resumes where it stopped. The same texts give the same tape, byte for byte. `progress`
        is called with the amount done and the total.
        """
        if progress is not None and not callable(progress):
            raise Invalid("progress must be a function of two numbers")
        access = self._access(at)
        built = build.build(self._runtime, access.viewpoint, use=use, progress=progress)
        return _seen_tape(self._runtime, access, built)

    def update(self, **at: Unpack[At]) -> Tape:
        """Add the records written since the build to the tape in use. This is cheap and moves nothing."""
        access = self._access(at)
        return _seen_tape(self._runtime, access, build.update(self._runtime, access.viewpoint))

    def list(self, **at: Unpack[At]) -> list[Tape]:
        """All tapes, except tape 0, which comes with the encoder and has no families.

        A node below the root gets the counts of what it may see, and no digest.
        """
        access = self._access(at)
        return [_seen_tape(self._runtime, access, tape) for tape in self._runtime.store.tapes.all(access.viewpoint)]

    def use(self, number: int, **at: Unpack[At]) -> None:
        """Switch to the addresses of another tape, at once; 0 is the tape of the encoder.

        Addresses of other tapes can still be inspected, because they carry the number of their tape.
        """
        checked_count(number, "number", least=0)
        self._runtime.writes.use_tape(viewpoint_of(self._bound, at), number)

    def drop(self, number: int, **at: Unpack[At]) -> None:
        """Remove a tape with its families; records stay. `Conflict` for the tape in use: switch to another first.

        Addresses of a dropped tape are no longer found, and its number is not reused.
        """
        checked_count(number, "number")
        self._runtime.writes.drop_tape(viewpoint_of(self._bound, at), number)

    def families(
        self, *, prefix: str = "", limit: int = 100, tape: int | None = None, **at: Unpack[At]
    ) -> list[Family]:
        """The families whose words you may see, most used first; with `prefix`, only those under it."""
        access = self._access(at)
        number = chosen(self._runtime, access, tape)
        return self._runtime.store.tapes.families(
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
        """Everything at an address of any tape, or about a glyph."""
        return inspect(self._runtime, self._access(at), what, tape)

    def density(self, ids: str | Sequence[str], *, tape: int | None = None, **at: Unpack[At]) -> dict[str, float]:
        """The share of each record that the tape can write with glyphs, from 0 to 1. Pass it `Written.ids`.

        Only the text of a record counts, so the record need not be on the tape yet.
        """
        access = self._access(at)
        number = chosen(self._runtime, access, tape)
        return encode.densities(self._runtime, access, number, _ids(ids))

    def cells(self, prefix: str = "", *, levels: int = 1, tape: int | None = None, **at: Unpack[At]) -> list[Cell]:
        """The cell of a prefix and the cells below it, level by level, with record counts and what each is about.

        Empty cells are left out. If no tape is in use, the map is that of the encoder.
        """
        access = self._access(at)
        number = mapped(self._runtime, access, tape)
        return below(self._runtime, access, number, _digits(prefix), checked_count(levels, "levels", least=0))

    def encode(self, text: str, *, lossy: bool = False, tape: int | None = None, **at: Unpack[At]) -> Encoded:
        """A text as a stream of glyphs and literal text, which `decode` turns back exactly.

        With `lossy`, phrases that are only similar to a family become its glyph too; the result and the stream say
        so.
        """
        access = self._access(at)
        number = chosen(self._runtime, access, tape)
        return encode.encode(self._runtime, access, number, checked_text(text), lossy=lossy)

    def decode(self, stream: str, *, tape: int | None = None, **at: Unpack[At]) -> Decoded:
        """The text of a stream; `NotFound` if it contains a phrase that is gone or not visible to you."""
        access = self._access(at)
        number = chosen(self._runtime, access, tape)
        return encode.decode(self._runtime, access, number, checked_text(stream, "stream"))

    def map(self, *, limit: int = 500, tape: int | None = None, **at: Unpack[At]) -> list[Landmark]:
        """The most used families and their places in the triangle of the map."""
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
    return [checked_name(record_id, "id") for record_id in listed]
