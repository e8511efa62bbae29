"""A memory in a SQLite file."""

from __future__ import annotations

from pathlib import Path

from foveal.backends.sql.store import SqlStore
from foveal.backends.sqlite.connection import Connections, Synchronous
from foveal.backends.sqlite.counting import Counting
from foveal.backends.sqlite.dialect import DIALECT
from foveal.backends.sqlite.upkeep import Upkeep
from foveal.ports.store import Capability


class SqliteStore(SqlStore, Counting, Upkeep):
    """Everything in one file, for any number of threads and processes.

    `synchronous` NORMAL survives a killed process, FULL also a power cut.
    """

    capabilities = frozenset({Capability.DURABLE, Capability.BACKUP, Capability.MANY_PROCESSES})

    def __init__(self, path: str | Path, *, synchronous: Synchronous = "NORMAL", read_only: bool = False) -> None:
        self._db = Connections(Path(path), synchronous=synchronous, read_only=read_only)
        super().__init__(self._db, DIALECT)

    def close(self) -> None:
        """Close the file."""
        self._looked_up.clear()
        self._db.close()
