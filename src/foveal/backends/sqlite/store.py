"""`SqliteStore`: a store in a file or in memory, with backup, checks and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import msgspec

from foveal.backends.sql.caches import Caches
from foveal.backends.sql.records import Counts
from foveal.backends.sql.rows import NONE, from_micros_or_none, tier_of
from foveal.backends.sql.search import Search
from foveal.backends.sql.session import Organism, Transaction
from foveal.backends.sql.store import SqlStore
from foveal.backends.sqlite.connection import DIALECT, Connections, Synchronous, translated
from foveal.errors import Conflict, Invalid
from foveal.model.query import Access
from foveal.model.results import Stats
from foveal.model.server import ActorQuota
from foveal.ports.store import Capability


class SqliteCounts(Counts):
    """Counts what is visible, in one pass over the records."""

    def _visible_stats(self, access: Access) -> Stats:
        with self._session.reading(access.viewpoint) as db:
            active = self._vectors.active(db)
            rows = self._counted(db, access, "counts_seen", {})
            tiers, held, kinds, scopes = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
            ids, regions, sessions = set[str](), set[str](), set[str | None]()
            for row in rows:
                name = tier_of(row.tier).name.lower()
                tiers[name] += row.records
                held[name] += 0 if row.archived else row.records
                kinds[row.kind] += row.records
                scopes[row.scope] += row.records
                ids.update(_names(row.ids))
                regions.update(_names(row.regions))
                sessions.update(_names(row.sessions))
            other_versions, size = self._other_versions(db, access) if rows else (0, 0)
            return Stats(
                records=len(ids),
                versions=len(ids) + other_versions,
                links=_links_between(db, ids, db.existing_organism(access.viewpoint)) if rows else 0,
                pinned=sum(row.pinned for row in rows),
                archived=sum(row.records for row in rows if row.archived),
                pending=self._pending(db, access, active[0] if active else NONE) if rows else 0,
                tiers=dict(sorted(tiers.items())),
                held=dict(sorted((+held).items())),
                kinds=dict(sorted(kinds.items())),
                scopes=dict(sorted(scopes.items())),
                regions=len(regions),
                sessions=len(sessions - {None}),
                first_at=from_micros_or_none(min((row.first_at for row in rows), default=None)),
                last_at=from_micros_or_none(max((row.last_at for row in rows), default=None)),
                bytes=sum(row.bytes for row in rows) + size,
                encoder=active[1].id if active else None,
            )

    def _other_versions(self, db: Transaction, access: Access) -> tuple[int, int]:
        """How many other versions the visible records have, and their total length."""
        [(count, size)] = self._seen(db, access, "versions_beside_seen", {})
        return count, size

    def _pending(self, db: Transaction, access: Access, encoder: int) -> int:
        """How many visible versions have no vector yet."""
        organism = db.existing_organism(access.viewpoint)
        # Usually none, which two counts of the whole organism show cheaply.
        if not db.value("versions_without_vectors", {**organism, "encoder": encoder}):
            return 0
        [(pending,)] = self._counted(db, access, "pending_of_seen", {"encoder": encoder})
        return pending


def _names(listed: str) -> list[Any]:
    return msgspec.json.decode(listed)


def _links_between(db: Transaction, ids: Set[str], organism: Organism) -> int:
    """How many links connect two of these records."""
    pairs = db.run("links_of_organism", organism)
    return sum(source in ids and target in ids for source, target in pairs)


# What a store at `:memory:` can do.
IN_MEMORY_CAPABILITIES = frozenset({Capability.BACKUP})


class SqliteStore(SqlStore):
    """A store in one file, for any number of threads and processes; at `:memory:`, in the RAM of one process.

    With `synchronous` NORMAL, writes survive a killed process; with FULL, a power cut too.
    """

    capabilities = frozenset({Capability.DURABLE, Capability.BACKUP, Capability.MANY_PROCESSES})

    def __init__(
        self,
        path: str | Path,
        *,
        synchronous: Synchronous = "NORMAL",
        read_only: bool = False,
        quota: ActorQuota | None = None,
        timeout: timedelta | None = None,
    ) -> None:
        self._db = Connections(Path(path), synchronous=synchronous, read_only=read_only, timeout=timeout)
        self._caches = Caches()
        super().__init__(self._db, DIALECT, self._caches, quota)
        self.counts = SqliteCounts(self._db, DIALECT, self.vectors, self.usage)
        self.search = Search(self._db, DIALECT, self.records, self._caches)
        if self._db.in_memory:
            self.capabilities = IN_MEMORY_CAPABILITIES

    def backup(self, path: str) -> None:
        """Make a consistent copy without blocking other readers and writers; in RAM, writers wait."""
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
        """Rewrite the file without unused space, while others wait. Returns how many bytes smaller it is."""
        with self._db.maintaining() as db:
            if self._db.in_memory:
                # SQLite never shrinks a database in memory; it reuses the space for later writes.
                return 0
            before = self._db.path.stat().st_size
            db.execute("vacuum")
        self._db.cut_log()
        return max(0, before - self._db.path.stat().st_size)

    def check(self) -> list[str]:
        """Descriptions of what is wrong with the file; empty if nothing is."""
        with self._db.apart() as db:
            problems = [str(row[0]) for row in db.execute("pragma integrity_check")]
            orphans = [f"foreign key: {row[0]} row {row[1]}" for row in db.execute("pragma foreign_key_check")]
            return [problem for problem in problems if problem != "ok"] + orphans

    def close(self) -> None:
        """Close the file."""
        self._caches.looked_up.clear()
        self._db.close()
