"""The commands that build a glyph tape and put it to use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from foveal.doors.cli.call import Call

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
