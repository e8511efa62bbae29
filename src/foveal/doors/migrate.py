"""A whole store copied into another, both named by their URLs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

from foveal.engine.migrate import migrate as copy
from foveal.errors import Unsupported
from foveal.ports.tables import Copied, Tables
from foveal.urls import names_postgres, sqlite_path


def migrate(source: str, target: str, *, progress: Callable[[int, int], None] = lambda done, total: None) -> Copied:
    """Copy everything that one store holds, of all actors and worlds, into an empty one.

    The source is only read, at one moment. Whatever arrived was compared with what was sent. A copy that was broken
    off goes on where it stopped.
    """
    with closing(open_tables(source, read_only=True)) as old, closing(open_tables(target)) as new:
        return copy(old, new, progress=progress)


def open_tables(url: str, *, read_only: bool = False) -> Tables:
    """The store that a URL or a path names, as its tables."""
    if url.removeprefix("sqlite:///") == ":memory:":
        raise Unsupported("a memory in RAM cannot be copied whole: use `export` and `import`")
    if names_postgres(url):
        return _postgres(url, read_only)
    from foveal.backends.sqlite.tables import SqliteTables

    path, _ = sqlite_path(url)
    return SqliteTables(path, read_only=read_only)


def _postgres(url: str, read_only: bool) -> Tables:
    try:
        from foveal.backends.postgres.tables import PostgresTables
    except ModuleNotFoundError as error:
        raise Unsupported(
            f"{error.name} is not installed: pip install 'foveal[postgres]' to keep memory in Postgres"
        ) from None
    return PostgresTables(url, read_only=read_only)
