"""The commands of tapes and glyphs, and `foveal dump`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from foveal.doors.cli.invocation import Invocation, Limit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foveal.doors.cli.output import Printer
    from foveal.model.glyph import Cell, Family, Inspected, Mention, Tape
    from foveal.model.record import Record


def dump(
    call: Invocation,
    show_spans: Annotated[
        bool,
        typer.Option("--show-spans", help="Also show the embedded pieces and the terms of the word index."),
    ] = False,
    region: Annotated[str | None, typer.Option("--region", metavar="NAME", help="Only this region.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", "-n", metavar="N", help="At most this many.")] = None,
) -> None:
    """Show every record with its address, oldest first."""
    from foveal.doors.cli import output
    from foveal.wire.codec import to_json

    with call.memory() as memory:
        records = memory.timeline(
            filters=None if region is None else {"region": region},
            limit=sys.maxsize if limit is None else limit,
            newest_first=False,
        )

    def tell(page: Printer) -> None:
        for record in records:
            page.card([str(record.address), record.id, output.moment(record.occurred_at)], record.text)
            if show_spans:
                for number, piece in enumerate(pieces(record), 1):
                    page.line(f"piece {number}: {' '.join(piece.split())}", style="green", indent=4)
                page.line(f"terms: {' '.join(filed_under(record))}", style="yellow", indent=4)

    def spans(record: Record) -> dict[str, list[str]]:
        return {"pieces": pieces(record), "terms": filed_under(record)} if show_spans else {}

    shown = [{**to_json(record), **spans(record)} for record in records] if call.options.json else []
    call.answer(shown, tell, [record.id for record in records])


def pieces(record: Record) -> list[str]:
    """The pieces of a record's text that are embedded."""
    from foveal.engine.records.write import chunks_of

    return chunks_of(record)


def filed_under(record: Record) -> list[str]:
    """The terms under which the word index has a record."""
    from foveal.rules.recall.index import filed_terms

    return filed_terms(record)


OfTape = Annotated[
    int | None, typer.Option("--tape", metavar="NUMBER", help="The tape to use; by default the active one.")
]


def encode(
    call: Invocation,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The text to encode.")],
    lossy: Annotated[
        bool, typer.Option("--lossy", help="Also replace phrases that only resemble those of a family.")
    ] = False,
    tape: OfTape = None,
) -> None:
    """Encode a text as a stream of glyphs and literal text."""
    with call.memory() as memory:
        encoded = memory.tape.encode(text, lossy=lossy, tape=tape)
    call.answer(encoded, lambda page: page.line(encoded.stream))
    call.note(f"density {encoded.density:.2f}; {'exact' if encoded.exact else 'lossy'}; tape {encoded.tape}")


def decode(
    call: Invocation,
    stream: Annotated[str, typer.Argument(metavar="STREAM", help="What `foveal glyph encode` wrote.")],
    tape: OfTape = None,
) -> None:
    """Decode a stream back to text."""
    with call.memory() as memory:
        decoded = memory.tape.decode(stream, tape=tape)
    call.answer(decoded, lambda page: page.line(decoded.text))
    if not decoded.exact:
        call.note("not word for word: some glyphs stood for whole families")


def find(
    call: Invocation,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The text whose phrases to look up.")],
    tape: OfTape = None,
) -> None:
    """Find the families of the phrases of a text."""
    with call.memory() as memory:
        mentions = memory.tape.glyphs(text, tape=tape)
    glyphs = [mention.glyph or "" for mention in mentions]
    empty = "no family has these words, or words like them"
    call.answer(mentions, lambda page: _mentions(page, mentions), glyphs, empty=empty)


def near(
    call: Invocation,
    address: Annotated[str, typer.Argument(metavar="ADDRESS", help="As `foveal addresses` lists them.")],
    limit: Limit = 20,
) -> None:
    """List the records near an address: in its cell, beside it, then further away."""
    with call.memory() as memory:
        neighbours = memory.tape.neighbours(address, limit=limit)
    rows = [(near.relation, f"#{near.address.digits}", near.record.id, near.record.text) for near in neighbours]
    call.answer(
        neighbours,
        lambda page: page.table(("near by", "cell", "id", "text"), rows),
        [near.record.id for near in neighbours],
        empty="nothing lies near",
    )


def inspect(
    call: Invocation,
    what: Annotated[str, typer.Argument(metavar="WHAT", help="A glyph, or an address.")],
    tape: OfTape = None,
) -> None:
    """Show everything behind a glyph, or at an address."""
    with call.memory() as memory:
        inspected = memory.tape.inspect(what, tape=tape)
    call.answer(
        inspected, lambda page: _tell_inspected(page, inspected), [family.glyph for family in inspected.families]
    )


def density(
    call: Invocation,
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help="The records; by default the newest.")
    ] = None,
    limit: Limit = 20,
    tape: OfTape = None,
) -> None:
    """Show how much of each record the tape can write as glyphs."""
    with call.memory() as memory:
        records = memory.get_many(ids) if ids else memory.timeline(limit=limit)
        densities = memory.tape.density(ids or [record.id for record in records], tape=tape)
    rows = [(record.id, f"{densities[record.id]:.2f}", record.text) for record in records]
    call.answer(
        densities, lambda page: page.table(("id", "density", "text"), rows, right=["density"]), list(densities)
    )


