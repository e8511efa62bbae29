"""The commands that import, export, copy and rebuild a memory."""

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
        str,
        typer.Option("--from", metavar="URL", help="The store to copy: a path, sqlite:///path or postgresql://…"),
    ],
    target: Annotated[
        str, typer.Option("--to", metavar="URL", help="The target: a file or database that holds no memory yet.")
    ],
) -> None:
    """Copy a whole store to another, with all actors and worlds.

    The source is only read. An interrupted copy continues where it stopped.
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
    """Import an exported file into a memory.

    Records that exist already are not changed.
    """
    from foveal.doors.cli.output import counted

    with call.memory(fresh=True) as memory:
        imported = memory.import_(path)

    def tell(page: Printer) -> None:
        page.line(
            f"imported {counted(imported.records, 'record')}, {counted(imported.versions, 'later version')}, "
            f"{counted(imported.links, 'link')}; {imported.known:,} known already"
        )

    call.answer(imported, tell)
    for rejected in imported.rejected:
        call.note(f"{path}, line {rejected.index + 1}: {rejected.message}")
    if imported.rejected:
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
    """Copy the whole memory file, with all actors, while it is in use."""
    from foveal.doors.cli.output import size

    with call.memory() as memory:
        memory.backup(path)
    count = path.stat().st_size
    call.answer({"path": str(path), "bytes": count}, lambda page: page.line(f"copied to {path}, {size(count)}"))


def reindex(call: Invocation) -> None:
    """Embed everything again with the encoder of the settings.

    A vector index named in the settings gets the records it lacks. An interrupted run continues where it stopped.
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
    """Release unused space in the file.

    The file is rewritten without gaps; other processes wait in the meantime.
    """
    from foveal.doors.cli.output import size

    with call.memory() as memory:
        freed = memory.vacuum()
    call.answer(
        {"bytes": freed}, lambda page: page.line(f"gave {size(freed)} back" if freed else "nothing to give back")
    )
