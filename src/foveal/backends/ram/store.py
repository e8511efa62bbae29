"""The reference store: plain dictionaries behind one lock."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import count

import msgspec
import numpy as np
from numpy.typing import NDArray

from foveal.backends.mirror import look, packed
from foveal.backends.ram.families import Families
from foveal.backends.ram.organism import Organism, Version
from foveal.errors import (
    Conflict,
    EncoderMismatch,
    Forbidden,
    NotFound,
    PreconditionFailed,
    StoreUnavailable,
    Unsupported,
)
from foveal.model.record import Record
from foveal.model.sight import Sight, Viewpoint
from foveal.model.trace import Frame, Probe, Rows, Setting
from foveal.model.vitals import Vitals
from foveal.ports.store import Capability, Encoder, Entry, Order
from foveal.rules.visibility import may_change


class RamStore(Families):
    """Everything in this process, gone when it ends. The other stores must answer as it does."""

    capabilities: frozenset[Capability] = frozenset()

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._organisms: dict[tuple[str, str], Organism] = {}
        self._keys = count(1)
        self._owners: dict[int, Version] = {}
        self._encoder: Encoder | None = None
        self._closed = False

    def append(self, entries: Sequence[Entry], encoder: Encoder) -> list[tuple[Record, bool]]:
        """Store new records, all or none."""
        with self._lock:
            self._require_open()
            self._require(encoder)
            fresh: dict[tuple[str, ...], str] = {}
            for entry in entries:
                self._admit(entry.record, fresh)
            return [self._append(entry, encoder) for entry in entries]

    def _require(self, encoder: Encoder) -> None:
        if self._encoder is None:
            self._encoder = encoder
        elif self._encoder != encoder:
            raise EncoderMismatch(stored=self._encoder.id, given=encoder.id)

    def _admit(self, record: Record, fresh: dict[tuple[str, ...], str]) -> None:
        """Refuse what cannot be stored, before anything is, counting what this batch brings."""
        name = (record.world, record.actor_id)
        organism = self._organisms.get(name) or Organism()
        if record.idempotency_key is not None:
            earlier = organism.sent_before(record)
            key = (*name, record.node, record.idempotency_key)
            text = earlier[0].record.text if earlier else fresh.get(key)
            if text is not None and text != record.text:
                raise Conflict("this idempotency key was used for another text", key=record.idempotency_key)
            if text is not None:
                return
            fresh[key] = record.text
        if record.id in organism.versions or record.id in organism.tombstones or (*name, record.id) in fresh:
            raise Conflict(f"the id {record.id} is taken", record_id=record.id)
        fresh[(*name, record.id)] = record.text

    def _append(self, entry: Entry, encoder: Encoder) -> tuple[Record, bool]:
        record = entry.record
        organism = self._organisms.setdefault((record.world, record.actor_id), Organism())
        if record.idempotency_key is not None:
            earlier = organism.sent_before(record)
            if earlier:
                return organism.shown(earlier[-1]), False
            organism.sent[(record.node, record.idempotency_key)] = record.id
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
            if (record.world, record.actor_id) != sight.viewpoint.organism:
                raise NotFound(f"there is no record {record.id!r} here", record_id=record.id)
            newest = self._changeable(sight, record.id)
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

            def seen(rows: Rows) -> dict[int, str]:
                owners = {key: self._owners[key].record for key in mirror.keys[rows].tolist()}
                return {
                    key: owner.id
                    for key, owner in owners.items()
                    if any(one.version == owner.version for one in organism.seen(sight, owner.id))
                }

            def exact(keys: Sequence[int]) -> dict[int, NDArray[np.float32]]:
                vectors = {key: self._owners[key].vectors.get(encoder.id) for key in keys}
                return {key: rows for key, rows in vectors.items() if rows is not None}

            return look(mirror, probe, limit, seen=seen, exact=exact, hidden=True)

    def revise(self, sight: Sight, ids: Sequence[str], change: Callable[[Record], Vitals]) -> list[Record]:
        """Change the vitals of records, all or none."""
        with self._lock:
            organism = self._organism(sight)
            changed = {one: change(self._changeable(sight, one)) for one in ids}
            organism.vitals.update(changed)
            return [organism.shown(organism.versions[one][-1]) for one in ids]

    def erase(self, sight: Sight, ids: Sequence[str]) -> bool:
        """Remove records for good, with all versions and indexes."""
        with self._lock:
            organism = self._organism(sight)
            for one in ids:
                self._changeable(sight, one)
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
                        organism.origins.pop(version.key, None)

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
                organism.leave_tapes(encoder.id)
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
            self._closed = True

    def _require_open(self) -> None:
        if self._closed:
            raise StoreUnavailable("the memory is closed")

    def _organism(self, sight: Sight) -> Organism:
        self._require_open()
        return self._organisms.get(sight.viewpoint.organism) or Organism()

    def _changeable(self, sight: Sight, record_id: str) -> Record:
        record = self._visible(sight, record_id)
        if not sight.owner and not may_change(record, sight.viewpoint):
            raise Forbidden(f"{record_id} belongs to {record.node} and is read-only here", record_id=record_id)
        return record

    def _visible(self, sight: Sight, record_id: str) -> Record:
        found = self.get(sight, [record_id])
        if not found:
            raise NotFound(f"there is no record {record_id!r} here", record_id=record_id)
        return found[-1]
