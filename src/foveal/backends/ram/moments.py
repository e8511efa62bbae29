"""The named moments of the reference store, and what changed between them."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Sequence
from datetime import datetime

import msgspec

from foveal.backends.ram.organism import Organism
from foveal.errors import Conflict
from foveal.model.crystal import Changes, Snapshot
from foveal.model.record import Record
from foveal.model.sight import Sight, Viewpoint
from foveal.rules.moments import changes_of


class Moments:
    """The snapshots of an organism."""

    _lock: threading.RLock
    _organisms: dict[tuple[str, str], Organism]

    @abstractmethod
    def _organism(self, sight: Sight) -> Organism: ...

    @abstractmethod
    def _require_open(self) -> None: ...

    @abstractmethod
    def get(self, sight: Sight, ids: Sequence[str]) -> list[Record]:
        """The visible ones of these records."""
        ...

    def put_snapshot(self, viewpoint: Viewpoint, snapshot: Snapshot, *, dated: bool = False) -> Snapshot:
        """Take a snapshot: its moment is not before anything that is stored."""
        with self._lock:
            self._require_open()
            organism = self._organisms.setdefault(viewpoint.organism, Organism())
            if any(one.id == snapshot.id for one in organism.snapshots):
                raise Conflict(f"the id {snapshot.id} is taken", snapshot_id=snapshot.id)
            moments = [version.record.recorded_at for life in organism.versions.values() for version in life]
            moments += [one.forgotten_at for one in organism.vitals.values() if one.forgotten_at]
            moments += [end for spans in organism.oblivions.values() for _, end in spans]
            moments += [*organism.erased.values(), *(one.taken_at for one in organism.snapshots)]
            at = snapshot.taken_at if dated else max([snapshot.taken_at, *moments])
            taken = msgspec.structs.replace(snapshot, taken_at=at)
            organism.snapshots.append(taken)
            return taken

    def snapshots(self, viewpoint: Viewpoint) -> list[Snapshot]:
        """The snapshots of an organism, oldest first."""
        with self._lock:
            self._require_open()
            organism = self._organisms.get(viewpoint.organism) or Organism()
            return sorted(organism.snapshots, key=lambda one: (one.taken_at, one.id))

    def changes(self, sight: Sight, since: datetime, until: datetime) -> Changes:
        """What changed after `since` and up to `until`, as far as `sight` sees it."""
        with self._lock:
            organism = self._organism(sight)
            present = msgspec.structs.replace(sight, hidden=True, as_of=None, valid_at=None, where=None)
            lives = [
                (
                    [organism.shown(version) for version in organism.versions[one.id]],
                    organism.oblivions.get(one.id, ()),
                )
                for one in self.get(present, list(organism.versions))
            ]
            root = sight.owner or sight.viewpoint.node == "/"
            erased = [one for one, at in organism.erased.items() if since < at <= until] if root else []
            return changes_of(lives, erased, since, until)
