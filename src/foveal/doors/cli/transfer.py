"""Import, export, backup, reindex, vacuum, migrate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from foveal.doors.cli.invocation import Code, Invocation

if TYPE_CHECKING:
    from foveal.doors.cli.output import Printer


def migrate(
    call: Invocation,
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
    from foveal.doors.cli.output import counted

    done = copy(source, target, progress=call.progress("Copying"))

    def tell(page: Printer) -> None:
        page.line(f"from {done.source}")
        page.line(f"to   {done.target}")
        fresh = done.actors - done.known
        if fresh or not done.actors:
            page.line(f"copied {counted(fresh, 'actor')}; counts and checksums agree")
        if done.known:
            page.line(f"{counted(done.known, 'actor')} copied before, and not changed in the source since")
        page.line(f"{counted(done.rows, 'row')} in all")

    call.answer(done, tell)


Target = Annotated[Path, typer.Argument(metavar="FILE", help="A file that does not exist yet.")]


def import_(
    call: Invocation,
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A file that `foveal export` wrote.")],
) -> None:
    """Read an exported file into a memory.

    What is there already is left as it is.
    """
    from foveal.doors.cli.output import counted

    with call.memory(fresh=True) as memory:
        done = memory.import_(path)

    def tell(page: Printer) -> None:
        page.line(
            f"imported {counted(done.records, 'record')}, {counted(done.versions, 'later version')}, "
            f"{counted(done.links, 'link')}; {done.known:,} known already"
        )

    call.answer(done, tell)
    for one in done.rejected:
        call.note(f"{path}, line {one.index + 1}: {one.message}")
    if done.rejected:
        raise typer.Exit(Code.INVALID)


def export(call: Invocation, path: Target) -> None:
    """Write the whole memory of an actor to a file of JSON lines."""
    from foveal.doors.cli.output import counted, size

    with call.memory() as memory:
        count = memory.export(path)
    length = path.stat().st_size
    done = {"path": str(path), "records": count, "bytes": length}
    call.answer(done, lambda page: page.line(f"exported {counted(count, 'record')} to {path}, {size(length)}"))


def backup(call: Invocation, path: Target) -> None:
    """Copy the whole memory file, all actors, while others go on."""
    from foveal.doors.cli.output import size

    with call.memory() as memory:
        memory.backup(path)
    count = path.stat().st_size
    call.answer({"path": str(path), "bytes": count}, lambda page: page.line(f"copied to {path}, {size(count)}"))


def reindex(call: Invocation) -> None:
    """Embed everything anew with the encoder of the settings.

    An index of vectors that the settings name gets what it does not have yet. Stopped, it goes on where it was.
    """
    from foveal.doors.cli.output import counted

    with call.memory() as memory:
        done = memory.reindex(progress=call.progress("Reindexing"))

    def tell(page: Printer) -> None:
        page.line(f"embedded {counted(done.versions, 'version')} with {done.encoder}")
        if done.indexed is not None:
            page.line(f"the index of vectors took in {counted(done.indexed, 'record')}")

    call.answer(done, tell)


def vacuum(call: Invocation) -> None:
    """Give room in the file that nothing needs any more back.

    The file is written anew without its gaps; others wait meanwhile.
    """
    from foveal.doors.cli.output import size

    with call.memory() as memory:
        freed = memory.vacuum()
    call.answer(
        {"bytes": freed}, lambda page: page.line(f"gave {size(freed)} back" if freed else "nothing to give back")
    )
