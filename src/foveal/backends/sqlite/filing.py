"""Records on their way into a SQLite file: many at once, with one run of each statement."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import apsw
import msgspec
import numpy as np

from foveal.backends.mirror import packed
from foveal.backends.relational.bond_rows import link_values
from foveal.backends.relational.lists import listed
from foveal.backends.relational.record_rows import record_of, record_values, vitals_values
from foveal.backends.relational.stamps import moment_or_none, stamp
from foveal.backends.sqlite.part import Part
from foveal.backends.sqlite.query import run, run_all, value
from foveal.backends.sqlite.rows import COLUMNS
from foveal.model.record import Record
from foveal.model.sight import Sight, Viewpoint
from foveal.ports.store import Encoder, Entry
from foveal.rules.admitting import refuse_elsewhere, refuse_resent, refuse_stale, refuse_taken
from foveal.rules.changing import carried
from foveal.rules.echoing import repeating
from foveal.rules.moments import after
from foveal.rules.resending import answered, resent, sent_key


class Filing(Part):
    """How records and their next versions are written."""

    def append(self, entries: Sequence[Entry], encoder: Encoder) -> list[tuple[Record, bool]]:
        """Store new records, all or none."""
        with self._db.writing() as db:
            return self._append(db, entries, self._require(db, encoder))

    def _append(self, db: apsw.Connection, entries: Sequence[Entry], encoder: int) -> list[tuple[Record, bool]]:
        """Store new records of one organism or several; what was sent before is found as it was."""
        whose: dict[tuple[str, str], list[int]] = {}
        for place, entry in enumerate(entries):
            whose.setdefault((entry.record.world, entry.record.actor_id), []).append(place)
        stored: dict[int, tuple[Record, bool]] = {}
        for (world, actor), places in whose.items():
            organism = self._own_organism(db, Viewpoint(world=world, actor_id=actor))
            own = self._append_own(db, organism, [entries[place] for place in places], encoder)
            stored.update(zip(places, own, strict=True))
        return [stored[place] for place in range(len(entries))]

    def _append_own(
        self, db: apsw.Connection, organism: int, entries: Sequence[Entry], encoder: int
    ) -> list[tuple[Record, bool]]:
        records = [one.record for one in entries]
        known = resent(records, self._sent(db, organism, records))
        fresh = [entry for entry, one in zip(entries, known, strict=True) if one is None]
        self._refuse_taken(db, organism, [one.record.id for one in fresh])
        own = {"organism": organism}
        run_all(db, "add_vitals", [vitals_values(own, one.record.id, one.record.vitals) for one in fresh])
        keyed = [one.record for one in fresh if one.record.idempotency_key is not None]
        run_all(db, "remember_sent", [own | {"key": sent_key(one), "id": one.id} for one in keyed])
        filed = iter(self._file(db, organism, fresh, encoder))
        repeated = [(one.record, one.repeats) for one in fresh if one.repeats is not None]
        links = [link_values(own, repeating(record, first)) for record, first in repeated]
        run_all(db, "put_link_if_there", links)
        return answered(known, filed)

    def _sent(self, db: apsw.Connection, organism: int, records: Sequence[Record]) -> dict[str, list[Record]]:
        """The versions of what was stored under the keys of these records before."""
        keys = [sent_key(one) for one in records if one.idempotency_key is not None]
        if not keys:
            return {}
        found = run(db, "sent_before", {"organism": organism, "keys": json.dumps(keys)})
        return {key: self._versions(db, organism, record_id) for key, record_id in found}

    def _refuse_taken(self, db: apsw.Connection, organism: int, ids: Sequence[str]) -> None:
        taken = run(db, "taken", {"organism": organism, "ids": json.dumps(ids)})
        refuse_taken(ids, {one: moment_or_none(at) for one, at in taken})

    def _file(self, db: apsw.Connection, organism: int, entries: Sequence[Entry], encoder: int) -> list[Record]:
        """Write versions with what they are found by; the store hands out the time slices."""
        floor = self._floor(db, organism)
        slices = {
            region: value(db, "take_slices", {"organism": organism, "region": region, "count": count})
            for region, count in Counter(one.record.region for one in entries).items()
        }
        stored: list[Record] = []
        for entry in entries:
            record = entry.record
            moment = record.recorded_at if entry.dated else after(record.recorded_at, floor)
            address = msgspec.structs.replace(record.address, time_slice=slices[record.region])
            slices[record.region] += 1
            stored.append(msgspec.structs.replace(record, address=address, recorded_at=moment))
        first = value(db, "next_seq")
        numbered = list(enumerate(entries, first))
        run_all(db, "add_record", [_values(organism, seq, one) for seq, one in enumerate(stored, first)])
        run_all(db, "add_trace", [(seq, organism, *packed(one.trace)) for seq, one in numbered])
        vectors = [(seq, one.vectors) for seq, one in numbered if one.vectors is not None]
        run_all(
            db, "add_vector", [(encoder, organism, seq, rows.astype(np.float16).tobytes()) for seq, rows in vectors]
        )
        return stored

    def supersede(self, sight: Sight, entry: Entry, encoder: Encoder) -> Record:
        """Add the next version of a record."""
        with self._db.writing() as db:
            return self._supersede(db, sight, entry, self._require(db, encoder))

    def _supersede(self, db: apsw.Connection, sight: Sight, entry: Entry, encoder: int) -> Record:
        record = entry.record
        refuse_elsewhere(record, sight)
        [newest] = self._visible(db, sight, [record.id])
        refuse_stale(record, newest, sight)
        organism = self._seen_organism(db, sight)
        at = record.recorded_at if entry.dated else after(record.recorded_at, self._floor(db, organism))
        run(db, "retire_version", {"organism": organism, "id": record.id, "at": stamp(at)})
        vitals = carried(newest.vitals, entry.was, record.vitals)
        run(db, "change_vitals", vitals_values({"organism": organism}, record.id, vitals))
        return msgspec.structs.replace(self._file(db, organism, [entry], encoder)[0], vitals=vitals)

    def file(self, sight: Sight, fresh: Sequence[Entry], later: Sequence[Entry], encoder: Encoder) -> list[Record]:
        """Store new records and next versions of others together, all or none."""
        with self._db.writing() as db:
            number = self._require(db, encoder)
            stored = self._append(db, fresh, number)
            refuse_resent(stored)
            return [*(one for one, _ in stored), *(self._supersede(db, sight, one, number) for one in later)]

    def _versions(self, db: apsw.Connection, organism: int, record_id: str) -> list[Record]:
        rows = run(db, "versions_of", {"organism": organism, "id": record_id}, columns=COLUMNS)
        return [record_of(row) for row in rows]


def _values(organism: int, seq: int, record: Record) -> dict[str, Any]:
    return record_values({"organism": organism, "seq": seq, "tags": listed(record.tags)}, record)
