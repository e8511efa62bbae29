"""The command that copies a whole store into another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from foveal.doors.cli.call import Call

if TYPE_CHECKING:
    from foveal.doors.cli.page import Page


def migrate(
    call: Call,
    source: Annotated[
        str, typer.Option("--from", metavar="URL", help="What is copied: a path, sqlite:///path or postgresql://…")
    ],
    target: Annotated[
        str, typer.Option("--to", metavar="URL", help="Where to: a file or a database that holds no memory yet.")
    ],
) -> None:
    """Copy a whole store to another, all actors and worlds.

    The source is only read. What was broken off goes on where it stopped.
    """
    from foveal.compose import migrate as copy
    from foveal.doors.cli.cards import counted

    done = copy(source, target, progress=call.progress("Copying"))

    def tell(page: Page) -> None:
        page.line(f"from {done.source}")
        page.line(f"to   {done.target}")
        fresh = done.actors - done.known
        if fresh or not done.actors:
            page.line(f"copied {counted(fresh, 'actor')}; counts and checksums agree")
        if done.known:
            page.line(f"{counted(done.known, 'actor')} copied before, and not changed in the source since")
        page.line(f"{counted(done.rows, 'row')} in all")

    call.answer(done, tell)
