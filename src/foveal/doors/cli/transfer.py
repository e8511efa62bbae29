"""The commands that import, export, copy and rebuild a memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

from foveal.doors.cli.invocation import Code, Invocation, argument, flag, option
from foveal.doors.cli.output import Answer, counted, size
from foveal.errors import Conflict, Invalid


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
    call: Invocation, path: Annotated[Path, argument("FILE", "What `foveal export` wrote, or any JSON lines.")]
) -> Answer:
    """Import an exported file, or any JSON lines.

    Of JSON lines, each object is a memory with a text, content or memory; or a chat message. What is no detail of a
    record becomes metadata. What is known already is not changed.
    """
    if not _is_export(path):
        return _import_lines(call, path)
    with call.memory(fresh=True) as memory:
        imported = memory.admin.import_(path)
    text = (
        f"imported {counted(imported.records, 'record')}, {counted(imported.versions, 'later version')}, "
        f"{counted(imported.links, 'link')}; {imported.known:,} known already"
    )
    notes = [f"{path}, line {rejected.index + 1}: {rejected.message}" for rejected in imported.rejected]
    return Answer(imported, text, notes=notes, code=Code.INVALID if imported.rejected else Code.OK)


def _is_export(path: Path) -> bool:
    from foveal.engine.records.transfer import FORMAT

    try:
        with path.open("rb") as file:
            first = next((line for line in file if line.strip()), b"")
    except OSError as error:
        raise Invalid(f"cannot read {path}: {error.strerror}", path=str(path)) from error
    return b'"format"' in first and FORMAT.encode() in first


def _import_lines(call: Invocation, path: Path) -> Answer:
    import msgspec

    from foveal.doors.cli.json_lines import digest_of, item_of

    items: list[dict[str, Any]] = []
    numbers: list[int] = []
    notes: list[str] = []
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            items.append(item_of(msgspec.json.decode(line, type=dict[str, Any]), digest_of(line)))
            numbers.append(number)
        except (msgspec.DecodeError, Invalid) as error:
            notes.append(f"{path}, line {number}: {error}")
    if not items:
        raise Invalid(
            f"{path} has no JSON lines with a text: {notes[0] if notes else 'it is empty'}", path=str(path)
        )
    show = call.progress("Importing")
    with call.memory(fresh=True) as memory:
        before = memory.stats().records
        written = memory.write_many(_counting(items, show))
        fresh = memory.stats().records - before
    notes += [f"{path}, line {numbers[rejected.index]}: {rejected.message}" for rejected in written.rejected]
    known = len(written.ids) - fresh
    text = f"imported {counted(fresh, 'record')}" + (f"; {known:,} known already" if known else "")
    return Answer(written, text, written.ids, notes=notes, code=Code.INVALID if notes else Code.OK)


def _counting(items: list[dict[str, Any]], show: Callable[[int, int], None]) -> Iterator[dict[str, Any]]:
    for number, item in enumerate(items, 1):
        yield item
        show(number, len(items))


def init(
    call: Invocation,
    path: Annotated[Path, argument("FILE", "The memory file to make.")] = Path("memory.db"),
) -> Answer:
    """Make a memory in this folder, for all commands that run here.

    It writes memory_config.yaml, which names the memory file and the actor.
    """
    from foveal.compose import Memory
    from foveal.config import DEFAULT_ACTOR, FILE

    config = Path(FILE)
    if config.exists():
        raise Conflict(f"{config} exists already: this folder has its settings", path=str(config))
    actor = call.at.get("actor_id", DEFAULT_ACTOR)
    with Memory(path):
        pass
    config.write_text(f"url: {json.dumps(str(path))}\nactor_id: {json.dumps(actor)}\n", encoding="utf-8")
    done = {"url": str(path), "config": str(config), "actor_id": actor}
    lines = [
        f"made {path}, and {config}, which commands in this folder read",
        "next:",
        '  foveal write "I moved to Lyon in May."',
        '  foveal search "Where do I live?"',
        "  foveal console",
    ]
    return Answer(done, lines)


def export(call: Invocation, path: Target) -> Answer:
    """Write the whole memory of an actor to a file of JSON lines."""
    with call.memory() as memory:
        count = memory.admin.export(path)
    length = path.stat().st_size
    done = {"path": str(path), "records": count, "bytes": length}
    return Answer(done, f"exported {counted(count, 'record')} to {path}, {size(length)}")


def backup(call: Invocation, path: Target) -> Answer:
    """Copy the whole store, with all actors, to a new file.

    It stays in use meanwhile. A database is copied to a memory file, too, and `foveal migrate` restores it.
    """
    with call.memory() as memory:
        memory.admin.backup(path)
    count = path.stat().st_size
    return Answer({"path": str(path), "bytes": count}, f"copied to {path}, {size(count)}")


def erase(
    call: Invocation,
    everyone: Annotated[bool, flag("--whole-world", "Erase every actor of the world instead of one.")] = False,
    sure: Annotated[bool, flag("--yes -y", "Erase without asking; nothing can bring it back.")] = False,
) -> Answer:
    """Erase all of an actor, or of a whole world, for good.

    Prints a receipt of what was looked at and removed.
    """
    if not sure:
        raise Invalid("this cannot be undone: pass --yes to erase")
    if everyone:
        with call.opened() as store:
            done = store.admin.erase_world(call.options.world or call.settings.policy.default_world)
    else:
        with call.memory() as memory:
            done = memory.admin.erase_actor()
    lines = [f"erased {counted(done.actors, 'actor')} of the world {done.world}"]
    lines += [f"{count:>8,} {name}" for name, count in done.removed.items()]
    notes = ["a reader still holds erased data; it goes when the reader ends"] if done.lingers else []
    return Answer(done, lines, notes=notes)


def repair(call: Invocation, path: Target) -> Answer:
    """Copy what can be read of a damaged file to a new one.

    Indexes, counts and vectors are rebuilt. The damaged file is only read; what cannot be saved is listed.
    """
    from foveal.compose import repair as rebuild
    from foveal.config import load_settings

    settings = load_settings()
    url = call.options.url if call.options.url is not None else settings.url
    done = rebuild(url, path, settings=settings)
    entries = counted(done.rebuilt, "index entry", "index entries")
    text = (
        f"saved {counted(done.records, 'record')} in {done.target}; "
        f"computed {entries} and {counted(done.encoded, 'vector')} again"
    )
    notes = [*(f"damaged: {name}" for name in done.mended), *(f"lost: {name}" for name in done.lost)]
    return Answer(done, text, notes=notes, code=Code.CORRUPT if done.lost else Code.OK)


def reindex(call: Invocation) -> Answer:
    """Embed everything again with the encoder of the settings.

    A vector index named in the settings gets the records it lacks, and the second look its vectors. An interrupted
    run continues where it stopped.
    """
    with call.memory() as memory:
        done = memory.admin.reindex(progress=call.progress("Reindexing"))
    lines = [f"embedded {counted(done.versions, 'version')} with {done.encoder}"]
    if done.indexed is not None:
        lines.append(f"the index of vectors took in {counted(done.indexed, 'record')}")
    if done.looked_at is not None:
        lines.append(f"the second look took in {counted(done.looked_at, 'version')}")
    return Answer(done, lines)


def vacuum(call: Invocation) -> Answer:
    """Release unused space in the file.

    The file is rewritten without gaps; other processes wait in the meantime.
    """
    with call.memory() as memory:
        freed = memory.admin.vacuum()
    return Answer({"bytes": freed}, f"gave {size(freed)} back" if freed else "nothing to give back")
