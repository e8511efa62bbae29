"""Records in a SQLite file: written, superseded, listed, revised, erased."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import apsw
import msgspec
import numpy as np

from foveal.backends.mirror import packed
from foveal.backends.sqlite.bonds import Bonds
from foveal.backends.sqlite.connection import BUSY_MILLISECONDS, Connections, Synchronous, translated
from foveal.backends.sqlite.encoding import Encoding
from foveal.backends.sqlite.families import Families
from foveal.backends.sqlite.query import run, value
from foveal.backends.sqlite.recall import Mirrors, Recall
from foveal.backends.sqlite.rows import COLUMNS, record_of, record_values, stamp, vitals_values
from foveal.backends.sqlite.sight import clause
from foveal.backends.sqlite.tapes import Taping
from foveal.errors import Conflict, Forbidden, Invalid, NotFound, PreconditionFailed
from foveal.model.record import Record
from foveal.model.sight import Sight
from foveal.model.vitals import Vitals
from foveal.ports.store import Capability, Encoder, Entry, Order
from foveal.rules.visibility import gone, may_change

_PAGE = 500


class SqliteStore(Recall, Bonds, Encoding, Taping, Families):
    """Everything in one file, for any number of threads and processes.

    `synchronous` NORMAL survives a killed process, FULL also a power cut.
    """

    capabilities = frozenset({Capability.DURABLE, Capability.BACKUP, Capability.MANY_PROCESSES})

    def __init__(self, path: str | Path, *, synchronous: Synchronous = "NORMAL", read_only: bool = False) -> None:
        self._db = Connections(Path(path), synchronous=synchronous, read_only=read_only)
        self._mirrors = Mirrors()

    def append(self, entries: Sequence[Entry], encoder: Encoder) -> list[tuple[Record, bool]]:
        """Store new records, all or none."""
        with self._db.writing() as db:
            number = self._require(db, encoder)
            return [self._append(db, entry, number) for entry in entries]

    def _append(self, db: apsw.Connection, entry: Entry, encoder: int) -> tuple[Record, bool]:
        record = entry.record
        organism = self._organism(db, record.world, record.actor_id)
        if organism is None:
            row = {"world": record.world, "actor": record.actor_id}
            organism = int(value(db, "add_organism", row))
        values = {"organism": organism, "key": f"{record.node} {record.idempotency_key}", "id": record.id}
        if record.idempotency_key is not None:
            earlier = value(db, "sent_before", values)
            versions = self._versions(db, organism, earlier) if earlier is not None else []
            if versions and not gone(versions[-1], record.recorded_at):
                if versions[0].text != record.text:
                    raise Conflict("this idempotency key was used for another text", key=record.idempotency_key)
                return versions[-1], False
        if value(db, "taken", values):
            raise Conflict(f"the id {record.id} is taken", record_id=record.id)
        run(db, "add_vitals", vitals_values(organism, record.id, record.vitals))
        if record.idempotency_key is not None:
            run(db, "remember_sent", values)
        return self._file(db, organism, entry, encoder), True

    def _file(self, db: apsw.Connection, organism: int, entry: Entry, encoder: int) -> Record:
        record = entry.record
        time_slice = value(db, "take_slice", {"organism": organism, "region": record.region})
        address = msgspec.structs.replace(record.address, time_slice=time_slice)
        stored = msgspec.structs.replace(record, address=address)
        seq = value(db, "add_record", record_values(organism, stored))
        run(db, "add_trace", (seq, organism, *packed(entry.trace)))
        if entry.vectors is not None:
            data = entry.vectors.astype(np.float16).tobytes()
            run(db, "add_vector", (encoder, organism, seq, data))
        return stored

    def supersede(self, sight: Sight, entry: Entry, encoder: Encoder) -> Record:
        """Add the next version of a record."""
        with self._db.writing() as db:
            number = self._require(db, encoder)
            record = entry.record
            if (record.world, record.actor_id) != sight.viewpoint.organism:
                raise NotFound(f"there is no record {record.id!r} here", record_id=record.id)
            newest = self._changeable(db, sight, [record.id])[0]
            if record.version != newest.version + 1:
                raise PreconditionFailed(
                    f"{record.id} is at version {newest.version}", record_id=record.id, version=newest.version
                )
            organism = self._seen_organism(db, sight)
            values = {"organism": organism, "id": record.id, "at": stamp(record.recorded_at)}
            run(db, "retire_version", values)
            run(db, "change_vitals", vitals_values(organism, record.id, record.vitals))
            return self._file(db, organism, entry, number)

    def get(self, sight: Sight, ids: Sequence[str]) -> list[Record]:
        """The visible ones of these records, in the order asked."""
        with self._db.reading() as db:
            return self._get(db, sight, ids)

    def history(self, sight: Sight, record_id: str) -> list[Record]:
        """All versions of a record that is visible now, oldest first."""
        with self._db.reading() as db:
            self._visible(db, sight, [record_id])
            return self._versions(db, self._seen_organism(db, sight), record_id)

    def scan(
        self, sight: Sight, *, order: Order, limit: int | None = None, after: Record | None = None
    ) -> Iterator[Record]:
        """The visible records in the order of the time they speak of, from `after` on."""
        left = limit
        while left is None or left > 0:
            page = self._page(sight, order, min(_PAGE, left or _PAGE), after)
            yield from page
            if len(page) < min(_PAGE, left or _PAGE):
                return
            after = page[-1]
            left = None if left is None else left - len(page)

    def _page(self, sight: Sight, order: Order, limit: int, after: Record | None) -> list[Record]:
        with self._db.reading() as db:
            seen = self._sight(db, sight)
            if seen is None:
                return []
            condition, values = seen
            newest = order is Order.NEWEST
            sign = "<" if newest else ">"
            place = f"(r.occurred_at, r.id) {sign} (:after_at, :after_id)" if after else "true"
            if after:
                values |= {"after_at": stamp(after.occurred_at), "after_id": after.id}
            rows = run(
                db,
                "records_in_time",
                values | {"limit": limit},
                columns=COLUMNS,
                sight=condition,
                after=place,
                direction="desc" if newest else "asc",
            )
            return [record_of(row) for row in rows]

    def revise(self, sight: Sight, ids: Sequence[str], change: Callable[[Record], Vitals]) -> list[Record]:
        """Change the vitals of records, all or none."""
        with self._db.writing() as db:
            records = self._changeable(db, sight, ids)
            organism = self._seen_organism(db, sight)
            revised = [msgspec.structs.replace(one, vitals=change(one)) for one in records]
            for one in revised:
                run(db, "change_vitals", vitals_values(organism, one.id, one.vitals))
            return revised

    def erase(self, sight: Sight, ids: Sequence[str]) -> bool:
        """Remove records for good, with all versions and indexes, also from the free pages of the file."""
        with self._db.writing() as db:
            self._changeable(db, sight, ids)
            organism = self._seen_organism(db, sight)
            for one in dict.fromkeys(ids):
                values = {"organism": organism, "id": one, "at": stamp(sight.now)}
                run(db, "remove_record", values)
                run(db, "bury", values)
        self._mirrors.drop(organism)
        with self._db.maintaining() as db:
            # The log still holds the old pages until it is written back and cut.
            # It does not wait for a reader: every writer of this process would wait with it.
            db.set_busy_timeout(0)
            try:
                return not db.execute("pragma wal_checkpoint(truncate)").fetchall()[0][0]
            finally:
                db.set_busy_timeout(BUSY_MILLISECONDS)

    def organisms(self) -> list[tuple[str, str]]:
        """Every (world, actor) that has records."""
        with self._db.reading() as db:
            return [(row[0], row[1]) for row in run(db, "organisms")]

    def backup(self, path: str) -> None:
        """A consistent copy of everything, made while others go on."""
        target = Path(path)
        if target.exists():
            raise Conflict(f"{target} exists already", path=path)
        if not target.parent.is_dir():
            raise Invalid(f"there is no folder {target.parent} to back up into", path=path)
        unfinished = target.with_name(f".{target.name}.unfinished")
        with translated(target), self._db.apart() as source:
            unfinished.unlink(missing_ok=True)
            unfinished.touch(mode=0o600)
            try:
                copy = apsw.Connection(str(unfinished))
                with copy.backup("main", source, "main") as running:
                    running.step()
                copy.close()
                unfinished.rename(target)
            finally:
                unfinished.unlink(missing_ok=True)

    def check(self) -> list[str]:
        """What is wrong with the file, in words; nothing when all is well."""
        with self._db.apart() as db:
            found = [str(row[0]) for row in db.execute("pragma integrity_check")]
            orphans = [f"foreign key: {row[0]} row {row[1]}" for row in db.execute("pragma foreign_key_check")]
            return [one for one in found if one != "ok"] + orphans

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _organism(self, db: apsw.Connection, world: str, actor: str) -> int | None:
        return value(db, "organism_of", {"world": world, "actor": actor})

    def _seen_organism(self, db: apsw.Connection, sight: Sight) -> int:
        organism = self._organism(db, sight.viewpoint.world, sight.viewpoint.actor_id)
        if organism is None:
            raise NotFound("there is no such memory")
        return organism

    def _sight(self, db: apsw.Connection, sight: Sight) -> tuple[str, dict[str, Any]] | None:
        organism = self._organism(db, sight.viewpoint.world, sight.viewpoint.actor_id)
        return None if organism is None else clause(sight, organism)

    def _get(self, db: apsw.Connection, sight: Sight, ids: Sequence[str]) -> list[Record]:
        seen = self._sight(db, sight)
        if seen is None:
            return []
        condition, values = seen
        values["ids"] = json.dumps(list(dict.fromkeys(ids)))  # it escapes what is no character
        rows = run(db, "records_by_id", values, columns=COLUMNS, sight=condition)
        return [record_of(row) for row in rows]

    def _visible(self, db: apsw.Connection, sight: Sight, ids: Sequence[str]) -> list[Record]:
        found = self._get(db, sight, ids)
        missing = set(ids) - {record.id for record in found}
        if missing:
            first = next(one for one in ids if one in missing)
            raise NotFound(f"there is no record {first!r} here", record_id=first)
        return found

    def _changeable(self, db: apsw.Connection, sight: Sight, ids: Sequence[str]) -> list[Record]:
        found = self._visible(db, sight, ids)
        for record in found:
            if not sight.owner and not may_change(record, sight.viewpoint):
                raise Forbidden(f"{record.id} belongs to {record.node} and is read-only here", record_id=record.id)
        return found

    def _versions(self, db: apsw.Connection, organism: int, record_id: str) -> list[Record]:
        rows = run(db, "versions_of", {"organism": organism, "id": record_id}, columns=COLUMNS)
        return [record_of(row) for row in rows]
