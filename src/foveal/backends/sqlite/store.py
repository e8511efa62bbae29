"""`SqliteStore`: opens the file (or memory), backup, checks and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from pathlib import Path
from typing import Any

import apsw
import msgspec

from foveal.backends.sql.links import Links
from foveal.backends.sql.rows import NONE, from_micros_or_none
from foveal.backends.sql.session import Organism, Transaction
from foveal.backends.sql.store import SqlStore
from foveal.backends.sql.vectors import Vectors
from foveal.backends.sqlite.connection import DIALECT, Connections, Synchronous, translated
from foveal.errors import Conflict, Invalid
from foveal.model.query import Access
from foveal.model.record import Tier
from foveal.model.results import Stats
from foveal.ports.store import Capability


class Counting(Vectors, Links):
    """How much of a memory is visible, in one pass through it."""

    def stats(self, access: Access) -> Stats:
        """How much of it is visible."""
        with self._session.reading(access.viewpoint) as db:
            active = self._active(db)
            rows = self._counted(db, access, "counts_seen")
            tiers, held, kinds, scopes = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
            ids, regions, sessions = set[str](), set[str](), set[str | None]()
            for tier, kind, scope, archived, count, *_, named, lying, said in rows:
                name = Tier(tier).name.lower()
                tiers[name] += count
                held[name] += 0 if archived else count
                kinds[kind] += count
                scopes[scope] += count
                ids.update(_names(named))
                regions.update(_names(lying))
                sessions.update(_names(said))
            beside, size = self._beside(db, access) if rows else (0, 0)
            return Stats(
                records=len(ids),
                versions=len(ids) + beside,
                links=_within(db, ids, db.existing_organism(access.viewpoint)) if rows else 0,
                pinned=sum(row[5] for row in rows),
                archived=sum(row[4] for row in rows if row[3]),
                pending=self._pending(db, access, active[0] if active else NONE) if rows else 0,
                tiers=dict(sorted(tiers.items())),
                held=dict(sorted((+held).items())),
                kinds=dict(sorted(kinds.items())),
                scopes=dict(sorted(scopes.items())),
                regions=len(regions),
                sessions=len(sessions - {None}),
                first_at=from_micros_or_none(min((row[6] for row in rows), default=None)),
                last_at=from_micros_or_none(max((row[7] for row in rows), default=None)),
                bytes=sum(row[8] for row in rows) + size,
                encoder=active[1].id if active else None,
            )

    def _beside(self, db: Transaction, access: Access) -> tuple[int, int]:
        """How many other versions the visible records have, and how long those are."""
        seen = self._access(db, access)
        [(count, size)] = db.run("versions_beside_seen", seen[1], visible=seen[0]) if seen else [(0, 0)]
        return count, size

    def _pending(self, db: Transaction, access: Access, encoder: int) -> int:
        """How many versions wait for their vectors. Mostly none do, which is known by two numbers."""
        organism = db.existing_organism(access.viewpoint)
        if not db.value("versions_without_vectors", {**organism, "encoder": encoder}):
            return 0
        [(pending,)] = self._counted(db, access, "pending_of_seen", encoder=encoder)
        return pending


def _names(listed: str) -> list[Any]:
    return msgspec.json.decode(listed)


def _within(db: Transaction, ids: Set[str], organism: Organism) -> int:
    """How many links tie two of these records."""
    pairs = db.run("links_of_organism", organism)
    return sum(source in ids and target in ids for source, target in pairs)


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
