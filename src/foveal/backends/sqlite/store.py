"""A memory in a SQLite file, which can be copied and checked while others go on."""

from __future__ import annotations

from pathlib import Path

import apsw

from foveal.backends.sql.store import SqlStore
from foveal.backends.sqlite.connection import Connections, Synchronous, translated
from foveal.backends.sqlite.counting import Counting
from foveal.backends.sqlite.dialect import DIALECT
from foveal.errors import Conflict, Invalid
from foveal.ports.store import Capability

# What is left of them at `:memory:`.
IN_MEMORY_CAPABILITIES = frozenset({Capability.BACKUP})


class SqliteStore(SqlStore, Counting):
    """Everything in one file, for any number of threads and processes; at `:memory:` in no file, for one process.

    `synchronous` NORMAL survives a killed process, FULL also a power cut.
    """

    capabilities = frozenset({Capability.DURABLE, Capability.BACKUP, Capability.MANY_PROCESSES})

    def __init__(self, path: str | Path, *, synchronous: Synchronous = "NORMAL", read_only: bool = False) -> None:
        self._db = Connections(Path(path), synchronous=synchronous, read_only=read_only)
        super().__init__(self._db, DIALECT)
        if self._db.in_memory:
            self.capabilities = IN_MEMORY_CAPABILITIES

    def backup(self, path: str) -> None:
        """A consistent copy of everything, made while others go on; of a memory in RAM, while others read."""
        target = Path(path)
        if target.exists():
            raise Conflict(f"{target} exists already", path=path)
        if not target.parent.is_dir():
            raise Invalid(f"there is no folder {target.parent} to back up into", path=path)
        unfinished = target.with_name(f".{target.name}.unfinished")
        with translated(target), self._db.apart() as source:
            unfinished.unlink(missing_ok=True)
            unfinished.touch(mode=0o600)
            try:
                copy = apsw.Connection(str(unfinished))
                with copy.backup("main", source, "main") as running:
                    running.step()
                copy.close()
                unfinished.rename(target)
            finally:
                unfinished.unlink(missing_ok=True)

    def vacuum(self) -> int:
        """Write the file anew without its gaps. Gives how many bytes it is smaller; others wait meanwhile."""
        with self._db.maintaining() as db:
            if self._db.in_memory:
                # SQLite never makes its piece of memory smaller: gaps are filled by what is written next.
                return 0
            before = self._db.path.stat().st_size
            db.execute("vacuum")
        self._db.cut_log()
        return max(0, before - self._db.path.stat().st_size)

    def check(self) -> list[str]:
        """What is wrong with the file, in words; nothing when all is well."""
        with self._db.apart() as db:
            found = [str(row[0]) for row in db.execute("pragma integrity_check")]
            orphans = [f"foreign key: {row[0]} row {row[1]}" for row in db.execute("pragma foreign_key_check")]
            return [one for one in found if one != "ok"] + orphans

    def close(self) -> None:
        """Close the file."""
        self._looked_up.clear()
        self._db.close()
