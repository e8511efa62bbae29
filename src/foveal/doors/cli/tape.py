"""The commands that build a glyph tape and put it to use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from foveal.doors.cli.call import Call
from foveal.doors.cli.glyph import OfTape, cells_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foveal.doors.cli.page import Page
    from foveal.model.glyph import Tape

Number = Annotated[int, typer.Argument(metavar="NUMBER", help="The number of a tape; 0 is the encoder's own.")]


def build(
    call: Call,
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


def update(call: Call) -> None:
    """Take what was written since into the tape in use."""
    with call.memory() as memory:
        found = memory.tape.update()
    call.answer(found, lambda page: _table(page, [found]), [str(found.number)])


def list_(call: Call) -> None:
    """List the tapes there are."""
    with call.memory() as memory:
        found = memory.tape.list()
    call.answer(found, lambda page: _table(page, found), [str(one.number) for one in found])
    if not found:
        call.note("no tape was built yet: the addresses are those of the encoder's own, tape 0")


def use(call: Call, number: Number) -> None:
    """Show the addresses of another tape."""
    with call.memory() as memory:
        memory.tape.use(number)
    call.answer({"tape": number}, lambda page: page.line(f"tape {number} is in use"), [str(number)])


def drop(call: Call, number: Number) -> None:
    """Remove a tape that is not in use; records stay."""
    with call.memory() as memory:
        memory.tape.drop(number)
    call.answer({"tape": number}, lambda page: page.line(f"tape {number} is gone"), [str(number)])


def cells(
    call: Call,
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


def _table(page: Page, tapes: Sequence[Tape]) -> None:
    from foveal.doors.cli.cards import moment

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
