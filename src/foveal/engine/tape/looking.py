"""What lies where on a tape: around an address, behind a glyph, on the map."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from foveal.engine.core import Core
from foveal.engine.tape.building import in_use, known
from foveal.engine.tape.streaming import labelled
from foveal.errors import InvalidAddress, NotFound
from foveal.model.glyph import Cell, Inspected, Landmark, Mention, Neighbour
from foveal.model.ids import Address
from foveal.model.query import Sight
from foveal.model.record import Record
from foveal.rules.addresses import LEVELS, adjoining, shared
from foveal.rules.glyphs import LONGEST, Sign, covered, density, is_glyph, number
from foveal.rules.summaries import LIMIT, joined, summary, telling
from foveal.rules.validation import MOST_COUNT, checked_count, checked_text

_RECORDS, _FAMILIES, _PHRASES = 20, 20, 50
# What a cell is about is told by so many labels, chosen from so many.
_LABELS, _WEIGHED = 4, 40


def chosen(core: Core, sight: Sight, tape: int | None) -> int:
    """The number of the tape that was asked for, or of the one in use."""
    if tape is None:
        return in_use(core, sight.viewpoint)
    return known(core, sight.viewpoint, checked_count(tape, "tape", least=0)).number


def mapped(core: Core, sight: Sight, tape: int | None) -> int:
    """The number of the tape whose map is asked for; 0, the encoder's own, has one too."""
    if tape is None:
        return core.store.shown_tape(sight.viewpoint)
    return chosen(core, sight, tape) if checked_count(tape, "tape", least=0) else 0


def neighbours(core: Core, sight: Sight, where: Address, limit: int) -> list[Neighbour]:
    """The records near an address: in its cell, beside it, then under ever shorter prefixes of it."""
    found: list[Neighbour] = []
    seen: set[str] = set()
    for relation, prefix in _around(where.digits):
        for record in core.store.placed(sight, where.tape, prefix=prefix, limit=limit + len(seen) + 1):
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


def address_of(sight: Sight, where: Address | str) -> Address:
    """The address that was meant, if it is one of this world."""
    # An address that was made by hand may hold anything: only what can be written down is one.
    found = Address.parse(checked_text(str(where) if isinstance(where, Address) else where, "address"))
    if max(found.time_slice, found.tape) > MOST_COUNT:
        raise InvalidAddress(f"the numbers of {str(found)[:80]} are too large")
    if len(found.digits) > LEVELS:
        raise InvalidAddress(f"an address has at most {LEVELS} digits, not {len(found.digits)}")
    if found.world != sight.viewpoint.world:
        raise NotFound(f"there is nothing here at {found}", address=str(found))
    return found


def at_address(core: Core, sight: Sight, where: Address) -> Inspected:
    """The record at an address, its phrases, and what its cell and the cells around that are about.

    Where no record lies, a cell that holds some further down is shown by itself.
    """
    found = core.store.placed(
        sight, where.tape, prefix=where.digits, region=where.region, time_slice=where.time_slice, limit=1
    )
    tape = where.tape
    if not found:
        return _at_cell(core, sight, where)
    [record] = found
    mentions = core.store.mentions(sight, tape, [record.id]).get(record.id, []) if tape else []
    digits = record.address.digits
    return Inspected(
        tape=tape,
        address=record.address,
        record=record,
        density=_density(record, mentions),
        mentions=tuple(labelled(core, sight, tape, mentions)),
        families=tuple(core.store.families(sight, tape, prefix=digits, limit=_FAMILIES)) if tape else (),
        records=tuple(core.store.placed(sight, tape, prefix=digits, limit=_RECORDS)),
        cells=tuple(cells(core, sight, tape, digits)),
    )


