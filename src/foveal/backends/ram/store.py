"""The reference store: plain dictionaries behind one lock."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import count

import msgspec
import numpy as np
from numpy.typing import NDArray

from foveal.backends.mirror import Seen, both, look, packed
from foveal.backends.ram.crystals import Crystals
from foveal.backends.ram.encoding import Encoding
from foveal.backends.ram.families import Families
from foveal.backends.ram.keys import Keys
from foveal.backends.ram.kin import Kin
from foveal.backends.ram.ledger import Book, Ledger, Node
from foveal.backends.ram.life import Life
from foveal.backends.ram.moments import Moments
from foveal.backends.ram.organism import Organism, Version
from foveal.backends.ram.overrides import Overrides
from foveal.backends.ram.recollections import Recollections
from foveal.backends.ram.renditions import Renditions
from foveal.backends.ram.versions import Versions
from foveal.errors import (
    Conflict,
    EncoderMismatch,
    StoreUnavailable,
    Unsupported,
)
from foveal.model.record import Record
from foveal.model.sight import Sight, Viewpoint
from foveal.model.trace import Frame, Probe, Rows, Setting
from foveal.model.vitals import Vitals
from foveal.ports.store import Capability, Choose, Encoder, Entry, Order
from foveal.rules.admitting import refuse_elsewhere, refuse_missing, refuse_stale
from foveal.rules.changing import carried
from foveal.rules.echoing import repeating, words_number
from foveal.rules.filtering import kinds_named
from foveal.rules.moments import after
from foveal.rules.visibility import follows, refuse_foreign


class RamStore(
    Keys, Overrides, Families, Life, Renditions, Recollections, Versions, Encoding, Crystals, Moments, Ledger, Kin
):
    """Everything in this process, gone when it ends. The other stores must answer as it does."""

    capabilities: frozenset[Capability] = frozenset()

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.RLock()
        self._organisms: dict[tuple[str, str], Organism] = {}
        self._books: dict[Node, Book] = {}
        self._errands = {}
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
            at = organism.erased.get(record.id)
            raise Conflict(f"the id {record.id} is taken", record_id=record.id, **({"erased_at": at} if at else {}))
        fresh[(*name, record.id)] = record.text

    def _append(self, entry: Entry, encoder: Encoder) -> tuple[Record, bool]:
        record = entry.record
        name = (record.world, record.actor_id)
        organism = self._organisms.get(name) or self._organisms.setdefault(name, Organism())
        if record.idempotency_key is not None:
            earlier = organism.sent_before(record)
            if earlier:
                return organism.shown(earlier[-1]), False
            organism.sent[(record.node, record.idempotency_key)] = record.id
        address = msgspec.structs.replace(record.address, time_slice=organism.slices[record.region])
        organism.slices[record.region] += 1
        moment = record.recorded_at if entry.dated else after(record.recorded_at, organism.floor)
        stored = msgspec.structs.replace(record, address=address, recorded_at=moment)
        organism.revise(record.id, record.vitals)
        organism.versions[record.id] = [self._file(organism, stored, entry, encoder)]
        if entry.repeats in organism.versions:
            link = repeating(record, entry.repeats)
            organism.links[(link.source_id, link.target_id, link.kind)] = link
        return stored, True

    def _file(self, organism: Organism, record: Record, entry: Entry, encoder: Encoder) -> Version:
        organism.unsummarised.add(("region", record.region))
        if record.session_id is not None:
            organism.unsummarised.add(("session", record.session_id))
        version = Version(key=next(self._keys), record=record, trace=packed(entry.trace))
        self._owners[version.key] = version
        organism.words.setdefault(words_number(record), {})[record.id] = None
        if entry.vectors is not None:
            version.vectors[encoder.id] = entry.vectors
        return version

    def supersede(self, sight: Sight, entry: Entry, encoder: Encoder) -> Record:
        """Add the next version of a record."""
        with self._lock:
            self._require(encoder)
            self._admit_version(sight, entry.record)
            return self._supersede(entry, encoder)

    def _admit_version(self, sight: Sight, record: Record) -> None:
        """Refuse what is not the next version of a record that may be changed here."""
        refuse_elsewhere(record, sight)
        refuse_stale(record, self._visible(sight, record.id), sight)

    def _supersede(self, entry: Entry, encoder: Encoder) -> Record:
        record = entry.record
        organism = self._organisms[(record.world, record.actor_id)]
        versions = organism.versions[record.id]
        moment = record.recorded_at if entry.dated else after(record.recorded_at, organism.floor)
        versions[-1].record = msgspec.structs.replace(versions[-1].record, superseded_at=moment)
        address = msgspec.structs.replace(record.address, time_slice=organism.slices[record.region])
        organism.slices[record.region] += 1
        vitals = carried(organism.vitals[record.id], entry.was, record.vitals)
        organism.revise(record.id, vitals)
        stored = msgspec.structs.replace(record, address=address, recorded_at=moment, vitals=vitals)
        versions.append(self._file(organism, stored, entry, encoder))
        return stored

    def file(self, sight: Sight, fresh: Sequence[Entry], later: Sequence[Entry], encoder: Encoder) -> list[Record]:
        """Store new records and next versions of others together, all or none."""
        with self._lock:
            self._require_open()
            self._require(encoder)
            organism = self._organism(sight)
            taken: dict[tuple[str, ...], str] = {}
            for entry in fresh:
                if entry.record.idempotency_key is not None and organism.sent_before(entry.record):
                    raise Conflict("this idempotency key was used", key=entry.record.idempotency_key)
                self._admit(entry.record, taken)
            for entry in later:
                self._admit_version(sight, entry.record)
            new = [self._append(entry, encoder)[0] for entry in fresh]
            return [*new, *(self._supersede(entry, encoder) for entry in later)]

    def get(self, sight: Sight, ids: Sequence[str]) -> list[Record]:
        """The visible ones of these records, in the order asked."""
        with self._lock:
            organism = self._organism(sight)
            return [record for one in dict.fromkeys(ids) for record in organism.seen(sight, one)]

    def history(self, sight: Sight, record_id: str) -> list[Record]:
        """The versions of a record that is visible now, oldest first: those whose own scope reaches the node."""
        with self._lock:
            self._visible(sight, record_id)
            organism = self._organism(sight)
            versions = [organism.shown(version) for version in organism.versions[record_id]]
            return [one for one in versions if follows(one, sight)]

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

    def setting(self, viewpoint: Viewpoint, encoder: Encoder, *, lately: bool = False) -> Setting:
        """Who speaks in an organism, and in which years."""
        with self._lock:
            organism = self._organisms.get(viewpoint.organism)
            if self._encoder is None or organism is None:
                return Setting()
            self._require(encoder)
            return organism.followed(encoder).image.setting

    def recollect(
        self, sight: Sight, probe: Probe, limit: int, encoder: Encoder, choose: Choose
    ) -> tuple[Frame, list[Record]]:
        """The visible candidates for a question, what stands around them, and the records chosen of them."""
        with self._lock:
            if self._encoder is not None:
                self._require(encoder)
            organism = self._organism(sight)
            image = organism.followed(encoder).image

            def seen_by(sight: Sight) -> Seen:
                def seen(rows: Rows) -> NDArray[np.bool_]:
                    keys = image.keys[rows]
                    allowed = [key for key in set(keys.ravel().tolist()) if self._sees(organism, sight, key)]
                    return np.isin(keys, allowed)

                return seen

            def exact(keys: Sequence[int], vector: NDArray[np.float32]) -> dict[int, float]:
                vectors = {key: self._owners[key].vectors.get(encoder.id) for key in keys}
                return {key: float((rows @ vector).max()) for key, rows in vectors.items() if rows is not None}

            beside = seen_by(msgspec.structs.replace(sight, where=None))
            kinds = kinds_named(sight.where)
            seen = seen_by(sight) if kinds is None else both(image.of_kinds(kinds), seen_by(sight))
            frame = look(image, probe, limit, seen=seen, beside=beside, exact=exact)
            return frame, self.get(sight, choose(frame))

    def _sees(self, organism: Organism, sight: Sight, key: int) -> bool:
        owner = self._owners[key].record
        return any(one.version == owner.version for one in organism.seen(sight, owner.id))

    def revise(self, sight: Sight, ids: Sequence[str], change: Callable[[Record], Vitals]) -> list[Record]:
        """Change the vitals of records, all or none."""
        with self._lock:
            organism = self._organism(sight)
            records = [self._changeable(sight, one) for one in ids]
            changed = [(record, change(record)) for record in records]
            for record, vitals in changed:
                organism.revise(record.id, organism.dated(record.id, vitals, sight.now))
            return [organism.shown(organism.versions[one][-1]) for one in ids]

    def erase(self, sight: Sight, ids: Sequence[str]) -> bool:
        """Remove records for good, with all versions and indexes."""
        with self._lock:
            organism = self._organism(sight)
            for one in ids:
                self._changeable(sight, one)
            organism.erased.update(dict.fromkeys(ids, after(sight.now, organism.floor)))
            for version in organism.drop(set(ids)):
                del self._owners[version.key]
            for (world, actor, _), book in self._books.items():
                if (world, actor) == sight.viewpoint.organism:
                    book.erased(ids)
            self._empty_answers(sight.viewpoint.organism)
            return True

    def organisms(self) -> list[tuple[str, str]]:
        """Every (world, actor) that has records."""
        with self._lock:
            return sorted(name for name, organism in self._organisms.items() if organism.versions)

    def backup(self, path: str) -> None:
        """Not possible: there is no file to copy."""
        raise Unsupported("a memory without a file has no backup; export it instead")

    def vacuum(self) -> int:
        """There are no gaps in RAM."""
        self._require_open()
        return 0

    def check(self) -> list[str]:
        """Nothing can be wrong with what lives in this process only."""
        return []

    def close(self) -> None:
        """Let everything go."""
        with self._lock:
            self._organisms.clear()
            self._books.clear()
            self._closed = True

    def _require_open(self) -> None:
        if self._closed:
            raise StoreUnavailable("the memory is closed")

    def _organism(self, sight: Sight) -> Organism:
        self._require_open()
        return self._organisms.get(sight.viewpoint.organism) or Organism()

    def _changeable(self, sight: Sight, record_id: str) -> Record:
        record = self._visible(sight, record_id)
        refuse_foreign([record], sight)
        return record

    def _visible(self, sight: Sight, record_id: str) -> Record:
        found = self.get(sight, [record_id])
        refuse_missing([record_id], found)
        return found[-1]
