"""`foveal tape`, glyphs, dump."""

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
        typer.Option("--show-spans", help="Also the pieces that are embedded, and the terms of the word index."),
    ] = False,
    region: Annotated[str | None, typer.Option("--region", metavar="NAME", help="Only this region.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", "-n", metavar="N", help="At most this many.")] = None,
) -> None:
    """Show every record with its address, oldest first."""
    from foveal.doors.cli import output
    from foveal.wire.codec import to_json

    with call.memory() as memory:
        found = memory.timeline(
            filters=None if region is None else {"region": region},
            limit=sys.maxsize if limit is None else limit,
            newest_first=False,
        )

    def tell(page: Printer) -> None:
        for record in found:
            page.card([str(record.address), record.id, output.moment(record.occurred_at)], record.text)
            if show_spans:
                for number, piece in enumerate(pieces(record), 1):
                    page.line(f"piece {number}: {' '.join(piece.split())}", style="green", indent=4)
                page.line(f"terms: {' '.join(filed_under(record))}", style="yellow", indent=4)

    def spans(record: Record) -> dict[str, list[str]]:
        return {"pieces": pieces(record), "terms": filed_under(record)} if show_spans else {}

    shown = [{**to_json(record), **spans(record)} for record in found] if call.options.json else []
    call.answer(shown, tell, [record.id for record in found])


def pieces(record: Record) -> list[str]:
    """What is embedded for a record, one string for each piece of its text."""
    from foveal.engine.records.write import chunks_of

    return chunks_of(record)


def filed_under(record: Record) -> list[str]:
    """The terms whose codes the word index has for a record."""
    from foveal.rules.recall.index import filed_terms

    return filed_terms(record)


OfTape = Annotated[
    int | None, typer.Option("--tape", metavar="NUMBER", help="The tape that is meant; else the one in use.")
]


def encode(
    call: Invocation,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to write with glyphs.")],
    lossy: Annotated[
        bool, typer.Option("--lossy", help="Also where the words are only like those of a family.")
    ] = False,
    tape: OfTape = None,
) -> None:
    """Write a text as a stream of glyphs and literal text."""
    with call.memory() as memory:
        made = memory.tape.encode(text, lossy=lossy, tape=tape)
    call.answer(made, lambda page: page.line(made.stream))
    call.note(f"density {made.density:.2f}; {'exact' if made.exact else 'lossy'}; tape {made.tape}")


def decode(
    call: Invocation,
    stream: Annotated[str, typer.Argument(metavar="STREAM", help="What `foveal glyph encode` wrote.")],
    tape: OfTape = None,
) -> None:
    """Read a stream back as text."""
    with call.memory() as memory:
        made = memory.tape.decode(stream, tape=tape)
    call.answer(made, lambda page: page.line(made.text))
    if not made.exact:
        call.note("not word for word: some glyphs stood for whole families")


def find(
    call: Invocation,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Whose phrases to look up.")],
    tape: OfTape = None,
) -> None:
    """Find the families of the phrases of a text."""
    with call.memory() as memory:
        found = memory.tape.glyphs(text, tape=tape)
    call.answer(found, lambda page: _mentions(page, found), [one.glyph or "" for one in found])
    if not found:
        call.note("no family has these words, or words like them")


def near(
    call: Invocation,
    address: Annotated[str, typer.Argument(metavar="ADDRESS", help="As `foveal addresses` lists them.")],
    limit: Limit = 20,
) -> None:
    """List the records near an address: in its cell, beside it, then further away."""
    with call.memory() as memory:
        found = memory.tape.neighbours(address, limit=limit)
    rows = [(one.relation, f"#{one.address.digits}", one.record.id, one.record.text) for one in found]
    call.answer(
        found,
        lambda page: page.table(("near by", "cell", "id", "text"), rows),
        [one.record.id for one in found],
    )
    if not found:
        call.note("nothing lies near")


def inspect(
    call: Invocation,
    what: Annotated[str, typer.Argument(metavar="WHAT", help="A glyph, or an address.")],
    tape: OfTape = None,
) -> None:
    """Show everything behind a glyph, or at an address."""
    with call.memory() as memory:
        found = memory.tape.inspect(what, tape=tape)
    call.answer(found, lambda page: _tell(page, found), [one.glyph for one in found.families])


def density(
    call: Invocation,
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="Records; else the newest.")] = None,
    limit: Limit = 20,
    tape: OfTape = None,
) -> None:
    """Tell how much of each record the tape can write with glyphs."""
    with call.memory() as memory:
        records = memory.get_many(ids) if ids else memory.timeline(limit=limit)
        found = memory.tape.density(ids or [one.id for one in records], tape=tape)
    rows = [(one.id, f"{found[one.id]:.2f}", one.text) for one in records]
    call.answer(found, lambda page: page.table(("id", "density", "text"), rows, right=["density"]), list(found))


