"""Renditions and leases of the reference store."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Sequence
from datetime import datetime, timedelta

from foveal.backends.ram.organism import Organism
from foveal.model.rendition import Rendition, Subject
from foveal.model.sight import Sight, Viewpoint


class Renditions:
    """What many records say together, shorter, and who does which job."""

    _lock: threading.RLock
    _organisms: dict[tuple[str, str], Organism]
    _leases: dict[str, tuple[str, datetime]]
    _jobs: dict[str, datetime]

    @abstractmethod
    def _organism(self, sight: Sight) -> Organism: ...

    def unsummarised(
        self, kind: Subject, viewpoint: Viewpoint | None, before: datetime, limit: int
    ) -> list[tuple[Viewpoint, str]]:
        """Sessions or regions, of one organism or of all, that have grown since they were last summed up."""
        with self._lock:
            found = [
                (Viewpoint(world=world, actor_id=actor), subject)
                for (world, actor), organism in self._organisms.items()
                if viewpoint is None or viewpoint.organism == (world, actor)
                for one, subject in sorted(organism.unsummarised)
                if one == kind and _quiet(organism, kind, subject, before)
            ]
            return found[:limit]

    def summarise(self, viewpoint: Viewpoint, kind: Subject, subject: str, made: Sequence[Rendition]) -> None:
        """Put these renditions in the place of those a session or region had."""
        with self._lock:
            organism = self._organisms[viewpoint.organism]
            organism.unsummarised.discard((kind, subject))
            others = [one for one in organism.renditions if (one.kind, one.subject) != (kind, subject)]
            organism.renditions = [*others, *made]

    def renditions(
        self, sight: Sight, kind: Subject, *, subjects: Sequence[str] | None = None, limit: int
    ) -> list[Rendition]:
        """The renditions that may be seen, of some sessions or regions or of all, latest first."""
        with self._lock:
            organism = self._organism(sight)
            found = [
                one
                for one in organism.renditions
                if one.kind == kind
                and (subjects is None or one.subject in subjects)
                and all(_as_it_was(organism, sight, *source) for source in one.sources)
            ]
            found.sort(key=lambda one: (one.subject, one.node, one.scope))
            return sorted(found, key=lambda one: one.last_at, reverse=True)[:limit]

    def lease(self, name: str, holder: str, now: datetime, span: timedelta) -> bool:
        """Take or prolong a lease: false while another holds it."""
        with self._lock:
            known = self._leases.get(name)
            if known is not None and known[0] != holder and known[1] > now:
                return False
            self._leases[name] = (holder, now + span)
            return True

    def release(self, name: str, holder: str) -> None:
        """Give a lease back."""
        with self._lock:
            if self._leases.get(name, ("",))[0] == holder:
                del self._leases[name]

    def ran_at(self, name: str) -> datetime | None:
        """When a job was last done."""
        return self._jobs.get(name)

    def ran(self, name: str, at: datetime) -> None:
        """Note that a job was done."""
        with self._lock:
            self._jobs[name] = at


def _as_it_was(organism: Organism, sight: Sight, record_id: str, version: int) -> bool:
    return any(one.version == version for one in organism.seen(sight, record_id))


def _quiet(organism: Organism, kind: Subject, subject: str, before: datetime) -> bool:
    if kind is Subject.REGION:
        return not any(
            (one.kind, one.subject) == (kind, subject) and one.made_at > before for one in organism.renditions
        )
    return not any(
        version.record.session_id == subject and version.record.recorded_at > before
        for versions in organism.versions.values()
        for version in versions
    )
