"""A SQLite file as a whole: copied and checked while others go on."""

from __future__ import annotations

from pathlib import Path

import apsw

from foveal.backends.sqlite.connection import Connections, translated
from foveal.errors import Conflict, Invalid


class Upkeep:
    """Copies and checks of the file."""

    _db: Connections

    def backup(self, path: str) -> None:
        """A consistent copy of everything, made while others go on."""
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
        before = self._db.path.stat().st_size
        with self._db.maintaining() as db:
            db.execute("vacuum")
        self._db.cut_log()
        return max(0, before - self._db.path.stat().st_size)

    def check(self) -> list[str]:
        """What is wrong with the file, in words; nothing when all is well."""
        with self._db.apart() as db:
            found = [str(row[0]) for row in db.execute("pragma integrity_check")]
            orphans = [f"foreign key: {row[0]} row {row[1]}" for row in db.execute("pragma foreign_key_check")]
            return [one for one in found if one != "ok"] + orphans
