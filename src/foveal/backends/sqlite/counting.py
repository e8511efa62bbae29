"""Regions, counts and places in time in a SQLite file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from datetime import datetime
from typing import Any

import apsw
import msgspec

from foveal.backends.relational.bond_rows import region_of
from foveal.backends.relational.encoder_rows import NONE
from foveal.backends.relational.stamps import moment, moment_or_none
from foveal.backends.sqlite.encoding import Encoding
from foveal.backends.sqlite.query import run, text, value
from foveal.backends.sqlite.sight import WAYS, clause
from foveal.model.outcome import Region, Stats
from foveal.model.sight import Sight
from foveal.model.tier import Tier
from foveal.ports.store import Order


class Counting(Encoding):
    """How much there is, and where."""

    def regions(self, sight: Sight) -> list[Region]:
        """The regions with visible records, by name."""
        with self._db.reading() as db:
            return [region_of(row) for row in self._counted(db, sight, "regions_seen")]

    def stats(self, sight: Sight) -> Stats:
        """How much of it is visible."""
        with self._db.reading() as db:
            active = self._active(db)
            rows = self._counted(db, sight, "counts_seen")
            tiers, held, kinds, scopes = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
            ids, regions, sessions = set[str](), set[str](), set[str | None]()
            for tier, kind, scope, archived, count, *_, named, lying, said in rows:
                name = Tier(tier).name.lower()
                tiers[name] += count
                held[name] += 0 if archived else count
                kinds[kind] += count
                scopes[scope] += count
                ids.update(_names(named))
                regions.update(_names(lying))
                sessions.update(_names(said))
            beside, size = self._beside(db, sight) if rows else (0, 0)
            return Stats(
                records=len(ids),
                versions=len(ids) + beside,
                links=_within(db, ids, self._seen_organism(db, sight)) if rows else 0,
                pinned=sum(row[5] for row in rows),
                archived=sum(row[4] for row in rows if row[3]),
                pending=self._pending(db, sight, active[0] if active else NONE) if rows else 0,
                tiers=dict(sorted(tiers.items())),
                held=dict(sorted((+held).items())),
                kinds=dict(sorted(kinds.items())),
                scopes=dict(sorted(scopes.items())),
                regions=len(regions),
                sessions=len(sessions - {None}),
                first_at=moment_or_none(min((row[6] for row in rows), default=None)),
                last_at=moment_or_none(max((row[7] for row in rows), default=None)),
                bytes=sum(row[8] for row in rows) + size,
                encoder=active[1].id if active else None,
            )

    def _beside(self, db: apsw.Connection, sight: Sight) -> tuple[int, int]:
        """How many other versions the visible records have, and how long those are."""
        seen = self._sight(db, sight)
        [(count, size)] = run(db, "versions_beside_seen", seen[1], sight=seen[0]) if seen else [(0, 0)]
        return count, size

    def _pending(self, db: apsw.Connection, sight: Sight, encoder: int) -> int:
        """How many versions wait for their vectors. Mostly none do, which is known by two numbers."""
        organism = self._seen_organism(db, sight)
        if not value(db, "versions_without_vectors", {"organism": organism, "encoder": encoder}):
            return 0
        [(pending,)] = self._counted(db, sight, "pending_of_seen", encoder=encoder)
        return pending

    def marks(self, sight: Sight, *, order: Order, every: int) -> tuple[int, list[tuple[int, datetime, str]]]:
        """How many records `scan` gives, and the place, time and id of each `every`th of them."""
        with self._db.reading() as db:
            organism = self._organism(db, sight.viewpoint.world, sight.viewpoint.actor_id)
            if organism is None:
                return 0, []
            values: dict[str, Any] = {"every": every}
            parts: list[str] = []
            for way in WAYS[:1] if sight.owner else WAYS:
                condition, bound = clause(sight, organism, way)
                values |= bound
                parts.append(
                    text("records_on_one_way", columns="r.occurred_at, r.id", sight=condition, after="true")
                )
            direction = "desc" if order is Order.NEWEST else "asc"
            rows = run(db, "marks_in_time", values, ways=" union all ".join(parts), direction=direction)
            found = [(place, moment(at), name) for place, at, name in rows if place % every == 0]
            return (rows[-1][0] if rows else 0), found

    def nodes(self, sight: Sight) -> list[tuple[str, str, int]]:
        """How many visible records each node wrote at each scope."""
        with self._db.reading() as db:
            return [(node, scope, count) for node, scope, count in self._counted(db, sight, "counts_by_node")]

    def _counted(self, db: apsw.Connection, sight: Sight, name: str, **more: int) -> list[Any]:
        seen = self._sight(db, sight, counted=True)
        if seen is None:
            return []
        return run(db, name, seen[1] | more, sight=seen[0])


def _names(listed: str) -> list[Any]:
    return msgspec.json.decode(listed)


def _within(db: apsw.Connection, ids: Set[str], organism: int) -> int:
    """How many links tie two of these records."""
    pairs = run(db, "links_of_organism", {"organism": organism})
    return sum(source in ids and target in ids for source, target in pairs)
