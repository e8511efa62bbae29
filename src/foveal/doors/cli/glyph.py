"""The commands that write with the glyphs of a tape, and look behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from foveal.doors.cli.call import Call
from foveal.doors.cli.options import Limit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foveal.doors.cli.page import Page
    from foveal.model.glyph import Cell, Family, Inspected, Mention

OfTape = Annotated[
    int | None, typer.Option("--tape", metavar="NUMBER", help="The tape that is meant; else the one in use.")
]


def encode(
    call: Call,
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
    call: Call,
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
    call: Call,
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
    call: Call,
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
    call: Call,
    what: Annotated[str, typer.Argument(metavar="WHAT", help="A glyph, or an address.")],
    tape: OfTape = None,
) -> None:
    """Show everything behind a glyph, or at an address."""
    with call.memory() as memory:
        found = memory.tape.inspect(what, tape=tape)
    call.answer(found, lambda page: _tell(page, found), [one.glyph for one in found.families])


def density(
    call: Call,
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
    call: Call,
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


def _families(page: Page, families: Sequence[Family]) -> None:
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


def _tell(page: Page, found: Inspected) -> None:
    from foveal.doors.cli import cards

    if found.record is not None:
        page.card(
            [*cards.heads(found.record), str(found.address), f"density {found.density:.2f}"], found.record.text
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
        rows = [(one.id, cards.moment(one.occurred_at), one.text) for one in found.records]
        page.table(("said in", "on", "text"), rows)
        page.line()
    cells_table(page, found.cells)


def _mentions(page: Page, mentions: Sequence[Mention]) -> None:
    rows = [
        (one.glyph or "", "=" if one.exact else "≈", f"{one.likeness:.2f}", one.text, one.label or "")
        for one in mentions
    ]
    page.table(("glyph", "", "likeness", "said", "label of its family"), rows, right=["likeness"])


def cells_table(page: Page, cells: Sequence[Cell]) -> None:
    """Print cells, each with its gist."""
    rows = [(f"#{one.digits}", f"{one.records:,}", one.summary) for one in cells]
    page.table(("cell", "records", "about"), rows, right=["records"])
