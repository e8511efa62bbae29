"""Records on their way into a Postgres database: many at once, in a few messages to the server."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from foveal.backends.mirror import Packed, packed
from foveal.backends.postgres.part import Part
from foveal.backends.postgres.query import (
    Db,
    Organism,
    Step,
    change,
    change_all,
    change_in_turn,
    run,
    text,
)
from foveal.backends.postgres.rows import COLUMNS, vector_values
from foveal.backends.relational.bond_rows import link_values
from foveal.backends.relational.record_rows import record_of, record_values, vitals_values
from foveal.backends.relational.stamps import moment_or_none, stamp
from foveal.model.record import Record
from foveal.model.sight import Sight, Viewpoint
from foveal.ports.store import Encoder, Entry
from foveal.rules.admitting import refuse_elsewhere, refuse_resent, refuse_stale, refuse_taken
from foveal.rules.changing import carried
from foveal.rules.echoing import repeating
from foveal.rules.moments import after
from foveal.rules.resending import answered, resent, sent_key

_MANY = 1_000


class Filing(Part):
    """How records and their next versions are written."""

    _written = 0
    _counted_at = 100

    def append(self, entries: Sequence[Entry], encoder: Encoder) -> list[tuple[Record, bool]]:
        """Store new records, all or none."""
        if not entries:
            return []
        with self._db.writing(min((_whose(one.record) for one in entries), key=lambda one: one.organism)) as db:
            stored = self._append(db, entries, self._require(db, encoder))
        self._tend(len(stored))
        return stored

    def _tend(self, written: int) -> None:
        """Have young tables counted: a server that knows nothing of them yet takes long ways."""
        self._written += written
        if self._written >= self._counted_at:
            while self._counted_at <= self._written:
                self._counted_at *= 10
            with self._db.apart() as connection:
                connection.execute(text("count_tables").encode())

    def _append(self, db: Db, entries: Sequence[Entry], encoder: int) -> list[tuple[Record, bool]]:
        """Store new records of one organism or several; what was sent before is found as it was."""
        stored: list[tuple[Record, bool] | None] = [None] * len(entries)
        whose: dict[tuple[str, str], list[int]] = {}
        for place, entry in enumerate(entries):
            whose.setdefault((entry.record.world, entry.record.actor_id), []).append(place)
        # In the order of their names, so that two that write to the same ones never wait for each other.
        for _, places in sorted(whose.items()):
            some = [entries[place] for place in places]
            organism = self._own_organism(db, _whose(some[0].record))
            for place, one in zip(places, self._append_own(db, organism, some, encoder), strict=True):
                stored[place] = one
        return [one for one in stored if one is not None]

    def _append_own(
        self, db: Db, organism: Organism, entries: Sequence[Entry], encoder: int
    ) -> list[tuple[Record, bool]]:
        records = [one.record for one in entries]
        known = resent(records, self._sent(db, organism, records))
        fresh = [entry for entry, one in zip(entries, known, strict=True) if one is None]
        self._refuse_taken(db, organism, fresh)
        keyed = [one.record for one in fresh if one.record.idempotency_key is not None]
        first: list[Step] = [
            ("add_vitals", [vitals_values(organism, one.record.id, one.record.vitals) for one in fresh]),
            ("remember_sent", [{**organism, "key": sent_key(one), "id": one.id} for one in keyed]),
        ]
        if len(fresh) >= _MANY:
            change_in_turn(db, first)
            _count(db, organism, "vitals", len(fresh))
            first = []
        filed = iter(self._file(db, organism, fresh, encoder, first))
        repeated = [(one.record, one.repeats) for one in fresh if one.repeats is not None]
        links = [link_values(organism, repeating(record, first)) for record, first in repeated]
        change_all(db, "put_link_if_there", links)
        return answered(known, filed)

    def _sent(self, db: Db, organism: Organism, records: Sequence[Record]) -> dict[str, list[Record]]:
        """The versions of what was stored under the keys of these records before."""
        keys = [sent_key(one) for one in records if one.idempotency_key is not None]
        if not keys:
            return {}
        found = run(db, "sent_before", {**organism, "keys": keys})
        return {key: self._versions(db, organism, record_id) for key, record_id in found}

    def _refuse_taken(self, db: Db, organism: Organism, entries: Sequence[Entry]) -> None:
        ids = [one.record.id for one in entries]
        if not ids:
            return
        taken = run(db, "taken", {**organism, "ids": ids})
        refuse_taken(ids, {one: moment_or_none(at) for one, at in taken})

    def _file(
        self, db: Db, organism: Organism, entries: Sequence[Entry], encoder: int, first: Sequence[Step] = ()
    ) -> list[Record]:
        """Write versions with what they are found by, after what comes `first`; the store hands out time slices."""
        if not entries:
            return []
        seqs, stored = _placed(db, organism, entries)
        own = [{**organism, "seq": seq} for seq in seqs]
        versions = [
            record_values({**mine, "tags": list(one.tags)}, one) for mine, one in zip(own, stored, strict=True)
        ]
        steps: list[Step] = [*first, ("add_record", versions)]
        if len(stored) >= _MANY:
            change_in_turn(db, steps)
            _count(db, organism, "record", len(stored))
            steps = []
        traces = [mine | trace_values(one, packed(one.trace)) for mine, one in zip(own, entries, strict=True)]
        vectors: list[dict[str, Any]] = []
        for mine, one in zip(own, entries, strict=True):
            vectors += [] if one.vectors is None else vector_values(mine, encoder, one.vectors)
        change_in_turn(db, [*steps, ("add_trace", traces), ("add_vector", vectors)])
        return stored

    def supersede(self, sight: Sight, entry: Entry, encoder: Encoder) -> Record:
        """Add the next version of a record."""
        with self._db.writing(sight.viewpoint) as db:
            return self._supersede(db, sight, entry, self._require(db, encoder))

    def _supersede(self, db: Db, sight: Sight, entry: Entry, encoder: int) -> Record:
        record = entry.record
        refuse_elsewhere(record, sight)
        [newest] = self._visible(db, sight, [record.id])
        refuse_stale(record, newest, sight)
        organism = self._seen_organism(db, sight)
        at = record.recorded_at if entry.dated else after(record.recorded_at, self._floor(db, organism))
        change(db, "retire_version", {**organism, "id": record.id, "at": stamp(at)})
        vitals = carried(newest.vitals, entry.was, record.vitals)
        change(db, "change_vitals", vitals_values(organism, record.id, vitals))
        return msgspec.structs.replace(self._file(db, organism, [entry], encoder)[0], vitals=vitals)

    def file(self, sight: Sight, fresh: Sequence[Entry], later: Sequence[Entry], encoder: Encoder) -> list[Record]:
        """Store new records and next versions of others together, all or none."""
        with self._db.writing(sight.viewpoint) as db:
            number = self._require(db, encoder)
            stored = self._append(db, fresh, number)
            refuse_resent(stored)
            return [*(one for one, _ in stored), *(self._supersede(db, sight, one, number) for one in later)]

    def _versions(self, db: Db, organism: Organism, record_id: str) -> list[Record]:
        rows = run(db, "versions_of", {**organism, "id": record_id}, columns=COLUMNS)
        return [record_of(row) for row in rows]


def _placed(db: Db, organism: Organism, entries: Sequence[Entry]) -> tuple[list[int], list[Record]]:
    """The records of entries with their time slices, after the newest snapshot, and a number for each."""
    counts = Counter(one.record.region for one in entries)
    asked = {"regions": list(counts), "counts": list(counts.values()), "count": len(entries)}
    [(seqs, names, ends, taken)] = run(db, "take_places", {**organism, **asked})
    floor = moment_or_none(taken)
    slices = {name: end - counts[name] for name, end in zip(names, ends, strict=True)}
    stored: list[Record] = []
    for one in entries:
        record = one.record
        at = record.recorded_at if one.dated else after(record.recorded_at, floor)
        address = msgspec.structs.replace(record.address, time_slice=slices[record.region])
        slices[record.region] += 1
        stored.append(msgspec.structs.replace(record, address=address, recorded_at=at))
    return seqs, stored


def _count(db: Db, organism: Organism, table: str, written: int) -> None:
    """Have the rows of a large batch counted before others refer to them.

    A server that takes their part of the table for a small one looks up each reference among all of them.
    """
    for part, known in run(db, "known_rows", organism, table=table):
        if known < written:
            db.connection.execute(text("count_rows_of", table=part).encode())


def _whose(record: Record) -> Viewpoint:
    return Viewpoint(world=record.world, actor_id=record.actor_id)


def trace_values(entry: Entry, trace: Packed) -> dict[str, Any]:
    """What `add_trace` binds beside the organism and the number."""
    record = entry.record
    return {**trace._asdict(), "id": record.id, "node": record.node, "scope": record.scope.value}
