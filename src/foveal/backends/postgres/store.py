"""Records in a Postgres database: read, listed, revised, erased."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec

from foveal.backends.mirror import Mirrors
from foveal.backends.postgres.building import Builder
from foveal.backends.postgres.connection import Connections
from foveal.backends.postgres.crystals import Crystals
from foveal.backends.postgres.encoding import Encoding
from foveal.backends.postgres.families import Families
from foveal.backends.postgres.filing import Filing
from foveal.backends.postgres.finding import MIRROR_RECORDS, Finding
from foveal.backends.postgres.kin import Kin
from foveal.backends.postgres.lately import Lately
from foveal.backends.postgres.ledger import Ledger
from foveal.backends.postgres.life import Life
from foveal.backends.postgres.moments import Moments
from foveal.backends.postgres.opening import WAIT_SECONDS, opened
from foveal.backends.postgres.part import NOBODY
from foveal.backends.postgres.query import Db, Organism, change, change_all, run, text, texts, value
from foveal.backends.postgres.recollections import Recollections
from foveal.backends.postgres.renditions import Renditions
from foveal.backends.postgres.retrying import patient
from foveal.backends.postgres.rows import COLUMN_NAMES, COLUMNS
from foveal.backends.postgres.samples import Samples
from foveal.backends.postgres.schema import PARTITIONS
from foveal.backends.postgres.sight import WAYS, clause
from foveal.backends.postgres.tapes import Taping
from foveal.backends.postgres.upkeep import Upkeep
from foveal.backends.postgres.versions import Versions
from foveal.backends.relational.record_rows import record_of, vitals_values
from foveal.backends.relational.stamps import stamp
from foveal.errors import Invalid, NotFound, StoreUnavailable
from foveal.model.record import Record
from foveal.model.sight import Sight, Viewpoint
from foveal.model.vitals import Vitals
from foveal.ports.store import Capability, Order
from foveal.rules.admitting import refuse_missing
from foveal.rules.moments import after
from foveal.rules.visibility import follows, refuse_foreign

_PAGE = 500


@patient
class PostgresStore(
    Filing,
    Finding,
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
    """Everything in a PostgreSQL database with pgvector, for any number of servers.

    One organism is written by one transaction at a time, so what a call has acknowledged the next one sees.
    """

    capabilities = frozenset({Capability.DURABLE, Capability.MANY_PROCESSES, Capability.REMOTE})

    def __init__(
        self,
        url: str,
        *,
        pool_size: int = 10,
        partitions: int = PARTITIONS,
        replica: str | None = None,
        staleness: timedelta = timedelta(seconds=5),
        wait_seconds: float = WAIT_SECONDS,
        mirror_records: int = MIRROR_RECORDS,
    ) -> None:
        if mirror_records < 0:
            raise Invalid("mirror_records must not be negative")
        self._db: Connections = opened(
            url,
            pool_size=pool_size,
            partitions=partitions,
            replica=replica,
            staleness=staleness,
            wait=wait_seconds,
        )
        self._mirrors = Mirrors()
        self._mirror_records = mirror_records
        self._samples = Samples()
        self._lately = Lately()
        self._builder = Builder(self._db)

    def get(self, sight: Sight, ids: Sequence[str]) -> list[Record]:
        """The visible ones of these records, in the order asked."""
        with self._db.reading(sight.viewpoint) as db:
            return self._get(db, sight, ids)

    def history(self, sight: Sight, record_id: str) -> list[Record]:
        """The versions of a record that is visible now, oldest first: those whose own scope reaches the node."""
        with self._db.reading(sight.viewpoint) as db:
            self._visible(db, sight, [record_id])
            versions = self._versions(db, self._seen_organism(db, sight), record_id)
            return [one for one in versions if follows(one, sight)]

    def scan(
        self, sight: Sight, *, order: Order, limit: int | None = None, after: Record | None = None
    ) -> Iterator[Record]:
        """The visible records in the order of the time they speak of, from `after` on."""
        left = limit
        while left is None or left > 0:
            page = self.page(sight, order, min(_PAGE, left or _PAGE), after)
            yield from page
            if len(page) < min(_PAGE, left or _PAGE):
                return
            after = page[-1]
            left = None if left is None else left - len(page)

    def page(self, sight: Sight, order: Order, limit: int, after: Record | None) -> list[Record]:
        """At most so many of what `scan` gives."""
        with self._db.reading(sight.viewpoint) as db:
            organism = db.organism
            if organism is None:
                return []
            newest = order is Order.NEWEST
            sign = "<" if newest else ">"
            place = f"(r.occurred_at, r.id) {sign} (%(after_at)s, %(after_id)s)" if after else "true"
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
        with self._db.writing(sight.viewpoint) as db:
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
            change_all(db, "change_vitals", [vitals_values(organism, one.id, one.vitals) for one in revised])
            return revised

    def erase(self, sight: Sight, ids: Sequence[str]) -> bool:
        """Remove records for good, with all versions and indexes; the server clears their bytes when it vacuums."""
        with self._db.writing(sight.viewpoint) as db:
            self._changeable(db, sight, ids)
            organism = self._seen_organism(db, sight)
            self._erase(db, organism, ids, sight.now)
        self._let_go(organism)
        return True

    def _erase(self, db: Db, organism: Organism, ids: Sequence[str], now: datetime) -> None:
        at = stamp(after(now, self._floor(db, organism)))
        values = {**organism, "ids": list(dict.fromkeys(ids)), "at": at}
        # What was asked may tell of what is erased, so these reads go with it.
        for step in ("empty_answers", "remove_renditions_of", "remove_recollections_of", "remove_records", "bury"):
            change(db, step, values)

    def _let_go(self, organism: Organism) -> None:
        """Let nothing of what was erased stay in RAM."""
        self._mirrors.drop((organism["world"], organism["organism"]))
        self._samples.drop(organism)
        self._lately.drop((organism["world"], organism["actor"]))

    def organisms(self) -> list[tuple[str, str]]:
        """Every (world, actor) that has records."""
        with self._db.reading() as db:
            return [(row[0], row[1]) for row in run(db, "organisms")]

    def close(self) -> None:
        """Close the connections."""
        self._builder.close()
        self._db.close()

    def _organism(self, db: Db, world: str, actor: str) -> Organism | None:
        if db.viewpoint is not None and db.viewpoint.organism == (world, actor):
            return db.organism
        number = value(db, "organism_of", {"world": world, "actor": actor})
        return None if number is None else {"world": world, "organism": number, "actor": actor}

    def _some_organism(self, db: Db, viewpoint: Viewpoint) -> Organism:
        """The organism of a viewpoint, or one that has nothing."""
        return self._organism(db, viewpoint.world, viewpoint.actor_id) or NOBODY

    def _own_organism(self, db: Db, viewpoint: Viewpoint) -> Organism:
        """The organism of a viewpoint, made if need be, and held until the transaction ends."""
        if db.organism is not None and db.viewpoint is not None and db.viewpoint.organism == viewpoint.organism:
            return db.organism
        names = {"world": viewpoint.world, "actor": viewpoint.actor_id}
        db.look_at(viewpoint)
        number = value(db, "hold_organism", names)
        if number is None:
            change(db, "add_organism", names)
            number = value(db, "hold_organism", names)
        if number is None:
            raise StoreUnavailable("the memory was removed while it was written to")
        own: Organism = {"world": viewpoint.world, "organism": number, "actor": viewpoint.actor_id}
        db.organism = own
        return own

    def _seen_organism(self, db: Db, sight: Sight) -> Organism:
        organism = self._organism(db, sight.viewpoint.world, sight.viewpoint.actor_id)
        if organism is None:
            raise NotFound("there is no such memory")
        return organism

    def _sight(self, db: Db, sight: Sight) -> tuple[str, dict[str, Any]] | None:
        organism = self._organism(db, sight.viewpoint.world, sight.viewpoint.actor_id)
        return None if organism is None else clause(sight, organism)

    def _get(self, db: Db, sight: Sight, ids: Sequence[str]) -> list[Record]:
        seen = self._sight(db, sight)
        if seen is None:
            return []
        condition, values = seen
        values["ids"] = texts(dict.fromkeys(ids))
        rows = run(db, "records_by_id", values, columns=COLUMNS, sight=condition)
        return [record_of(row) for row in rows]

    def _visible(self, db: Db, sight: Sight, ids: Sequence[str]) -> list[Record]:
        found = self._get(db, sight, ids)
        refuse_missing(ids, found)
        return found

    def _changeable(self, db: Db, sight: Sight, ids: Sequence[str]) -> list[Record]:
        found = self._visible(db, sight, ids)
        refuse_foreign(found, sight)
        return found
