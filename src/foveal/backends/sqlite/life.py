"""Which records stand in which tier of a SQLite file, and the moves between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import apsw
import msgspec
import numpy as np
from msgspec import UNSET, UnsetType
from numpy.typing import NDArray

from foveal.backends.relational.move_rows import EVER, move_values, moves_of
from foveal.backends.relational.record_rows import record_of, vitals_values
from foveal.backends.relational.stamps import moment, stamp
from foveal.backends.relational.vector_rows import middle
from foveal.backends.sqlite.part import Part
from foveal.backends.sqlite.query import run, run_all
from foveal.backends.sqlite.rows import COLUMNS, COLUMNS_OF_ANY
from foveal.model.journal import Move
from foveal.model.record import Record
from foveal.model.sight import Sight, Viewpoint
from foveal.model.tier import Tier
from foveal.model.vitals import Vitals
from foveal.ports.entry import Encoder
from foveal.ports.life import Act, Room
from foveal.rules.changing import as_made, lives_after
from foveal.rules.visibility import refuse_foreign, refuse_half


class Life(Part):
    """How records age in the file."""

    def rooms(
        self, tier: Tier, viewpoint: Viewpoint | None = None, *, before: datetime | None = None
    ) -> list[Room]:
        """What each session holds in a tier, of one organism or of all."""
        with self._db.reading() as db:
            organism = viewpoint and self._organism(db, viewpoint.world, viewpoint.actor_id)
            if viewpoint and organism is None:
                return []
            name = "rooms_of_organism" if viewpoint else "rooms"
            values = {"tier": int(tier), "organism": organism, "before": stamp(before) if before else EVER}
            return [
                Room(world=world, actor_id=actor, session_id=session or None, records=count, oldest=moment(oldest))
                for world, actor, session, count, oldest in run(db, name, values)
            ]

    def held(
        self, sight: Sight, tier: Tier, *, session_id: str | UnsetType | None = UNSET, limit: int
    ) -> list[Record]:
        """What a tier holds, oldest first: of one session, or of all."""
        more: dict[str, Any] = {"tier": int(tier), "limit": limit}
        if session_id is UNSET:
            return self._standing(sight, "held", more)
        return self._standing(sight, "held_in_session", more | {"session": session_id or ""})

    def _standing(self, sight: Sight, name: str, more: Mapping[str, Any]) -> list[Record]:
        with self._db.reading() as db:
            seen = self._sight(db, sight)
            if seen is None:
                return []
            return [record_of(row) for row in run(db, name, {**seen[1], **more}, columns=COLUMNS, sight=seen[0])]

    def act(self, sight: Sight, acts: Sequence[Act], encoder: Encoder) -> list[Move]:
        """Make moves, all in one transaction, with their rows in the journal."""
        with self._db.writing() as db:
            organism = self._organism(db, sight.viewpoint.world, sight.viewpoint.actor_id)
            if organism is None:
                return []
            ids = [change.record_id for act in acts for change in act.move.changes]
            found = self._get(db, msgspec.structs.replace(sight, hidden=True), ids)
            refuse_foreign(found, sight)
            lives = {one.id: one.vitals for one in found}
            for undone in {act.undoes for act in acts} - {None}:
                rows = run(db, "moved_by", {"organism": organism, "move": undone})
                refuse_half((row[0] for row in rows), lives)
            made: list[tuple[Act, dict[str, Vitals]]] = []
            for act in acts:
                new = lives_after(act.move, lives)
                if new is not None:
                    for one, vitals in new.items():
                        new[one] = self._dated(db, organism, one, lives[one], vitals, act.move.at)
                    lives.update(new)
                    made.append((act, new))
            entries = [entry for act, _ in made for entry in act.entries]
            if entries:
                self._append(db, entries, self._require(db, encoder))
            changes = [
                vitals_values({"organism": organism}, one, vitals) for _, new in made for one, vitals in new.items()
            ]
            run_all(db, "change_vitals", changes)
            for act, _ in made:
                for link in act.links:
                    self._put_link(db, organism, link)
                if act.undoes is not None:
                    run(db, "mark_undone", {"organism": organism, "move": act.undoes, "at": stamp(act.move.at)})
            self._journal(db, organism, [as_made(act.move, new) for act, new in made])
            return [act.move for act, _ in made]

    def _journal(self, db: apsw.Connection, organism: int, moves: Sequence[Move]) -> None:
        run_all(db, "add_move", move_values({"organism": organism}, moves))

    def journal(
        self, sight: Sight, *, record_id: str | None = None, move_id: str | None = None, limit: int
    ) -> list[Move]:
        """Moves of records that may be seen, or could before they were forgotten: newest first."""
        with self._db.reading() as db:
            seen = self._sight(db, msgspec.structs.replace(sight, hidden=True))
            if seen is None:
                return []
            values = seen[1] | {"record_id": record_id, "move": move_id, "limit": limit}
            return moves_of(run(db, "moves", values, sight=seen[0]))

    def counted_moves(self, sight: Sight) -> dict[tuple[str, Tier], tuple[int, datetime]]:
        """How many moves of each kind left each tier, and when the last did."""
        with self._db.reading() as db:
            seen = self._sight(db, msgspec.structs.replace(sight, hidden=True))
            if seen is None:
                return {}
            rows = run(db, "counted_moves", seen[1], sight=seen[0])
            return {(row[0], Tier(row[1])): (row[2], moment(row[3])) for row in rows}

    def forget_moves(self, before: datetime, limit: int) -> int:
        """Drop the oldest rows of the journal. Gives how many went."""
        with self._db.writing() as db:
            run(db, "forget_moves", {"before": stamp(before), "limit": limit})
            return db.changes()

    def arrivals(self, sight: Sight, limit: int) -> list[Record]:
        """What came to L4 and was not yet compared with the rest, oldest first."""
        return self._standing(sight, "arrivals", {"limit": limit})

    def settle(self, viewpoint: Viewpoint, ids: Sequence[str]) -> None:
        """Say that arrivals were compared."""
        with self._db.writing() as db:
            organism = self._organism(db, viewpoint.world, viewpoint.actor_id)
            for one in ids:
                run(db, "settle", {"organism": organism, "id": one})

    def facts(self, viewpoint: Viewpoint, encoder: Encoder, limit: int) -> dict[str, NDArray[np.float32]]:
        """The newest of what L4 holds and nothing was consolidated into: id and vector."""
        with self._db.reading() as db:
            used = self._in_use(db, encoder)
            values = {
                "organism": self._organism(db, viewpoint.world, viewpoint.actor_id),
                "encoder": used[0] if used else None,
                "limit": limit,
            }
            return {
                row[0]: middle(np.frombuffer(row[1], np.float16).reshape(-1, encoder.dimension))
                for row in run(db, "facts", values)
            }

    def faded(self, now: datetime, idle: timedelta, *, rate: float, below: float, limit: int) -> list[Record]:
        """Records of L4, of any actor, unused for that long, not pinned, whose strength is below that."""
        with self._db.reading() as db:
            values = {
                "now": stamp(now),
                "before": stamp(now - idle),
                "kept": 1 - rate,
                "below": below,
                "limit": limit,
            }
            return [record_of(row) for row in run(db, "faded", values, columns=COLUMNS_OF_ANY)]

    def expired(self, now: datetime, viewpoint: Viewpoint | None, limit: int) -> list[Record]:
        """Records of one organism, or of all, whose time has run out and that are not forgotten yet."""
        with self._db.reading() as db:
            organism = viewpoint and (self._organism(db, viewpoint.world, viewpoint.actor_id) or -1)
            values = {"now": stamp(now), "limit": limit, "organism": organism}
            return [record_of(row) for row in run(db, "expired", values, columns=COLUMNS_OF_ANY)]