def ls(
    call: Invocation,
    prefix: Annotated[str, typer.Option("--prefix", metavar="DIGITS", help="Only under these digits.")] = "",
    limit: Limit = 20,
    tape: OfTape = None,
) -> None:
    """List the families of a tape, the most used first."""
    with call.memory() as memory:
        families = memory.tape.families(prefix=prefix, limit=limit, tape=tape)
    glyphs = [family.glyph for family in families]
    call.answer(families, lambda page: _families(page, families), glyphs, empty="no family lies here")


def _families(page: Printer, families: Sequence[Family]) -> None:
    heads = ("glyph", "uses", "phrases", "coherence", "languages", "digits", "label")
    rows = [
        (
            family.glyph,
            f"{family.uses:,}",
            f"{family.size:,}",
            f"{family.coherence:.2f}",
            ", ".join(family.languages),
            family.digits,
            family.label,
        )
        for family in families
    ]
    page.table(heads, rows, right=["uses", "phrases", "coherence"])


def _tell_inspected(page: Printer, inspected: Inspected) -> None:
    from foveal.doors.cli import output

    if inspected.record is not None:
        page.card(
            [*output.format_heads(inspected.record), str(inspected.address), f"density {inspected.density:.2f}"],
            inspected.record.text,
        )
        page.line()
        _mentions(page, inspected.mentions)
        page.line()
    if inspected.families:
        _families(page, inspected.families)
        page.line()
    if inspected.phrases:
        page.table(
            ("likeness", "uses", "phrase"),
            [(f"{phrase.likeness:.2f}", f"{phrase.uses:,}", phrase.text) for phrase in inspected.phrases],
            right=["likeness", "uses"],
        )
        page.line()
    if inspected.record is None and inspected.records:
        rows = [(record.id, output.moment(record.occurred_at), record.text) for record in inspected.records]
        page.table(("said in", "on", "text"), rows)
        page.line()
    cells_table(page, inspected.cells)


def _mentions(page: Printer, mentions: Sequence[Mention]) -> None:
    rows = [
        (
            mention.glyph or "",
            "=" if mention.exact else "≈",
            f"{mention.likeness:.2f}",
            mention.text,
            mention.label or "",
        )
        for mention in mentions
    ]
    page.table(("glyph", "", "likeness", "said", "label of its family"), rows, right=["likeness"])


def cells_table(page: Printer, cells: Sequence[Cell]) -> None:
    """Print cells, each with its gist."""
    rows = [(f"#{cell.digits}", f"{cell.records:,}", cell.summary) for cell in cells]
    page.table(("cell", "records", "about"), rows, right=["records"])


Number = Annotated[int, typer.Argument(metavar="NUMBER", help="The number of a tape; 0 is that of the encoder.")]


def build(
    call: Invocation,
    beside: Annotated[
        bool, typer.Option("--beside", help="Only build it; `foveal tape use` activates it.")
    ] = False,
) -> None:
    """Build a new tape from the whole memory of an actor, and use it.

    A build that was interrupted continues where it stopped.
    """
    with call.memory() as memory:
        built = memory.tape.build(use=not beside, progress=call.progress("Building the tape"))
    call.answer(built, lambda page: _table(page, [built]), [str(built.number)])


def update(call: Invocation) -> None:
    """Add what was written since the build to the tape in use."""
    with call.memory() as memory:
        updated = memory.tape.update()
    call.answer(updated, lambda page: _table(page, [updated]), [str(updated.number)])


def list_(call: Invocation) -> None:
    """List the tapes."""
    with call.memory() as memory:
        tapes = memory.tape.list()
    numbers = [str(tape.number) for tape in tapes]
    empty = "no tape was built yet: the addresses are those of the encoder's own, tape 0"
    call.answer(tapes, lambda page: _table(page, tapes), numbers, empty=empty)


def use(call: Invocation, number: Number) -> None:
    """Switch to another tape and its addresses."""
    with call.memory() as memory:
        memory.tape.use(number)
    call.answer({"tape": number}, lambda page: page.line(f"tape {number} is in use"), [str(number)])


def drop(call: Invocation, number: Number) -> None:
    """Delete a tape that is not in use; records stay."""
    with call.memory() as memory:
        memory.tape.drop(number)
    call.answer({"tape": number}, lambda page: page.line(f"tape {number} is gone"), [str(number)])


def cells(
    call: Invocation,
    prefix: Annotated[str, typer.Option("--prefix", metavar="DIGITS", help="The cell to look below.")] = "",
    levels: Annotated[int, typer.Option("--levels", metavar="N", help="How many levels below it.")] = 2,
    tape: OfTape = None,
) -> None:
    """Show what the cells of the map are about, level by level."""
    with call.memory() as memory:
        listed = memory.tape.cells(prefix, levels=levels, tape=tape)
    digits = [cell.digits for cell in listed]
    call.answer(listed, lambda page: cells_table(page, listed), digits, empty="nothing lies here")


def _table(page: Printer, tapes: Sequence[Tape]) -> None:
    from foveal.doors.cli.output import moment

    heads = ("tape", "state", "records", "phrases", "families", "waiting", "built", "encoder", "digest")
    rows = [
        (
            str(tape.number),
            "in use" if tape.active else tape.state.value,
            f"{tape.records:,}",
            f"{tape.phrases:,}",
            f"{tape.families:,}",
            f"{tape.waiting:,}",
            moment(tape.created_at),
            tape.encoder,
            tape.digest[:12],
        )
        for tape in tapes
    ]
    page.table(heads, rows, right=["tape", "records", "phrases", "families", "waiting"])
