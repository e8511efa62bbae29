"""Which encoder made the vectors of the reference store, and how another takes its place."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from foveal.backends.ram.shelving import Shelving
from foveal.model.record import Record
from foveal.ports.entry import Encoder


class Encoding(Shelving):
    """Vectors are made beside those in use, so that reads go on until all are there."""

    def encoder(self) -> Encoder | None:
        """The encoder whose vectors are searched, or None before the first."""
        return self._encoder

    def unencoded(self, encoder: Encoder, limit: int) -> list[Record]:
        """Versions that have no vector of this encoder yet."""
        with self._lock:
            waiting = [one for one in self._owners.values() if encoder.id not in one.vectors]
            return [version.record for version in waiting[:limit]]

    def count_unencoded(self, encoder: Encoder) -> int:
        """How many versions have no vector of this encoder yet."""
        with self._lock:
            return sum(encoder.id not in version.vectors for version in self._owners.values())

    def encode(self, encoder: Encoder, vectors: Sequence[tuple[Record, NDArray[np.float32]]]) -> None:
        """Store vectors beside those in use."""
        with self._lock:
            for record, rows in vectors:
                organism = self._organisms[(record.world, record.actor_id)]
                for version in organism.versions.get(record.id, ()):
                    if version.record.version == record.version and encoder.id not in version.vectors:
                        version.vectors[encoder.id] = rows
                        version.record = msgspec.structs.replace(version.record, address=record.address)
                        organism.origins.pop(version.key, None)
                        organism.mirror = None
            if encoder == self._encoder:
                self._generation += 1

    def adopt(self, encoder: Encoder) -> bool:
        """Search this encoder's vectors from now on and drop the others; False while some are missing."""
        with self._lock:
            if self.count_unencoded(encoder):
                return False
            self._generation += encoder != self._encoder
            self._encoder = encoder
            for version in self._owners.values():
                version.vectors = {encoder.id: version.vectors[encoder.id]}
            for organism in self._organisms.values():
                organism.mirror = None
                organism.leave_tapes(encoder.id)
            return True
