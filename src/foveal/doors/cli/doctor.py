"""The command that examines a memory file, and whether this machine keeps what is written."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from foveal.doors.cli.call import Call
from foveal.doors.cli.exits import Code
from foveal.doors.cli.findings import Look, Wrong, health_looks, matching_vectors
from foveal.errors import FovealError

if TYPE_CHECKING:
    from foveal.config import Settings
    from foveal.doors.cli.page import Page


@dataclass(frozen=True)
class Finding:
    """One line of the examination."""

    check: str
    ok: bool
    detail: str


def doctor(call: Call) -> None:
    """Examine the memory, and try a crash.

    A file is opened for reading only; of a database, the server and its extension are looked at, too. The crash
    is tried in a temporary folder: a process is killed right after a write, and nothing may be lost.
    """
    findings = [_examined(name, look) for name, look in _looks(call)]

    def tell(page: Page) -> None:
        for one in findings:
            style = "" if one.ok else "bold red"
            page.line(f"{'OK' if one.ok else 'FAIL':<5} {one.check:<12} {one.detail}".rstrip(), style=style)

    well = all(one.ok for one in findings)
    call.answer({"ok": well, "checks": [asdict(one) for one in findings]}, tell)
    if not well:
        raise typer.Exit(Code.FAILED)


def _examined(name: str, look: Look) -> Finding:
    try:
        return Finding(name, True, look())
    except Wrong as wrong:
        return Finding(name, False, str(wrong))
    except FovealError as error:
        return Finding(name, False, f"{error.message} ({error.code})")


def _looks(call: Call) -> Iterator[tuple[str, Look]]:
    from foveal.config import load_settings, names_postgres, sqlite_path

    settings = load_settings()
    url = call.options.url if call.options.url is not None else settings.url
    yield "python", lambda: f"{sys.version.split()[0]} on {sys.platform}"
    yield "sqlite", _sqlite
    yield "encoder", lambda: _encoder(settings)
    if url == ":memory:":
        yield "file", lambda: "none: the memory lives in the process"
    elif names_postgres(url):
        from foveal.doors.cli.database import database_looks

        yield from database_looks(str(url), settings)
        yield from _index_looks(str(url), settings)
    else:
        path, _ = sqlite_path(url)
        if path.exists():
            yield from _file_looks(path, settings)
            yield from _index_looks(_reading(path), settings)
        else:
            yield "file", lambda: _can_be_made(path)
    if settings.redis is not None:
        from foveal.doors.cli.shared import redis_look

        yield "redis", lambda: redis_look(settings)
    yield "crash", _crash


def _file_looks(path: Path, settings: Settings) -> Iterator[tuple[str, Look]]:
    yield "file", lambda: _ours(path, settings)
    yield "schema", lambda: _schema(path)
    yield "integrity", lambda: _integrity(path, settings)
    yield "vectors", lambda: _vectors(path, settings)
    yield "sizes", lambda: _sizes(path)
    yield "permissions", lambda: _permissions(path)
    yield from health_looks(_reading(path), settings)


def _index_looks(url: str, settings: Settings) -> Iterator[tuple[str, Look]]:
    if settings.vector_index is not None:
        from foveal.doors.cli.shared import index_look

        yield "index", lambda: index_look(url, settings)


def _sqlite() -> str:
    import apsw

    return f"{apsw.sqlite_lib_version()} (apsw {apsw.apsw_version()})"


def _encoder(settings: Settings) -> str:
    from foveal.compose import open_embedder

    embedder = open_embedder(None, settings)
    found = embedder.embed(["a short text"])
    if found.shape != (1, embedder.dimension):
        raise Wrong(f"{embedder.id} answered with {found.shape}, not (1, {embedder.dimension})")
    return f"{embedder.id}, {embedder.dimension} dimensions"


def _can_be_made(path: Path) -> str:
    near = next(one for one in path.absolute().parents if one.exists())
    if not os.access(near, os.W_OK):
        raise Wrong(f"there is none at {path}, and {near} cannot be written")
    return f"none yet at {path}; the first write makes it"


def _reading(path: Path) -> str:
    from urllib.parse import quote

    return f"sqlite:///{quote(str(path.absolute()))}?mode=ro"


def _ours(path: Path, settings: Settings) -> str:
    from foveal.compose import Memory

    Memory(_reading(path), settings=settings).close()
    return str(path)


def _schema(path: Path) -> str:
    import apsw

    from foveal.backends.sqlite.connection import migrations, translated

    with translated(path):
        file = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        version = int(file.pragma("user_version"))
        file.close()
    newest = len(migrations())
    if version > newest:
        raise Wrong(f"{version}, and this release knows {newest}: upgrade Foveal")
    return f"{version}" if version == newest else f"{version}; the next write brings it to {newest}"


def _integrity(path: Path, settings: Settings) -> str:
    from foveal.compose import Memory

    with Memory(_reading(path), settings=settings) as memory:
        problems = memory.check()
    if problems:
        raise Wrong("; ".join(problems))
    return "every page and every reference is whole"


def _vectors(path: Path, settings: Settings) -> str:
    from foveal.compose import Memory

    with Memory(_reading(path), settings=settings) as memory:
        return matching_vectors(memory.stats(actor_id="doctor").encoder, settings)


def _sizes(path: Path) -> str:
    from foveal.doors.cli.cards import size

    log = Path(f"{path}-wal")
    waiting = log.stat().st_size if log.exists() else 0
    beside = f", log {size(waiting)}" if waiting else ""
    return f"file {size(path.stat().st_size)}{beside}"


def _permissions(path: Path) -> str:
    if not os.access(path, os.R_OK | os.W_OK) or not os.access(path.absolute().parent, os.W_OK):
        raise Wrong(f"{path} or its folder cannot be written")
    if os.name != "posix":
        return "readable and writable"
    mode = path.stat().st_mode & 0o777
    if mode & 0o077:
        raise Wrong(f"{mode:o}: others on this machine can open it: chmod 600 {path}")
    return f"{mode:o}: nobody else can open it"


def _crash() -> str:
    from foveal.doors.cli.crash import lost_by_a_crash

    lost = lost_by_a_crash()
    if lost:
        raise Wrong(lost)
    return "a process killed right after a write lost nothing"
