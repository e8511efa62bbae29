"""The tiers of records, the moves between tiers, and the renditions of sessions and regions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType
from numpy.typing import NDArray

from foveal.backends.sql.records import Records
from foveal.backends.sql.rows import (
    from_micros,
    middle,
    struct_of,
    tier_of,
    to_micros,
    values_of,
    vitals_values,
)
from foveal.backends.sql.session import Dialect, Organism, Session, Transaction
from foveal.backends.sql.vectors import Vectors
from foveal.backends.sql.visibility import Part
from foveal.model.query import Access, Viewpoint
from foveal.model.record import Record, Rendition, Subject, Tier, Vitals
from foveal.model.results import Change, Move
from foveal.ports.store import Encoder, PlannedMove, TierSession
from foveal.rules.lifecycle import as_made, lives_after
from foveal.rules.visibility import parent_node, require_own, require_whole

# The end of time, where a query wants one.
_EVER = 1 << 62


class Lifecycle(Part):
    """Reads and writes tiers, moves and renditions."""

    def __init__(self, session: Session, dialect: Dialect, vectors: Vectors, records: Records) -> None:
        super().__init__(session, dialect)
        self._vectors, self._records = vectors, records

    def tier_sessions(
        self, tier: Tier, viewpoint: Viewpoint | None = None, *, before: datetime | None = None
    ) -> list[TierSession]:
        """How many records each session has in a tier, in one organism or in all."""
        with self._session.reading(viewpoint) as db:
            own = db.organism_or_nobody(viewpoint) if viewpoint else self._dialect.everyone
            name = "rooms_of_organism" if viewpoint else "rooms"
            values = {**own, "tier": int(tier), "before": to_micros(before) if before else _EVER}
            rows = db.rows(name, values)
            return [struct_of(TierSession, row, session_id=row.session_id or None) for row in rows]

    def in_tier(
        self, access: Access, tier: Tier, *, session_id: str | UnsetType | None = UNSET, limit: int
    ) -> list[Record]:
        """The records in a tier, oldest first, of one session or of all."""
        values: dict[str, Any] = {"tier": int(tier), "limit": limit}
        with self._session.reading(access.viewpoint) as db:
            if session_id is UNSET:
                return self._seen_records(db, access, "held", values)
            return self._seen_records(db, access, "held_in_session", values | {"session": session_id or ""})

    def used_again(
        self, viewpoint: Viewpoint | None, *, uses: int, importance: float, after: Record | None, limit: int
    ) -> list[Record]:
        """Archived records that were used since, of one organism or of all, by id and behind `after`."""
        with self._session.reading(viewpoint) as db:
            own = db.organism_or_nobody(viewpoint) if viewpoint else self._dialect.everyone
            bounds = {"uses": uses, "importance": importance, "after": after.id if after else "", "limit": limit}
            return self._sound(db.run("used_again", {**own, **bounds}, columns=self._dialect.columns_of_any))

    def apply(self, access: Access, acts: Sequence[PlannedMove], encoder: Encoder) -> list[Move]:
        """Apply moves and journal them, all in one transaction. Returns the moves that still applied."""
        with self._session.writing(access.viewpoint) as db:
            organism = db.organism(access.viewpoint)
            if organism is None:
                return []
            ids = [change.record_id for act in acts for change in act.move.changes]
            records = self._records.get_in(db, msgspec.structs.replace(access, include_hidden=True), ids)
            require_own(records, access)
            lives = {record.id: record.vitals for record in records}
            for undone in {act.undoes for act in acts} - {None}:
                rows = db.rows("moved_by", {**organism, "move": undone})
                require_whole((row.record_id for row in rows), lives)
            applied: list[tuple[PlannedMove, dict[str, Vitals]]] = []
            for act in acts:
                new = lives_after(act.move, lives)
                if new is not None:
                    for record_id, vitals in new.items():
                        new[record_id] = self._records.date_vitals(
                            db, organism, record_id, lives[record_id], vitals, act.move.at
                        )
                    lives.update(new)
                    applied.append((act, new))
            for bounded in (True, False):
                self._append(db, [act for act, _ in applied if act.bounded is bounded], encoder, bounded=bounded)
            changes = [
                vitals_values(organism, record_id, vitals)
                for _, new in applied
                for record_id, vitals in new.items()
            ]
            db.batch(("change_vitals", changes))
            for entry in (entry for act, _ in applied for entry in act.versions):
                self._records.supersede_in(db, access, entry, self._vectors.require(db, encoder))
            for act, _ in applied:
                for link in act.links:
                    db.change("put_link", values_of(link, **organism))
                for link in act.unlinks:
                    ends = {"source_id": link.source_id, "target_id": link.target_id, "kind": link.kind}
                    db.change("remove_links", {**organism, **ends})
                if act.undoes is not None:
                    db.change("mark_undone", {**organism, "move": act.undoes, "at": to_micros(act.move.at)})
            self.add_to_journal(db, organism, [as_made(act.move, new) for act, new in applied])
            return [act.move for act, _ in applied]

    def _append(self, db: Transaction, acts: Sequence[PlannedMove], encoder: Encoder, *, bounded: bool) -> None:
        entries = [entry for act in acts for entry in act.entries]
        if entries:
            self._records.append_in(db, entries, self._vectors.require(db, encoder), bounded=bounded)

    def add_to_journal(self, db: Transaction, organism: Organism, moves: Sequence[Move]) -> None:
        """Journal moves that another part of the store makes in this transaction."""
        rows: list[dict[str, Any]] = []
        for move in moves:
            of_move = values_of(move, **organism)
            rows += [values_of(change, **of_move) for change in move.changes]
        db.batch(("add_move", rows))

    def journal(
        self, access: Access, *, record_id: str | None = None, move_id: str | None = None, limit: int
    ) -> list[Move]:
        """Moves of records that are visible, or were before they were forgotten; newest first."""
        with self._session.reading(access.viewpoint) as db:
            asked = {"record_id": record_id, "move": move_id, "limit": limit}
            rows = self._seen(db, msgspec.structs.replace(access, include_hidden=True), "moves", asked)
            return self._each(Move, _by_move(rows), _move_of)

    def counted_moves(self, access: Access) -> dict[tuple[str, Tier], tuple[int, datetime]]:
        """How many moves of each kind left each tier, and when the last one did."""
        with self._session.reading(access.viewpoint) as db:
            rows = self._seen(db, msgspec.structs.replace(access, include_hidden=True), "counted_moves", {})
            return {(what, tier_of(tier)): (count, from_micros(last)) for what, tier, count, last in rows}

    def forget_moves(self, before: datetime, limit: int) -> int:
        """Delete the oldest rows of the journal. Returns how many were deleted."""
        with self._session.writing() as db:
            return db.change("forget_moves", {"before": to_micros(before), "limit": limit})

    def uncompared(self, access: Access, limit: int) -> list[Record]:
        """Records that came to L4 and were not yet compared with the others there, oldest first."""
        with self._session.reading(access.viewpoint) as db:
            return self._seen_records(db, access, "arrivals", {"limit": limit})

    def mark_compared(self, viewpoint: Viewpoint, ids: Sequence[str]) -> None:
        """Mark new records of L4 as compared."""
        with self._session.writing(viewpoint) as db:
            db.change("settle", {**db.organism_or_nobody(viewpoint), "ids": self._dialect.texts(ids)})

    def facts(self, viewpoint: Viewpoint, encoder: Encoder, limit: int) -> dict[str, NDArray[np.float32]]:
        """The newest records of L4 that are not themselves consolidated: id and vector."""
        with self._session.reading(viewpoint) as db:
            used = self._vectors.in_use(db, encoder)
            values = {
                **db.organism_or_nobody(viewpoint),
                "encoder": used[0] if used else None,
                "limit": limit,
            }
            return {
                record_id: middle(self._dialect.vectors_of(data, encoder.dimension))
                for record_id, data in db.run("facts", values)
            }

    def faded(self, now: datetime, idle: timedelta, *, rate: float, below: float, limit: int) -> list[Record]:
        """Unpinned records of L4, of any actor, that were unused for `idle` and whose strength is under `below`."""
        with self._session.reading() as db:
            values = {
                "now": to_micros(now),
                "before": to_micros(now - idle),
                "kept": 1 - rate,
                "below": below,
                "limit": limit,
            }
            return self._sound(db.run("faded", values, columns=self._dialect.columns_of_any))

    def expired(self, now: datetime, viewpoint: Viewpoint | None, limit: int) -> list[Record]:
        """Expired records, of one organism or of all, that are not forgotten yet."""
        with self._session.reading(viewpoint) as db:
            own = db.organism_or_nobody(viewpoint) if viewpoint else self._dialect.everyone
            values = {**own, "now": to_micros(now), "limit": limit}
            return self._sound(db.run("expired", values, columns=self._dialect.columns_of_any))

    def unsummarised(
        self, kind: Subject, viewpoint: Viewpoint | None, before: datetime, limit: int
    ) -> list[tuple[Viewpoint, str]]:
        """Sessions or regions, of one organism or of all, with new records since they were last summarised."""
        with self._session.reading(viewpoint) as db:
            own = db.organism_or_nobody(viewpoint) if viewpoint else self._dialect.everyone
            values = {**own, "before": to_micros(before), "limit": limit}
            rows = db.run(f"unsummarised_{kind.value}s", values)
            return [(Viewpoint(world=world, actor_id=actor), subject) for world, actor, subject in rows]

    def summarise(self, viewpoint: Viewpoint, kind: Subject, subject: str, made: Sequence[Rendition]) -> None:
        """Replace the renditions of a session or region with these."""
        with self._session.writing(viewpoint) as db:
            organism = db.organism_or_nobody(viewpoint)
            place = {**organism, "kind": kind.value, "subject": subject}
            db.change("summarised", place)
            db.change("remove_renditions", place)
            sources: list[dict[str, Any]] = []
            for rendition in made:
                number = db.value("add_rendition", values_of(rendition, **place, up=parent_node(rendition.node)))
                own = {**organism, "rendition": number}
                sources += [{**own, "id": source, "version": version} for source, version in rendition.sources]
            db.batch(("add_source", sources))

    def renditions(
        self, access: Access, kind: Subject, *, subjects: Sequence[str] | None = None, limit: int
    ) -> list[Rendition]:
        """The visible renditions of sessions or regions, of these `subjects` or of all, latest first."""
        with self._session.reading(access.viewpoint) as db:
            listed = None if subjects is None else self._dialect.texts(subjects)
            asked = {"kind": kind.value, "limit": limit, "subjects": listed}
            organism = db.organism_or_nobody(access.viewpoint)

            def rendition(row: Any) -> Rendition:
                sources = db.run("sources_of", {**organism, "rendition": row.number})
                return struct_of(Rendition, row, sources=tuple(sources))

            return self._each(Rendition, self._seen(db, access, "renditions_seen", asked), rendition)


class _MoveRows(NamedTuple):
    """The id of a move, and its rows of the journal, newest first."""

    id: str
    parts: list[Any]


def _by_move(rows: Iterable[Any]) -> list[_MoveRows]:
    """The rows of the journal by move, newest first; within a move, the last change comes first."""
    moves: dict[str, list[Any]] = {}
    for row in rows:
        moves.setdefault(row.id, []).append(row)
    return [_MoveRows(*move) for move in moves.items()]


def _move_of(rows: _MoveRows) -> Move:
    changes = tuple(struct_of(Change, part) for part in reversed(rows.parts))
    return struct_of(Move, rows.parts[-1], changes=changes)
