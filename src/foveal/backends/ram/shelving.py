"""What an index of vectors follows the reference store by."""

from __future__ import annotations

import threading
from datetime import datetime

import msgspec

from foveal.backends.ram.organism import Organism, Version
from foveal.model.shelf import Mark, Shelf, Shelved
from foveal.model.sight import Viewpoint
from foveal.ports.entry import Encoder


class Shelving:
    """Vectors in the order of their keys."""

    _lock: threading.RLock
    _organisms: dict[tuple[str, str], Organism]
    _owners: dict[int, Version]
    _encoder: Encoder | None
    _generation: int = 0

    def shelved_after(self, viewpoint: Viewpoint, encoder: Encoder, mark: Mark | None, limit: int) -> Shelf:
        """The records whose newest version came after the mark, with the mark behind them."""
        with self._lock:
            known = self._from(viewpoint, encoder, mark)
            found = self._after(viewpoint, encoder, known)[:limit]
            rows = tuple(
                Shelved(id=one.record.id, kind=one.record.kind, vectors=one.vectors[encoder.id]) for one in found
            )
            seq = found[-1].key if found else known.seq
            held = [one for one in self._versions_of(viewpoint) if one.key <= seq]
            last = max(held, key=lambda one: one.key).record.id if held else ""
            reached = msgspec.structs.replace(known, seq=seq, last=last)
            return Shelf(rows=rows, mark=reached, anew=known is not mark)

    def count_shelved(self, viewpoint: Viewpoint, encoder: Encoder, mark: Mark | None) -> int:
        """How many records are yet to come."""
        with self._lock:
            return len(self._after(viewpoint, encoder, self._from(viewpoint, encoder, mark)))

    def erased_since(self, viewpoint: Viewpoint, since: datetime | None) -> list[tuple[str, datetime]]:
        """The ids that were erased at or after a moment, or ever, and when."""
        with self._lock:
            erased = self._organisms.get(viewpoint.organism, Organism()).erased
            found = [(one, at) for one, at in erased.items() if since is None or at >= since]
            return sorted(found, key=lambda pair: pair[1])

    def _from(self, viewpoint: Viewpoint, encoder: Encoder, mark: Mark | None) -> Mark:
        if mark is not None and (mark.encoder, mark.generation) == (encoder.id, self._generation):
            organism = self._organisms.get(viewpoint.organism, Organism())
            versions = organism.versions.get(mark.last, ())
            if mark.last in organism.tombstones or any(one.key <= mark.seq for one in versions):
                return mark
        return Mark(encoder=encoder.id, generation=self._generation)

    def _after(self, viewpoint: Viewpoint, encoder: Encoder, mark: Mark) -> list[Version]:
        newest = (
            one
            for one in self._versions_of(viewpoint)
            if one.record.superseded_at is None and one.key > mark.seq and encoder.id in one.vectors
        )
        return sorted(newest, key=lambda one: one.key)

    def _versions_of(self, viewpoint: Viewpoint) -> list[Version]:
        organism = self._organisms.get(viewpoint.organism, Organism())
        return [one for versions in organism.versions.values() for one in versions]
