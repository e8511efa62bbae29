"""Records on their way into a SQLite file: many at once, with one run of each statement."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

import apsw
import msgspec
import numpy as np

from foveal.backends.mirror import packed
from foveal.backends.relational.stamps import moment_or_none, stamp
from foveal.backends.sqlite.part import Part
from foveal.backends.sqlite.query import run, run_all, value
from foveal.backends.sqlite.rows import COLUMNS, link_values, record_of, record_values, vitals_values
from foveal.errors import Conflict, NotFound, PreconditionFailed
from foveal.model.record import Record
from foveal.model.sight import Sight, Viewpoint
from foveal.ports.store import Encoder, Entry
from foveal.rules.changing import carried
from foveal.rules.echoing import repeating
from foveal.rules.moments import after
from foveal.rules.resending import resent, sent_key
from foveal.rules.visibility import refuse_foreign


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
        run_all(db, "add_vitals", [vitals_values(organism, one.record.id, one.record.vitals) for one in fresh])
        keyed = [one.record for one in fresh if one.record.idempotency_key is not None]
        run_all(db, "remember_sent", [{"organism": organism, "key": sent_key(one), "id": one.id} for one in keyed])
        filed = iter(self._file(db, organism, fresh, encoder))
        repeated = [(one.record, one.repeats) for one in fresh if one.repeats is not None]
        links = [link_values(organism, repeating(record, first)) for record, first in repeated]
        run_all(db, "put_link_if_there", links)
        stored: list[tuple[Record, bool]] = []
        for one in known:
            earlier = stored[one][0] if isinstance(one, int) else one
            stored.append((next(filed), True) if earlier is None else (earlier, False))
        return stored

    def _sent(self, db: apsw.Connection, organism: int, records: Sequence[Record]) -> dict[str, list[Record]]:
        """The versions of what was stored under the keys of these records before."""
        keys = [sent_key(one) for one in records if one.idempotency_key is not None]
        if not keys:
            return {}
        found = run(db, "sent_before", {"organism": organism, "keys": json.dumps(keys)})
        return {key: self._versions(db, organism, record_id) for key, record_id in found}

    def _refuse_taken(self, db: apsw.Connection, organism: int, ids: Sequence[str]) -> None:
        taken: dict[str, int | None] = dict(run(db, "taken", {"organism": organism, "ids": json.dumps(ids)}))
        taken |= {one: None for one, times in Counter(ids).items() if times > 1}
        for one in ids if taken else ():
            if one in taken:
                erased = moment_or_none(taken[one])
                when = {"erased_at": erased} if erased else {}
                raise Conflict(f"the id {one} is taken", record_id=one, **when)

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
        run_all(db, "add_record", [record_values(organism, seq, one) for seq, one in enumerate(stored, first)])
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
        if (record.world, record.actor_id) != sight.viewpoint.organism:
            raise NotFound(f"there is no record {record.id!r} here", record_id=record.id)
        [newest] = self._visible(db, sight, [record.id])
        refuse_foreign([newest], sight)
        if record.version != newest.version + 1:
            raise PreconditionFailed(
                f"{record.id} is at version {newest.version}", record_id=record.id, version=newest.version
            )
        organism = self._seen_organism(db, sight)
        at = record.recorded_at if entry.dated else after(record.recorded_at, self._floor(db, organism))
        run(db, "retire_version", {"organism": organism, "id": record.id, "at": stamp(at)})
        vitals = carried(newest.vitals, entry.was, record.vitals)
        run(db, "change_vitals", vitals_values(organism, record.id, vitals))
        return msgspec.structs.replace(self._file(db, organism, [entry], encoder)[0], vitals=vitals)

    def file(self, sight: Sight, fresh: Sequence[Entry], later: Sequence[Entry], encoder: Encoder) -> list[Record]:
        """Store new records and next versions of others together, all or none."""
        with self._db.writing() as db:
            number = self._require(db, encoder)
            stored = self._append(db, fresh, number)
            for record, new in stored:
                if not new:
                    raise Conflict("this idempotency key was used", key=record.idempotency_key)
            return [*(one for one, _ in stored), *(self._supersede(db, sight, one, number) for one in later)]

    def _versions(self, db: apsw.Connection, organism: int, record_id: str) -> list[Record]:
        rows = run(db, "versions_of", {"organism": organism, "id": record_id}, columns=COLUMNS)
        return [record_of(row) for row in rows]
