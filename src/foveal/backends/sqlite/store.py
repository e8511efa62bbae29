"""A memory in a SQLite file."""

from __future__ import annotations

from pathlib import Path

from foveal.backends.mirror import Mirrors
from foveal.backends.sql.crystals import Crystals
from foveal.backends.sql.ledger import Ledger
from foveal.backends.sql.lifecycle import Lifecycle
from foveal.backends.sql.links import Links
from foveal.backends.sql.recall_log import RecallLog
from foveal.backends.sql.records import Records
from foveal.backends.sql.search import Search, key_of
from foveal.backends.sql.server import Server
from foveal.backends.sql.session import Organism
from foveal.backends.sql.tapes import Tapes
from foveal.backends.sql.vectors import Vectors
from foveal.backends.sql.visibility import Visibility
from foveal.backends.sqlite.connection import Connections, Synchronous
from foveal.backends.sqlite.counting import Counting
from foveal.backends.sqlite.dialect import DIALECT
from foveal.backends.sqlite.upkeep import Upkeep
from foveal.ports.store import Capability


class SqliteStore(
    Visibility,
    Records,
    Search,
    Counting,
    Vectors,
    Links,
    Lifecycle,
    RecallLog,
    Crystals,
    Ledger,
    Tapes,
    Server,
    Upkeep,
):
    """Everything in one file, for any number of threads and processes.

    `synchronous` NORMAL survives a killed process, FULL also a power cut.
    """

    _dialect = DIALECT
    capabilities = frozenset({Capability.DURABLE, Capability.BACKUP, Capability.MANY_PROCESSES})

    def __init__(self, path: str | Path, *, synchronous: Synchronous = "NORMAL", read_only: bool = False) -> None:
        self._session = self._db = Connections(Path(path), synchronous=synchronous, read_only=read_only)
        self._mirrors = Mirrors()
        self._looked_up = {}

    def _after_erase(self, organism: Organism) -> bool:
        """Let nothing of what was erased stay in RAM or in the log; False while a reader holds it."""
        self._mirrors.drop(key_of(organism))
        self._looked_up.clear()
        # The log still holds the old pages until it is written back and cut.
        return self._db.cut_log()

    def close(self) -> None:
        """Close the file."""
        self._looked_up.clear()
        self._db.close()
