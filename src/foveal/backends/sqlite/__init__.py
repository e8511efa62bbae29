"""The default store: one SQLite file that many processes may open."""

from foveal.backends.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