def ls(
    call: Invocation,
    prefix: Annotated[str, typer.Option("--prefix", metavar="DIGITS", help="Only under these digits.")] = "",
    limit: Limit = 20,
    tape: OfTape = None,
) -> None:
    """List the families of a tape, the most used first."""
    with call.memory() as memory:
        found = memory.tape.families(prefix=prefix, limit=limit, tape=tape)
    call.answer(found, lambda page: _families(page, found), [one.glyph for one in found])
    if not found:
        call.note("no family lies here")


def _families(page: Printer, families: Sequence[Family]) -> None:
    heads = ("glyph", "uses", "phrases", "coherence", "languages", "digits", "label")
    rows = [
        (
            one.glyph,
            f"{one.uses:,}",
            f"{one.size:,}",
            f"{one.coherence:.2f}",
            ", ".join(one.languages),
            one.digits,
            one.label,
        )
        for one in families
    ]
    page.table(heads, rows, right=["uses", "phrases", "coherence"])


def _tell(page: Printer, found: Inspected) -> None:
    from foveal.doors.cli import output

    if found.record is not None:
        page.card(
            [*output.format_heads(found.record), str(found.address), f"density {found.density:.2f}"],
            found.record.text,
        )
        page.line()
        _mentions(page, found.mentions)
        page.line()
    if found.families:
        _families(page, found.families)
        page.line()
    if found.phrases:
        page.table(
            ("likeness", "uses", "phrase"),
            [(f"{one.likeness:.2f}", f"{one.uses:,}", one.text) for one in found.phrases],
            right=["likeness", "uses"],
        )
        page.line()
    if found.record is None and found.records:
        rows = [(one.id, output.moment(one.occurred_at), one.text) for one in found.records]
        page.table(("said in", "on", "text"), rows)
        page.line()
    cells_table(page, found.cells)


def _mentions(page: Printer, mentions: Sequence[Mention]) -> None:
    rows = [
        (one.glyph or "", "=" if one.exact else "≈", f"{one.likeness:.2f}", one.text, one.label or "")
        for one in mentions
    ]
    page.table(("glyph", "", "likeness", "said", "label of its family"), rows, right=["likeness"])


def cells_table(page: Printer, cells: Sequence[Cell]) -> None:
    """Print cells, each with its gist."""
    rows = [(f"#{one.digits}", f"{one.records:,}", one.summary) for one in cells]
    page.table(("cell", "records", "about"), rows, right=["records"])


Number = Annotated[int, typer.Argument(metavar="NUMBER", help="The number of a tape; 0 is the encoder's own.")]


def build(
    call: Invocation,
    beside: Annotated[
        bool, typer.Option("--beside", help="Only build it; `foveal tape use` puts it to use.")
    ] = False,
) -> None:
    """Build a new tape from the whole memory of an actor, and use it.

    A build that was stopped goes on where it was.
    """
    with call.memory() as memory:
        made = memory.tape.build(use=not beside, progress=call.progress("Building the tape"))
    call.answer(made, lambda page: _table(page, [made]), [str(made.number)])


def update(call: Invocation) -> None:
    """Take what was written since into the tape in use."""
    with call.memory() as memory:
        found = memory.tape.update()
    call.answer(found, lambda page: _table(page, [found]), [str(found.number)])


def list_(call: Invocation) -> None:
    """List the tapes there are."""
    with call.memory() as memory:
        found = memory.tape.list()
    call.answer(found, lambda page: _table(page, found), [str(one.number) for one in found])
    if not found:
        call.note("no tape was built yet: the addresses are those of the encoder's own, tape 0")


def use(call: Invocation, number: Number) -> None:
    """Show the addresses of another tape."""
    with call.memory() as memory:
        memory.tape.use(number)
    call.answer({"tape": number}, lambda page: page.line(f"tape {number} is in use"), [str(number)])


def drop(call: Invocation, number: Number) -> None:
    """Remove a tape that is not in use; records stay."""
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
        found = memory.tape.cells(prefix, levels=levels, tape=tape)
    call.answer(found, lambda page: cells_table(page, found), [one.digits for one in found])
    if not found:
        call.note("nothing lies here")


def _table(page: Printer, tapes: Sequence[Tape]) -> None:
    from foveal.doors.cli.output import moment

    heads = ("tape", "state", "records", "phrases", "families", "waiting", "built", "encoder", "digest")
    rows = [
        (
            str(one.number),
            "in use" if one.active else one.state.value,
            f"{one.records:,}",
            f"{one.phrases:,}",
            f"{one.families:,}",
            f"{one.waiting:,}",
            moment(one.created_at),
            one.encoder,
            one.digest[:12],
        )
        for one in tapes
    ]
    page.table(heads, rows, right=["tape", "records", "phrases", "families", "waiting"])
