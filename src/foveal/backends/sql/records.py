"""Write, read, list, revise, erase and count records."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from foveal.backends.index import Packed, packed
from foveal.backends.sql.caches import Caches
from foveal.backends.sql.erasure import Eraser
from foveal.backends.sql.rows import (
    from_micros,
    from_micros_or_none,
    record_of,
    record_values,
    struct_of,
    to_micros,
    values_of,
    vitals_values,
)
from foveal.backends.sql.session import Dialect, Organism, Session, Step, Transaction
from foveal.backends.sql.usage import ActorUsage
from foveal.backends.sql.vectors import Vectors
from foveal.backends.sql.visibility import Part
from foveal.errors import Corrupt
from foveal.model.query import Access, Viewpoint
from foveal.model.record import Record, Vitals
from foveal.model.results import Region, Stats
from foveal.ports.store import Encoder, Erasure, NewRecord, Order
from foveal.rules.duplicates import answered, repeating, resent, sent_key, words_number
from foveal.rules.lifecycle import after, carried
from foveal.rules.visibility import (
    follows,
    require_found,
    require_free,
    require_new,
    require_newest,
    require_own,
    require_same_organism,
)

_PAGE = 500
# After a batch of this size the statistics are updated before other rows refer to its rows.
_MANY = 1_000


class Records(Part):
    """The records of organisms, with all their versions.

    The methods that take a transaction are for the other parts of the store.
    """

    def __init__(
        self, session: Session, dialect: Dialect, vectors: Vectors, caches: Caches, usage: ActorUsage
    ) -> None:
        super().__init__(session, dialect)
        self._vectors, self._caches, self._usage = vectors, caches, usage
        self._eraser = Eraser(session, dialect)

    def append(self, entries: Sequence[NewRecord], encoder: Encoder) -> list[tuple[Record, bool]]:
        """Store new records, all or none."""
        if not entries:
            return []
        first = min((_viewpoint_of(entry) for entry in entries), key=lambda viewpoint: viewpoint.organism)
        with self._session.writing(first) as db:
            stored = self.append_in(db, entries, self._vectors.require(db, encoder), bounded=True)
        self._session.stored(len(stored))
        return stored

    def append_in(
        self, db: Transaction, entries: Sequence[NewRecord], encoder: int, *, bounded: bool = False
    ) -> list[tuple[Record, bool]]:
        """Store new records of one or more organisms; a record that was sent before is returned as it is stored.

        With `bounded`, they must fit the quotas of their actors.
        """
        by_organism: dict[tuple[str, str], list[int]] = {}
        for position, entry in enumerate(entries):
            by_organism.setdefault((entry.record.world, entry.record.actor_id), []).append(position)
        stored: dict[int, tuple[Record, bool]] = {}
        # In a fixed order, so that two transactions that write to the same organisms cannot deadlock.
        for _, positions in sorted(by_organism.items()):
            organism = db.own_organism(_viewpoint_of(entries[positions[0]]))
            own = [entries[position] for position in positions]
            results = self._append_own(db, organism, own, encoder, bounded=bounded)
            stored.update(zip(positions, results, strict=True))
        return [stored[position] for position in range(len(entries))]

    def _append_own(
        self, db: Transaction, organism: Organism, entries: Sequence[NewRecord], encoder: int, *, bounded: bool
    ) -> list[tuple[Record, bool]]:
        records = [entry.record for entry in entries]
        known = resent(records, self._sent(db, organism, records))
        fresh = [entry for entry, before in zip(entries, known, strict=True) if before is None]
        self._refuse_taken(db, organism, [entry.record.id for entry in fresh])
        if bounded:
            self._usage.require_room(db, organism, [entry.record for entry in fresh])
        keyed = [entry.record for entry in fresh if entry.record.idempotency_key is not None]
        first: list[Step] = [
            ("add_vitals", [vitals_values(organism, entry.record.id, entry.record.vitals) for entry in fresh]),
            ("remember_sent", [{**organism, "key": sent_key(record), "id": record.id} for record in keyed]),
        ]
        if len(fresh) >= _MANY:
            db.batch(*first)
            self._dialect.count_rows(db, organism, "vitals", len(fresh))
            first = []
        inserted = iter(self._insert_versions(db, organism, fresh, encoder, first))
        repeated = [(entry.record, entry.repeats) for entry in fresh if entry.repeats is not None]
        links = [values_of(repeating(record, original), **organism) for record, original in repeated]
        db.batch(("put_link_if_there", links))
        return answered(known, inserted)

    def _sent(self, db: Transaction, organism: Organism, records: Sequence[Record]) -> dict[str, list[Record]]:
        """The versions already stored under the idempotency keys of these records, by key."""
        keys = [sent_key(record) for record in records if record.idempotency_key is not None]
        if not keys:
            return {}
        rows = db.run("sent_before", {**organism, "keys": self._dialect.array(keys)})
        return {key: self._versions(db, organism, record_id) for key, record_id in rows}

    def _refuse_taken(self, db: Transaction, organism: Organism, ids: Sequence[str]) -> None:
        if ids:
            taken = db.run("taken", {**organism, "ids": self._dialect.array(ids)})
            require_free(ids, {record_id: from_micros_or_none(at) for record_id, at in taken})

    def _insert_versions(
        self,
        db: Transaction,
        organism: Organism,
        entries: Sequence[NewRecord],
        encoder: int,
        first: Sequence[Step] = (),
    ) -> list[Record]:
        """Write versions with their index entries and vectors, after the steps in `first`.

        Assigns the time slices, and dates versions after the newest snapshot unless they come dated.
        """
        if not entries:
            return []
        places = self._dialect.take_places(db, organism, Counter(entry.record.region for entry in entries))
        stored: list[Record] = []
        for entry in entries:
            record = entry.record
            at = record.recorded_at if entry.dated else after(record.recorded_at, places.floor)
            address = msgspec.structs.replace(record.address, time_slice=places.slices[record.region])
            places.slices[record.region] += 1
            stored.append(msgspec.structs.replace(record, address=address, recorded_at=at))
        keys = [{**organism, "seq": seq} for seq in places.seqs]
        versions = [
            record_values({**key, "tags": self._dialect.array(record.tags)}, record)
            for key, record in zip(keys, stored, strict=True)
        ]
        steps: list[Step] = [*first, ("add_record", versions)]
        if len(stored) >= _MANY:
            db.batch(*steps)
            self._dialect.count_rows(db, organism, "record", len(stored))
            steps = []
        traces = [_trace_values(key, entry, packed(entry.trace)) for key, entry in zip(keys, entries, strict=True)]
        vectors: list[dict[str, Any]] = []
        for key, entry in zip(keys, entries, strict=True):
            if entry.vectors is not None:
                vectors += self._dialect.vector_values({**key, "encoder": encoder}, entry.vectors)
        db.batch(*steps, ("add_trace", traces), ("add_vector", vectors))
        return stored

    def supersede(self, access: Access, entry: NewRecord, encoder: Encoder) -> Record:
        """Add the next version of a record."""
        with self._session.writing(access.viewpoint) as db:
            number = self._vectors.require(db, encoder)
            self._usage.require_room(db, db.organism_or_nobody(access.viewpoint), [entry.record])
            return self.supersede_in(db, access, entry, number)

    def supersede_in(self, db: Transaction, access: Access, entry: NewRecord, encoder: int) -> Record:
        """`supersede` in a transaction."""
        record = entry.record
        require_same_organism(record, access)
        [newest] = self.visible_in(db, access, [record.id])
        require_newest(record, newest, access)
        organism = db.existing_organism(access.viewpoint)
        at = record.recorded_at if entry.dated else after(record.recorded_at, self.newest_snapshot_at(db, organism))
        db.change("retire_version", {**organism, "id": record.id, "at": to_micros(at)})
        vitals = carried(newest.vitals, entry.was, record.vitals)
        db.change("change_vitals", vitals_values(organism, record.id, vitals))
        return msgspec.structs.replace(self._insert_versions(db, organism, [entry], encoder)[0], vitals=vitals)

    def write_batch(
        self, access: Access, fresh: Sequence[NewRecord], later: Sequence[NewRecord], encoder: Encoder
    ) -> list[Record]:
        """Store new records and next versions of existing ones, all or none."""
        with self._session.writing(access.viewpoint) as db:
            number = self._vectors.require(db, encoder)
            organism = db.own_organism(access.viewpoint)
            self._usage.require_room(db, organism, [entry.record for entry in (*fresh, *later)])
            stored = self.append_in(db, fresh, number)
            require_new(stored)
            superseding = [self.supersede_in(db, access, entry, number) for entry in later]
            return [*(record for record, _ in stored), *superseding]

    def get(self, access: Access, ids: Sequence[str]) -> list[Record]:
        """Those of these records that are visible, in the order of `ids`.

        A damaged one is left out and reported; alone, it raises `Corrupt`.
        """
        with self._session.reading(access.viewpoint) as db:
            return self.get_in(db, access, ids, whole=len(ids) == 1)

    def get_in(self, db: Transaction, access: Access, ids: Sequence[str], *, whole: bool = False) -> list[Record]:
        """`get` in a transaction; with `whole` it raises `Corrupt` if one of the records is damaged."""
        wanted = list(dict.fromkeys(ids))
        asked = {"ids": self._dialect.texts(wanted)}
        records = self._seen_records(db, access, "records_by_id", asked, whole=whole)
        # Sorted here, because a database would copy all the columns to sort them.
        by_id = {record.id: record for record in records}
        return [by_id[record_id] for record_id in wanted if record_id in by_id]

    def visible_in(self, db: Transaction, access: Access, ids: Sequence[str]) -> list[Record]:
        """These records; `NotFound` unless all are visible."""
        records = self.get_in(db, access, ids, whole=True)
        require_found(ids, records)
        return records

    def _changeable(self, db: Transaction, access: Access, ids: Sequence[str]) -> list[Record]:
        """These records; an error unless all are visible and may be changed."""
        records = self.visible_in(db, access, ids)
        require_own(records, access)
        return records

    def keyed(self, access: Access, node: str, keys: Sequence[str]) -> Mapping[str, Record]:
        """The visible records that a node stored under these idempotency keys, by key."""
        with self._session.reading(access.viewpoint) as db:
            asked = {"writer": node, "keys": self._dialect.texts(f"{node} {key}" for key in keys)}
            rows = self._seen(db, access, "records_under_keys", asked, columns=self._dialect.columns)
            return {key: record_of(columns) for key, *columns in rows}

    def history(self, access: Access, record_id: str) -> list[Record]:
        """The versions of a visible record whose own scope reaches the node, oldest first."""
        with self._session.reading(access.viewpoint) as db:
            self.visible_in(db, access, [record_id])
            versions = self._versions(db, db.existing_organism(access.viewpoint), record_id)
            return [version for version in versions if follows(version, access)]

    def _versions(self, db: Transaction, organism: Organism, record_id: str) -> list[Record]:
        rows = db.run("versions_of", {**organism, "id": record_id}, columns=self._dialect.columns)
        return self._sound(rows)

    def previous(self, access: Access, records: Sequence[Record]) -> dict[str, Record]:
        """The version before each of these records, by id."""
        with self._session.reading(access.viewpoint) as db:
            asked = {"ids": self._dialect.texts(record.id for record in records)}
            ids = {record_id for (record_id,) in self._seen(db, access, "ids_seen", asked)}
            wanted = [record for record in records if record.id in ids]
            before = {
                **db.organism_or_nobody(access.viewpoint),
                "ids": self._dialect.array(record.id for record in wanted),
                "versions": self._dialect.array(record.version - 1 for record in wanted),
            }
            versions = self._sound(db.run("versions_at", before, columns=self._dialect.columns))
            return {version.id: version for version in versions if follows(version, access)}

    def said_before(self, access: Access, records: Sequence[Record]) -> dict[str, str]:
        """By id, the first visible record in which the same speaker said the same words."""
        with self._session.reading(access.viewpoint) as db:
            condition = self._condition(db, access)
            if condition is None:
                return {}
            visible, values = condition
            numbers = {record.id: words_number(record) for record in records}
            words = values | {"words": self._dialect.array(sorted(set(numbers.values())))}
            # Most texts are new, and this check is cheap; the query that respects visibility is not.
            if not db.value("said_at_all", words):
                return {}
            first = dict[int, str | None](db.run("said_before", words, visible=visible))
            originals = {record_id: first[number] for record_id, number in numbers.items()}
            return {record_id: original for record_id, original in originals.items() if original is not None}

    def scan(
        self, access: Access, *, order: Order, limit: int | None = None, after: Record | None = None
    ) -> Iterator[Record]:
        """The visible records by the time they speak of, starting behind `after`."""
        left = limit
        place = None if after is None else (to_micros(after.occurred_at), after.id)
        while left is None or left > 0:
            size = min(_PAGE, left or _PAGE)
            rows = self._page(access, order, size, place)
            records = self._sound(rows)
            yield from records
            if len(rows) < size:
                return
            place = self._last_place(rows)
            left = None if left is None else left - len(records)

    def _last_place(self, rows: Sequence[Sequence[Any]]) -> tuple[int, str]:
        """The time and the id of the last row of a page in which both can be read."""
        names = self._dialect.column_names
        at, own = names.index("r.occurred_at"), names.index("r.id")
        for row in reversed(rows):
            if isinstance(row[at], int) and isinstance(row[own], str):
                return row[at], row[own]
        raise Corrupt("a whole page of records is damaged: run foveal repair")

    def _page(self, access: Access, order: Order, limit: int, place: tuple[int, str] | None) -> list[Any]:
        """The rows of one page of `scan`: at most `limit`, behind a time and an id."""
        with self._session.reading(access.viewpoint) as db:
            organism = db.organism(access.viewpoint)
            if organism is None:
                return []
            newest = order is Order.NEWEST
            start, bounds = "true", dict[str, Any](limit=limit)
            if place:
                at, record_id = self._dialect.bound("after_at"), self._dialect.bound("after_id")
                start = f"(r.occurred_at, r.id) {'<' if newest else '>'} ({at}, {record_id})"
                bounds |= {"after_at": place[0], "after_id": place[1]}
            ways, values = self._each_way(access, organism, columns=self._dialect.columns, after=start)
            names = self._dialect.column_names
            return db.run(
                "records_in_time",
                values | bounds,
                ways=ways,
                at=str(1 + names.index("r.occurred_at")),
                id=str(1 + names.index("r.id")),
                direction="desc" if newest else "asc",
            )

    def revise(self, access: Access, ids: Sequence[str], change: Callable[[Record], Vitals]) -> list[Record]:
        """Change the vitals of records, all or none."""
        with self._session.writing(access.viewpoint) as db:
            records = self._changeable(db, access, ids)
            if not records:
                return []
            organism = db.existing_organism(access.viewpoint)
            revised: list[Record] = []
            for record in records:
                vitals = self.date_vitals(db, organism, record.id, record.vitals, change(record), access.now)
                revised.append(msgspec.structs.replace(record, vitals=vitals))
            db.batch(("change_vitals", [vitals_values(organism, record.id, record.vitals) for record in revised]))
            return revised

    def erase(self, access: Access, ids: Sequence[str]) -> Erasure:
        """Remove records for good, with everything that is derived from them."""
        with self._session.writing(access.viewpoint) as db:
            self._changeable(db, access, ids)
            organism = db.existing_organism(access.viewpoint)
            removed = self.erase_in(db, organism, ids, access.now)
        return Erasure(settled=self.after_erase(organism), removed=removed)

    def erase_in(self, db: Transaction, organism: Organism, ids: Sequence[str], now: datetime) -> dict[str, int]:
        """Remove records in a transaction; call `after_erase` after it."""
        at = to_micros(after(now, self.newest_snapshot_at(db, organism)))
        return self._eraser.records(db, organism, ids, at)

    def erase_all(self, viewpoint: Viewpoint) -> Erasure:
        """Remove everything of an organism for good."""
        with self._session.writing(viewpoint) as db:
            organism = db.organism(viewpoint)
            if organism is None:
                return Erasure()
            removed = self._eraser.organism(db, organism)
        return Erasure(settled=self.after_erase(organism), removed=removed)

    def after_erase(self, organism: Organism) -> bool:
        """Remove erased data from memory and from the log of the database; False while a reader needs the log."""
        self._caches.drop(organism)
        return self._session.cut_log()

    def newest_snapshot_at(self, db: Transaction, organism: Organism) -> datetime | None:
        """The time of the newest snapshot, after which every change must be dated."""
        return from_micros_or_none(db.value("newest_snapshot", organism))

    def date_vitals(
        self, db: Transaction, organism: Organism, record_id: str, before: Vitals, vitals: Vitals, now: datetime
    ) -> Vitals:
        """The new vitals of a record; if it is forgotten, then after the newest snapshot.

        Stores the span for which the record was forgotten before, if it was.
        """
        if vitals.forgotten_at == before.forgotten_at:
            return vitals
        floor = self.newest_snapshot_at(db, organism)
        if before.forgotten_at is not None:
            span = {"began_at": to_micros(before.forgotten_at), "ended_at": to_micros(after(now, floor))}
            db.change("add_oblivion", {**organism, "id": record_id, **span})
        if vitals.forgotten_at is None:
            return vitals
        return msgspec.structs.replace(vitals, forgotten_at=after(vitals.forgotten_at, floor))


class Counts(Part, ABC):
    """Counts of the records that an `Access` may see."""

    def __init__(self, session: Session, dialect: Dialect, vectors: Vectors, usage: ActorUsage) -> None:
        super().__init__(session, dialect)
        self._vectors, self._usage = vectors, usage

    def stats(self, access: Access) -> Stats:
        """Counts of what is visible, and the quota of the actor."""
        return self._usage.shown_in(self._visible_stats(access), access.viewpoint)

    @abstractmethod
    def _visible_stats(self, access: Access) -> Stats:
        """Counts of what is visible."""

    def organisms(self) -> list[tuple[str, str]]:
        """Every (world, actor) that has records."""
        with self._session.reading() as db:
            return [(world, actor) for world, actor in db.run("organisms")]

    def regions(self, access: Access) -> list[Region]:
        """The regions with visible records, by name."""
        with self._session.reading(access.viewpoint) as db:
            return [struct_of(Region, row) for row in self._counted(db, access, "regions_seen", {})]

    def nodes(self, access: Access) -> list[tuple[str, str, int]]:
        """How many visible records each node wrote in each scope."""
        with self._session.reading(access.viewpoint) as db:
            return [(node, scope, count) for node, scope, count in self._counted(db, access, "counts_by_node", {})]

    def marks(self, access: Access, *, order: Order, every: int) -> tuple[int, list[tuple[int, datetime, str]]]:
        """How many records `scan` returns, and the position, time and id of every `every`th one."""
        with self._session.reading(access.viewpoint) as db:
            organism = db.organism(access.viewpoint)
            if organism is None:
                return 0, []
            direction = "desc" if order is Order.NEWEST else "asc"
            ways, values = self._each_way(access, organism, columns="r.occurred_at, r.id")
            rows = db.rows("marks_in_time", values | {"every": every}, ways=ways, direction=direction)
            marks = [(row.place, from_micros(row.at), row.id) for row in rows if row.place % every == 0]
            return (rows[-1].place if rows else 0), marks


def _viewpoint_of(entry: NewRecord) -> Viewpoint:
    return Viewpoint(world=entry.record.world, actor_id=entry.record.actor_id)


def _trace_values(own: Organism, entry: NewRecord, trace: Packed) -> dict[str, Any]:
    record = entry.record
    return {**own, **trace._asdict(), "id": record.id, "node": record.node, "scope": record.scope.value}
