"""The commands that import, export, copy and rebuild a memory."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from foveal.doors.cli.invocation import Code, Invocation, argument, option
from foveal.doors.cli.output import Answer, counted, size


def migrate(
    call: Invocation,
    source: Annotated[str, option("--from", "URL", "The store to copy: a path, sqlite:///path or postgresql://…")],
    target: Annotated[str, option("--to", "URL", "The target: a file or database that holds no memory yet.")],
) -> Answer:
    """Copy a whole store to another, with all actors and worlds.

    The source is only read. An interrupted copy continues where it stopped.
    """
    from foveal.compose import migrate as copy

    done = copy(source, target, progress=call.progress("Copying"))
    fresh = done.actors - done.known
    lines = [f"from {done.source}", f"to   {done.target}"]
    if fresh or not done.actors:
        lines.append(f"copied {counted(fresh, 'actor')}; counts and checksums agree")
    if done.known:
        lines.append(f"{counted(done.known, 'actor')} copied before, and not changed in the source since")
    return Answer(done, [*lines, f"{counted(done.rows, 'row')} in all"])


Target = Annotated[Path, argument("FILE", "A file that does not exist yet.")]


def import_(
    call: Invocation, path: Annotated[Path, argument("FILE", "A file that `foveal export` wrote.")]
) -> Answer:
    """Import an exported file into a memory.

    Records that exist already are not changed.
    """
    with call.memory(fresh=True) as memory:
        imported = memory.import_(path)
    text = (
        f"imported {counted(imported.records, 'record')}, {counted(imported.versions, 'later version')}, "
        f"{counted(imported.links, 'link')}; {imported.known:,} known already"
    )
    notes = [f"{path}, line {rejected.index + 1}: {rejected.message}" for rejected in imported.rejected]
    return Answer(imported, text, notes=notes, code=Code.INVALID if imported.rejected else Code.OK)


def export(call: Invocation, path: Target) -> Answer:
    """Write the whole memory of an actor to a file of JSON lines."""
    with call.memory() as memory:
        count = memory.export(path)
    length = path.stat().st_size
    done = {"path": str(path), "records": count, "bytes": length}
    return Answer(done, f"exported {counted(count, 'record')} to {path}, {size(length)}")


def backup(call: Invocation, path: Target) -> Answer:
    """Copy the whole memory file, with all actors, while it is in use."""
    with call.memory() as memory:
        memory.backup(path)
    count = path.stat().st_size
    return Answer({"path": str(path), "bytes": count}, f"copied to {path}, {size(count)}")


def reindex(call: Invocation) -> Answer:
    """Embed everything again with the encoder of the settings.

    A vector index named in the settings gets the records it lacks. An interrupted run continues where it stopped.
    """
    with call.memory() as memory:
        done = memory.reindex(progress=call.progress("Reindexing"))
    lines = [f"embedded {counted(done.versions, 'version')} with {done.encoder}"]
    if done.indexed is not None:
        lines.append(f"the index of vectors took in {counted(done.indexed, 'record')}")
    return Answer(done, lines)


def vacuum(call: Invocation) -> Answer:
    """Release unused space in the file.

    The file is rewritten without gaps; other processes wait in the meantime.
    """
    with call.memory() as memory:
        freed = memory.vacuum()
    return Answer({"bytes": freed}, f"gave {size(freed)} back" if freed else "nothing to give back")
