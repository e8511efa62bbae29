"""Records in a SQLite file: read, listed, revised, erased."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import apsw
import msgspec

from foveal.backends.mirror import Mirrors
from foveal.backends.relational.record_rows import record_of, vitals_values
from foveal.backends.relational.stamps import stamp
from foveal.backends.sqlite.connection import Connections, Synchronous
from foveal.backends.sqlite.crystals import Crystals
from foveal.backends.sqlite.encoding import Encoding
from foveal.backends.sqlite.families import Families
from foveal.backends.sqlite.filing import Filing
from foveal.backends.sqlite.kin import Kin
from foveal.backends.sqlite.ledger import Ledger
from foveal.backends.sqlite.life import Life
from foveal.backends.sqlite.moments import Moments
from foveal.backends.sqlite.query import run, text, value
from foveal.backends.sqlite.recall import Recall
from foveal.backends.sqlite.recollections import Recollections
from foveal.backends.sqlite.renditions import Renditions
from foveal.backends.sqlite.rows import COLUMN_NAMES, COLUMNS
from foveal.backends.sqlite.sight import COUNTED, WAYS, clause
from foveal.backends.sqlite.tapes import Taping
from foveal.backends.sqlite.upkeep import Upkeep
from foveal.backends.sqlite.versions import Versions
from foveal.errors import NotFound
from foveal.model.record import Record
from foveal.model.sight import Sight, Viewpoint
from foveal.model.vitals import Vitals
from foveal.ports.store import Capability, Order
from foveal.rules.admitting import refuse_missing
from foveal.rules.moments import after
from foveal.rules.visibility import follows, refuse_foreign

_PAGE = 500


class SqliteStore(
    Filing,
    Recall,
    Families,
    Life,
    Renditions,
    Recollections,
    Versions,
    Encoding,
    Crystals,
    Moments,
    Ledger,
    Taping,
    Kin,
    Upkeep,
):
    """Everything in one file, for any number of threads and processes.

    `synchronous` NORMAL survives a killed process, FULL also a power cut.
    """

    capabilities = frozenset({Capability.DURABLE, Capability.BACKUP, Capability.MANY_PROCESSES})

    def __init__(self, path: str | Path, *, synchronous: Synchronous = "NORMAL", read_only: bool = False) -> None:
        self._db = Connections(Path(path), synchronous=synchronous, read_only=read_only)
        self._mirrors = Mirrors()
        self._known = {}

    def get(self, sight: Sight, ids: Sequence[str]) -> list[Record]:
        """The visible ones of these records, in the order asked."""
        with self._db.reading() as db:
            return self._get(db, sight, ids)

    def history(self, sight: Sight, record_id: str) -> list[Record]:
        """The versions of a record that is visible now, oldest first: those whose own scope reaches the node."""
        with self._db.reading() as db:
            self._visible(db, sight, [record_id])
            versions = self._versions(db, self._seen_organism(db, sight), record_id)
            return [one for one in versions if follows(one, sight)]

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
            organism = self._organism(db, sight.viewpoint.world, sight.viewpoint.actor_id)
            if organism is None:
                return []
            newest = order is Order.NEWEST
            sign = "<" if newest else ">"
            place = f"(r.occurred_at, r.id) {sign} (:after_at, :after_id)" if after else "true"
            values: dict[str, Any] = {"limit": limit}
            if after:
                values |= {"after_at": stamp(after.occurred_at), "after_id": after.id}
            parts: list[str] = []
            # Each way is read in order from its index, and they are merged: what others hold is not looked at.
            for way in WAYS[:1] if sight.owner else WAYS:
                condition, bound = clause(sight, organism, way)
                values |= bound
                parts.append(text("records_on_one_way", columns=COLUMNS, sight=condition, after=place))
            rows = run(
                db,
                "records_in_time",
                values,
                ways=" union all ".join(parts),
                at=str(1 + COLUMN_NAMES.index("r.occurred_at")),
                id=str(1 + COLUMN_NAMES.index("r.id")),
                direction="desc" if newest else "asc",
            )
            return [record_of(row) for row in rows]

    def revise(self, sight: Sight, ids: Sequence[str], change: Callable[[Record], Vitals]) -> list[Record]:
        """Change the vitals of records, all or none."""
        with self._db.writing() as db:
            records = self._changeable(db, sight, ids)
            if not records:
                return []
            organism = self._seen_organism(db, sight)
            revised = [
                msgspec.structs.replace(
                    one, vitals=self._dated(db, organism, one.id, one.vitals, change(one), sight.now)
                )
                for one in records
            ]
            for one in revised:
                run(db, "change_vitals", vitals_values({"organism": organism}, one.id, one.vitals))
            return revised

    def erase(self, sight: Sight, ids: Sequence[str]) -> bool:
        """Remove records for good, with all versions and indexes, also from the free pages of the file."""
        with self._db.writing() as db:
            self._changeable(db, sight, ids)
            organism = self._seen_organism(db, sight)
            self._erase(db, organism, ids, sight.now)
        return self._cut_log(organism)

    def _erase(self, db: apsw.Connection, organism: int, ids: Sequence[str], now: datetime) -> None:
        at = stamp(after(now, self._floor(db, organism)))
        run(db, "empty_answers", {"organism": organism})
        for one in dict.fromkeys(ids):
            values = {"organism": organism, "id": one, "at": at}
            run(db, "remove_renditions_of", values)
            # What was asked may tell of what is erased, so these reads go with it.
            run(db, "remove_recollections_of", values)
            run(db, "remove_record", values)
            run(db, "bury", values)

    def _cut_log(self, organism: int) -> bool:
        """Let nothing of what was erased stay in RAM or in the log; False while a reader holds it."""
        self._mirrors.drop(organism)
        self._known.clear()
        # The log still holds the old pages until it is written back and cut.
        return self._db.cut_log()

    def organisms(self) -> list[tuple[str, str]]:
        """Every (world, actor) that has records."""
        with self._db.reading() as db:
            return [(row[0], row[1]) for row in run(db, "organisms")]

    def close(self) -> None:
        """Close the file."""
        self._known.clear()
        self._db.close()

    def _organism(self, db: apsw.Connection, world: str, actor: str) -> int | None:
        return value(db, "organism_of", {"world": world, "actor": actor})

    def _own_organism(self, db: apsw.Connection, viewpoint: Viewpoint) -> int:
        """The organism of a viewpoint, made if need be."""
        known = self._organism(db, viewpoint.world, viewpoint.actor_id)
        row = {"world": viewpoint.world, "actor": viewpoint.actor_id}
        return int(value(db, "add_organism", row)) if known is None else known

    def _seen_organism(self, db: apsw.Connection, sight: Sight) -> int:
        organism = self._organism(db, sight.viewpoint.world, sight.viewpoint.actor_id)
        if organism is None:
            raise NotFound("there is no such memory")
        return organism

    def _sight(
        self, db: apsw.Connection, sight: Sight, *, counted: bool = False
    ) -> tuple[str, dict[str, Any]] | None:
        organism = self._organism(db, sight.viewpoint.world, sight.viewpoint.actor_id)
        if organism is None:
            return None
        return clause(sight, organism, COUNTED) if counted else clause(sight, organism)

    def _get(self, db: apsw.Connection, sight: Sight, ids: Sequence[str]) -> list[Record]:
        seen = self._sight(db, sight)
        if seen is None:
            return []
        condition, values = seen
        wanted = list(dict.fromkeys(ids))
        values["ids"] = json.dumps(wanted)  # it escapes what is no character
        # Put in order here: a database would copy all the columns to do it.
        rows = {row[0]: row for row in run(db, "records_by_id", values, columns=COLUMNS, sight=condition)}
        return [record_of(rows[one]) for one in wanted if one in rows]

    def _visible(self, db: apsw.Connection, sight: Sight, ids: Sequence[str]) -> list[Record]:
        found = self._get(db, sight, ids)
        refuse_missing(ids, found)
        return found

    def _changeable(self, db: apsw.Connection, sight: Sight, ids: Sequence[str]) -> list[Record]:
        found = self._visible(db, sight, ids)
        refuse_foreign(found, sight)
        return found
