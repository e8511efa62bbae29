"""The reference store: plain dictionaries behind one lock."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import count

import msgspec
import numpy as np
from numpy.typing import NDArray

from foveal.backends.mirror import packed
from foveal.backends.ram.bonds import Bonds
from foveal.backends.ram.organism import Organism, Version
from foveal.errors import Conflict, EncoderMismatch, NotFound, PreconditionFailed, Unsupported
from foveal.model.record import Record
from foveal.model.sight import Sight, Viewpoint
from foveal.model.trace import Frame, Probe, Setting
from foveal.model.vitals import Vitals
from foveal.ports.store import Capability, Encoder, Entry, Order


class RamStore(Bonds):
    """Everything in this process, gone when it ends. The other stores must answer as it does."""

    capabilities: frozenset[Capability] = frozenset()

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._organisms: dict[tuple[str, str], Organism] = {}
        self._keys = count(1)
        self._owners: dict[int, Version] = {}
        self._encoder: Encoder | None = None

    def append(self, entries: Sequence[Entry], encoder: Encoder) -> list[tuple[Record, bool]]:
        """Store new records, all or none."""
        with self._lock:
            self._require(encoder)
            fresh: dict[tuple[str, str], str] = {}
            for entry in entries:
                self._admit(entry.record, fresh)
            return [self._append(entry, encoder) for entry in entries]

    def _require(self, encoder: Encoder) -> None:
        if self._encoder is None:
            self._encoder = encoder
        elif self._encoder != encoder:
            raise EncoderMismatch(stored=self._encoder.id, given=encoder.id)

    def _admit(self, record: Record, fresh: dict[tuple[str, str], str]) -> None:
        """Refuse what cannot be stored, before anything is, counting what this batch brings."""
        organism = self._organisms.get((record.world, record.actor_id))
        taken = organism is not None and (record.id in organism.versions or record.id in organism.tombstones)
        if record.idempotency_key is not None:
            key = (record.actor_id, record.idempotency_key)
            text = fresh.get(key)
            if text is None and organism is not None and record.idempotency_key in organism.sent:
                earlier = organism.sent[record.idempotency_key]
                if earlier in organism.versions:
                    text = organism.versions[earlier][0].record.text
            if text is not None:
                if text != record.text:
                    raise Conflict("this idempotency key was used for another text", key=record.idempotency_key)
                return
            fresh[key] = record.text
        if taken or fresh.get((record.actor_id, "\x00" + record.id)) is not None:
            raise Conflict(f"the id {record.id} is taken", record_id=record.id)
        fresh[(record.actor_id, "\x00" + record.id)] = ""

    def _append(self, entry: Entry, encoder: Encoder) -> tuple[Record, bool]:
        record = entry.record
        organism = self._organisms.setdefault((record.world, record.actor_id), Organism())
        if record.idempotency_key is not None:
            earlier = organism.sent.get(record.idempotency_key)
            if earlier in organism.versions:
                return organism.shown(organism.versions[earlier][-1]), False
            organism.sent[record.idempotency_key] = record.id
        address = msgspec.structs.replace(record.address, time_slice=organism.slices[record.region])
        organism.slices[record.region] += 1
        stored = msgspec.structs.replace(record, address=address)
        organism.vitals[record.id] = record.vitals
        organism.versions[record.id] = [self._file(organism, stored, entry, encoder)]
        return stored, True

    def _file(self, organism: Organism, record: Record, entry: Entry, encoder: Encoder) -> Version:
        version = Version(key=next(self._keys), record=record, trace=packed(entry.trace))
        self._owners[version.key] = version
        if entry.vectors is not None:
            version.vectors[encoder.id] = entry.vectors
        return version

    def supersede(self, sight: Sight, entry: Entry, encoder: Encoder) -> Record:
        """Add the next version of a record."""
        with self._lock:
            self._require(encoder)
            organism, record = self._organism(sight), entry.record
            newest = self._visible(sight, record.id)
            if record.version != newest.version + 1:
                raise PreconditionFailed(
                    f"{record.id} is at version {newest.version}", record_id=record.id, version=newest.version
                )
            versions = organism.versions[record.id]
            versions[-1].record = msgspec.structs.replace(versions[-1].record, superseded_at=record.recorded_at)
            address = msgspec.structs.replace(record.address, time_slice=organism.slices[record.region])
            organism.slices[record.region] += 1
            organism.vitals[record.id] = record.vitals
            stored = msgspec.structs.replace(record, address=address)
            versions.append(self._file(organism, stored, entry, encoder))
            return stored

    def get(self, sight: Sight, ids: Sequence[str]) -> list[Record]:
        """The visible ones of these records, in the order asked."""
        with self._lock:
            organism = self._organism(sight)
            return [record for one in dict.fromkeys(ids) for record in organism.seen(sight, one)]

    def history(self, sight: Sight, record_id: str) -> list[Record]:
        """All versions of a record that is visible now, oldest first."""
        with self._lock:
            self._visible(sight, record_id)
            organism = self._organism(sight)
            return [organism.shown(version) for version in organism.versions[record_id]]

    def scan(
        self, sight: Sight, *, order: Order, limit: int | None = None, after: Record | None = None
    ) -> Iterator[Record]:
        """The visible records in the order of the time they speak of, from `after` on."""
        with self._lock:
            seen = self._organism(sight).all_seen(sight)
        place: Callable[[Record], tuple[object, ...]] = lambda one: (one.occurred_at, one.id, one.version)
        seen.sort(key=place, reverse=order is Order.NEWEST)  # pyright: ignore[reportArgumentType]
        if after is not None:
            seen = seen[next((n for n, one in enumerate(seen, 1) if place(one) == place(after)), 0) :]
        return iter(seen[:limit])

    def setting(self, viewpoint: Viewpoint, encoder: Encoder) -> Setting:
        """Who speaks in an organism, and in which years."""
        with self._lock:
            organism = self._organisms.get(viewpoint.organism)
            if self._encoder is None or organism is None:
                return Setting()
            self._require(encoder)
            return organism.followed(encoder).setting

    def recollect(self, sight: Sight, probe: Probe, limit: int, encoder: Encoder) -> Frame:
        """The visible candidates for a question, and what stands around them."""
        with self._lock:
            if self._encoder is not None:
                self._require(encoder)
            organism = self._organism(sight)
            mirror = organism.followed(encoder)
            reach = limit
            while True:
                reading = mirror.read(probe, reach)
                owners = [self._owners[key].record for key in mirror.keys[reading.rows].tolist()]
                seen = [
                    one in [(r.id, r.version) for r in organism.seen(sight, one[0])]
                    for one in [(owner.id, owner.version) for owner in owners]
                ]
                if sum(seen) >= min(limit, len(seen)) or reach >= len(mirror):
                    break
                reach *= 8
            rows = reading.rows[np.array(seen, bool)]
            if probe.vector is not None:
                for row, key in zip(rows.tolist(), mirror.keys[rows].tolist(), strict=True):
                    vectors = self._owners[key].vectors.get(encoder.id)
                    if vectors is not None:
                        reading.cosine[row] = (vectors @ probe.vector).max()
            return mirror.frame(reading, probe, rows, [one.id for one, ok in zip(owners, seen, strict=True) if ok])

    def revise(self, sight: Sight, ids: Sequence[str], change: Callable[[Record], Vitals]) -> list[Record]:
        """Change the vitals of records, all or none."""
        with self._lock:
            organism = self._organism(sight)
            changed = {one: change(self._visible(sight, one)) for one in ids}
            organism.vitals.update(changed)
            return [organism.shown(organism.versions[one][-1]) for one in ids]

    def erase(self, sight: Sight, ids: Sequence[str]) -> bool:
        """Remove records for good, with all versions and indexes."""
        with self._lock:
            organism = self._organism(sight)
            for one in ids:
                self._visible(sight, one)
            for one in dict.fromkeys(ids):
                for version in organism.drop(one):
                    del self._owners[version.key]
            return True

    def organisms(self) -> list[tuple[str, str]]:
        """Every (world, actor) that has records."""
        with self._lock:
            return sorted(name for name, organism in self._organisms.items() if organism.versions)

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

    def adopt(self, encoder: Encoder) -> bool:
        """Search this encoder's vectors from now on and drop the others; False while some are missing."""
        with self._lock:
            if self.count_unencoded(encoder):
                return False
            self._encoder = encoder
            for version in self._owners.values():
                version.vectors = {encoder.id: version.vectors[encoder.id]}
            for organism in self._organisms.values():
                organism.mirror = None
            return True

    def backup(self, path: str) -> None:
        """Not possible: there is no file to copy."""
        raise Unsupported("a memory without a file has no backup; export it instead")

    def check(self) -> list[str]:
        """Nothing can be wrong with what lives in this process only."""
        return []

    def close(self) -> None:
        """Let everything go."""
        with self._lock:
            self._organisms.clear()

    def _organism(self, sight: Sight) -> Organism:
        return self._organisms.get(sight.viewpoint.organism) or Organism()

    def _visible(self, sight: Sight, record_id: str) -> Record:
        found = self.get(sight, [record_id])
        if not found:
            raise NotFound(f"there is no record {record_id!r} here", record_id=record_id)
        return found[-1]