def _at_cell(core: Core, sight: Sight, where: Address) -> Inspected:
    tape, digits = where.tape, where.digits
    inside = core.store.placed(sight, tape, prefix=digits, limit=_RECORDS)
    if all(one.address.digits == digits for one in inside):
        raise NotFound(f"there is nothing here at {where}", address=str(where))
    return Inspected(
        tape=tape,
        address=where,
        families=tuple(core.store.families(sight, tape, prefix=digits, limit=_FAMILIES)) if tape else (),
        records=tuple(inside),
        cells=tuple(cells(core, sight, tape, digits)),
    )


def _density(record: Record, mentions: list[Mention]) -> float:
    signs = [(one.start, one.end, Sign(one.family, one.member)) for one in mentions if one.family is not None]
    return density(covered(record.text, signs))


def cells(core: Core, sight: Sight, tape: int, digits: str) -> list[Cell]:
    """The cells from the root down to one, with how much lies in each and what it is about."""
    return _told(core, sight, tape, [digits[:length] for length in range(len(digits) + 1)])


def below(core: Core, sight: Sight, tape: int, prefix: str, levels: int) -> list[Cell]:
    """A cell and those below it in which something lies, level by level."""
    found = row = [prefix]
    for _ in range(min(levels, LEVELS - len(prefix))):
        row = [f"{one}{digit}" for one in row for digit in "012"]
        found = [*found, *row]
    return _told(core, sight, tape, found, held=True)


def _told(core: Core, sight: Sight, tape: int, prefixes: Sequence[str], *, held: bool = False) -> list[Cell]:
    """Cells with their gist; with `held`, those in which a record lies."""
    counts = core.store.count_placed(sight, tape, prefixes)
    return [
        Cell(digits=one, records=count, summary=_about(core, sight, tape, one))
        for one, count in zip(prefixes, counts, strict=True)
        if count or not held
    ]


def _about(core: Core, sight: Sight, tape: int, prefix: str) -> str:
    """What a cell is about: the labels that say most of the families in it, or else what its records say.

    It is told when somebody asks: a text kept for each cell would be out of date on every level with every write.
    """
    families = core.store.families(sight, tape, prefix=prefix, limit=_WEIGHED) if tape else []
    if families:
        return joined(telling([(one.label, one.uses) for one in families], _LABELS))
    corners = [prefix] if len(prefix) == LEVELS else [f"{prefix}{digit}" for digit in "012"]
    texts = [one.text for cell in corners for one in core.store.placed(sight, tape, prefix=cell, limit=_RECORDS)]
    return summary(texts, LIMIT)


def of_glyph(core: Core, sight: Sight, tape: int, sign: str) -> Inspected:
    """The family that a glyph stands for, its phrases, and the records that say one of them."""
    family = number(sign)
    found = core.store.families(sight, tape, numbers=[family], limit=1)
    if not found:
        raise NotFound(f"tape {tape} has no family {sign} here", glyph=sign, tape=tape)
    return Inspected(
        tape=tape,
        families=tuple(found),
        phrases=tuple(core.store.family_phrases(sight, tape, family, _PHRASES)),
        records=tuple(core.store.family_records(sight, tape, family, _RECORDS)),
        cells=tuple(cells(core, sight, tape, found[0].digits)),
    )


def inspect(core: Core, sight: Sight, what: Address | str, tape: int | None) -> Inspected:
    """Everything at an address or about a glyph."""
    if isinstance(what, str) and is_glyph(what):
        return of_glyph(core, sight, chosen(core, sight, tape), what)
    if isinstance(what, str) and "#" not in what and what.strip():
        raise InvalidAddress(f"{what[:40]!r} is neither a glyph of one to {LONGEST} signs nor an address with a #")
    return at_address(core, sight, address_of(sight, what))


def landmarks(core: Core, sight: Sight, tape: int, limit: int) -> list[Landmark]:
    """The families most used, where they lie."""
    return [
        Landmark(glyph=one.glyph, label=one.label, uses=one.uses, digits=one.digits, x=one.x, y=one.y)
        for one in core.store.families(sight, tape, limit=limit)
    ]
