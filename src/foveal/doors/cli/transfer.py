"""The commands that import, export, copy and rebuild a memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

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


def export(
    call: Invocation,
    path: Annotated[Path, argument("FILE", "A file or folder that does not exist yet.")],
    form: Annotated[str, option("--format", "NAME", "jsonl, a file; or markdown, a folder of notes.")] = "jsonl",
) -> Answer:
    """Write the whole memory of an actor to a file, or as Markdown notes.

    Both hold all versions and links, and foveal import takes both back. A note opens in any editor.
    """
    if form not in ("jsonl", "markdown"):
        raise Invalid(f"{form!r} is not a format of an export; use jsonl or markdown")
    if form == "markdown":
        from foveal.importers.vault import write_notes

        with call.memory() as memory:
            count = write_notes(path, memory.admin.export)
        return Answer(
            {"path": str(path), "records": count}, f"exported {counted(count, 'record')} to notes in {path}"
        )
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
