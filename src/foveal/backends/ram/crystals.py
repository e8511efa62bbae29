"""Crystals of the reference store."""

from __future__ import annotations

import threading
from abc import abstractmethod
from datetime import datetime

import msgspec

from foveal.backends.ram.errands import Errands
from foveal.backends.ram.organism import Organism
from foveal.errors import Conflict, NotFound, Pinned
from foveal.model.crystal import Lineage, Reaped, StateCrystal, TaskState
from foveal.model.sight import Viewpoint
from foveal.rules.crystallizing import lineage_of


class Crystals(Errands):
    """The crystals of an organism, each as bytes: what a caller holds cannot change what is kept."""

    _lock: threading.RLock
    _organisms: dict[tuple[str, str], Organism]

    @abstractmethod
    def _require_open(self) -> None: ...

    def put_crystal(self, viewpoint: Viewpoint, crystal: StateCrystal, *, instead: bool = False) -> None:
        """Store a crystal, in the place of the one with its id if that is said."""
        with self._lock:
            self._require_open()
            kept = self._organisms.setdefault(viewpoint.organism, Organism()).crystals
            seen = {one.crystal_id for one in self._crystals(viewpoint)} if instead else set[str]()
            if crystal.crystal_id in kept and crystal.crystal_id not in seen:
                raise Conflict(f"the id {crystal.crystal_id} is taken", crystal_id=crystal.crystal_id)
            kept[crystal.crystal_id] = msgspec.msgpack.encode(crystal)

    def crystal(self, viewpoint: Viewpoint, crystal_id: str) -> StateCrystal:
        """A whole crystal; of one that was reaped there is only the summary."""
        with self._lock:
            found = [one for one in self._crystals(viewpoint) if one.crystal_id == crystal_id]
            if not found:
                raise NotFound(f"there is no crystal {crystal_id!r} here", crystal_id=crystal_id)
            return found[0]

    def lineages(self, viewpoint: Viewpoint) -> list[Lineage]:
        """Every crystal without its content, oldest first."""
        with self._lock:
            return [lineage_of(one) for one in self._crystals(viewpoint)]

    def ancestry(self, viewpoint: Viewpoint, crystal_id: str) -> list[Lineage]:
        """A crystal and those it comes from, nearest first."""
        with self._lock:
            known = {one.crystal_id: one for one in self.lineages(viewpoint)}
            found = [lineage_of(self.crystal(viewpoint, crystal_id))]
            del known[crystal_id]  # a line that comes back to itself ends
            while (above := known.pop(found[-1].parent_crystal or "", None)) is not None:
                found.append(above)
            return found

    def mark_crystal(
        self,
        viewpoint: Viewpoint,
        crystal_id: str,
        *,
        pinned: bool | None = None,
        touched_at: datetime | None = None,
    ) -> Lineage:
        """Pin a crystal or unpin it, or count a use of it."""
        with self._lock:
            found = self._living(viewpoint, crystal_id)
            marked = msgspec.structs.replace(
                found,
                pinned=found.pinned if pinned is None else pinned,
                touched_at=touched_at or found.touched_at,
                uses=found.uses + (touched_at is not None),
            )
            self._keep(viewpoint, marked)
            return lineage_of(marked)

    def compost_crystal(self, viewpoint: Viewpoint, crystal_id: str, now: datetime, *, hard: bool) -> Reaped:
        """Leave of a crystal its tombstone and summary, or with `hard` the tombstone."""
        with self._lock:
            found = self.crystal(viewpoint, crystal_id) if hard else self._living(viewpoint, crystal_id)
            if found.pinned and found.reaped_at is None:
                raise Pinned(f"{crystal_id} is cherished: uncherish it first", crystal_id=crystal_id)
            if hard:
                self._empty_answers(viewpoint.organism)
            return self._buried(viewpoint, [found], now, hard=hard)

    def reap_crystals(self, viewpoint: Viewpoint, now: datetime) -> Reaped:
        """Compost every crystal whose time is over and that is not pinned."""
        with self._lock:
            living = [one for one in self._crystals(viewpoint) if one.reaped_at is None]
            reaped = self._buried(viewpoint, [one for one in living if one.is_expired(now)], now, hard=False)
            return msgspec.structs.replace(
                reaped,
                skipped_pinned=sum(one.pinned for one in living),
                skipped_unexpired=sum(not one.pinned and not one.is_expired(now) for one in living),
            )

    def _buried(self, viewpoint: Viewpoint, crystals: list[StateCrystal], now: datetime, *, hard: bool) -> Reaped:
        before = self._texts(viewpoint)
        for one in crystals:
            left = msgspec.structs.replace(
                one,
                reaped_at=one.reaped_at or now,
                task_state=TaskState(),
                working_memory={},
                focus_fragments=(),
                history_summary="" if hard else one.history_summary,
            )
            self._keep(viewpoint, left)
        gone = before - self._texts(viewpoint) if crystals else set[bytes]()
        return Reaped(ids=tuple(one.crystal_id for one in crystals), blobs=len(gone))

    def _texts(self, viewpoint: Viewpoint) -> set[bytes]:
        """Every text that a crystal of the organism holds."""
        organism = self._organisms.get(viewpoint.organism) or Organism()
        found: set[bytes] = set()
        for data in organism.crystals.values():
            one = msgspec.msgpack.decode(data, type=StateCrystal)
            found |= {fragment.content.encode() for fragment in one.focus_fragments}
            found.add(one.history_summary.encode())
            if one.reaped_at is None:
                found.add(msgspec.json.encode([one.task_state, one.working_memory]))
        return found

    def _keep(self, viewpoint: Viewpoint, crystal: StateCrystal) -> None:
        self._organisms[viewpoint.organism].crystals[crystal.crystal_id] = msgspec.msgpack.encode(crystal)

    def _living(self, viewpoint: Viewpoint, crystal_id: str) -> StateCrystal:
        found = self.crystal(viewpoint, crystal_id)
        if found.reaped_at is not None:
            raise NotFound(f"{crystal_id} was reaped: only its summary is left", crystal_id=crystal_id)
        return found

    def _crystals(self, viewpoint: Viewpoint) -> list[StateCrystal]:
        self._require_open()
        organism = self._organisms.get(viewpoint.organism) or Organism()
        above = viewpoint.node.rstrip("/") + "/"
        found = [msgspec.msgpack.decode(data, type=StateCrystal) for data in organism.crystals.values()]
        seen = [one for one in found if one.agent == viewpoint.node or one.agent.startswith(above)]
        return sorted(seen, key=lambda one: one.timestamp)
