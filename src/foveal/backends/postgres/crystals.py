"""Crystals in a Postgres database: small rows, and texts that are kept once."""

from __future__ import annotations

import zlib
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Any, cast

import msgspec

from foveal.backends.postgres.part import Part
from foveal.backends.postgres.query import Db, Organism, change, run, value
from foveal.backends.relational.stamps import moment, moment_or_none, stamp, stamp_or_none
from foveal.errors import Conflict, Corrupt, NotFound, Pinned
from foveal.model.crystal import FocusFragment, Lineage, Reaped, StateCrystal, TaskState
from foveal.model.linearity import Linearity
from foveal.model.sight import Viewpoint
from foveal.model.window import Role

_COLUMNS = ", ".join(
    f"c.{name}"
    for name in (
        *("number", "id", "agent", "session_id", "made_at", "touched_at", "uses", "parent", "reason", "depth"),
        *("ttl", "pinned", "budget", "merged", "turns", "dropped", "summary_tokens", "focus_tokens", "fragments"),
        *("reaped_at", "summary", "state"),
    )
)
# A node sees its own crystals and those of the nodes below it, as it may change records.
_SEEN = "(c.agent = %(node)s or starts_with(c.agent, %(above)s))"
_MICROSECOND = timedelta(microseconds=1)


class _State(msgspec.Struct, frozen=True):
    task_state: TaskState
    working_memory: dict[str, Any]


class Crystals(Part):
    """The crystals of an organism."""

    def put_crystal(self, viewpoint: Viewpoint, crystal: StateCrystal, *, instead: bool = False) -> None:
        """Store a crystal, all of it or nothing; in the place of the one with its id if that is said."""
        with self._db.writing(viewpoint) as db:
            organism = self._own_organism(db, viewpoint)
            if instead:
                change(db, "remove_crystal", {**self._looking(db, viewpoint), "id": crystal.crystal_id}, seen=_SEEN)
            if value(db, "crystal_taken", {**organism, "id": crystal.crystal_id}):
                raise Conflict(f"the id {crystal.crystal_id} is taken", crystal_id=crystal.crystal_id)
            state = _State(crystal.task_state, dict(crystal.working_memory))
            summary = self._put_blob(db, organism, crystal.history_summary)
            kept = None
            if crystal.reaped_at is None:
                kept = self._put_blob(db, organism, msgspec.json.encode(state).decode())
            number = value(db, "add_crystal", _values(organism, crystal) | {"summary": summary, "state": kept})
            for place, one in enumerate(crystal.focus_fragments):
                content = self._put_blob(db, organism, one.content)
                row = {**organism, "crystal": number, "place": place, "id": one.id, "position": one.position}
                row |= {"hint": one.hint, "linearity": int(one.linearity), "role": one.role.value}
                row |= {"rationale": one.rationale, "condensed": one.condensed}
                change(db, "add_fragment", row | {"content": content})
            if instead:
                change(db, "remove_unused_blobs", organism)

    def crystal(self, viewpoint: Viewpoint, crystal_id: str) -> StateCrystal:
        """A whole crystal; of one that was reaped there is only the summary."""
        with self._db.reading(viewpoint) as db:
            row = self._crystal(db, viewpoint, crystal_id)
            state = _State(TaskState(), {})
            if row[21] is not None:
                state = msgspec.json.decode(self._blob(db, viewpoint, row[21]), type=_State)
            fragments = tuple(
                FocusFragment(
                    id=one[0],
                    position=one[1],
                    hint=one[2],
                    linearity=Linearity(one[3]),
                    role=Role(one[4]),
                    rationale=one[5],
                    condensed=one[6],
                    content=_text(one[7], one[8]),
                )
                for one in run(db, "fragments_of", {**self._some_organism(db, viewpoint), "number": row[0]})
            )
            return StateCrystal(
                crystal_id=row[1],
                agent=row[2],
                session_id=row[3],
                timestamp=moment(row[4]),
                touched_at=moment_or_none(row[5]),
                uses=row[6],
                parent_crystal=row[7],
                branch_reason=row[8],
                branch_depth=row[9],
                ttl=row[10] * _MICROSECOND,
                pinned=row[11],
                budget=row[12],
                merged=row[13],
                turns=row[14],
                dropped=row[15],
                summary_tokens=row[16],
                focus_tokens=row[17],
                reaped_at=moment_or_none(row[19]),
                history_summary=self._blob(db, viewpoint, row[20]),
                task_state=state.task_state,
                working_memory=state.working_memory,
                focus_fragments=fragments,
            )

    def lineages(self, viewpoint: Viewpoint) -> list[Lineage]:
        """Every crystal without its content, oldest first."""
        with self._db.reading(viewpoint) as db:
            rows = run(db, "crystals_of", self._looking(db, viewpoint), columns=_COLUMNS, seen=_SEEN)
            return [self._lineage(db, viewpoint, row) for row in rows]

    def ancestry(self, viewpoint: Viewpoint, crystal_id: str) -> list[Lineage]:
        """A crystal and those it comes from, nearest first."""
        with self._db.reading(viewpoint) as db:
            row = self._crystal(db, viewpoint, crystal_id)
            found = [self._lineage(db, viewpoint, row)]
            values = self._looking(db, viewpoint)
            met = {crystal_id}
            while found[-1].parent_crystal is not None and found[-1].parent_crystal not in met:
                met.add(found[-1].parent_crystal)
                above = {**values, "id": found[-1].parent_crystal}
                rows = run(db, "crystal_of", above, columns=_COLUMNS, seen=_SEEN)
                if not rows:
                    break
                found.append(self._lineage(db, viewpoint, rows[0]))
            return found

    def mark_crystal(
        self,
        viewpoint: Viewpoint,
        crystal_id: str,
        *,
        pinned: bool | None = None,
        touched_at: datetime | None = None,
    ) -> Lineage:
        """Pin a crystal or unpin it, or count a use of it."""
        with self._db.writing(viewpoint) as db:
            row = self._living(db, viewpoint, crystal_id)
            values = {"number": row[0], "pinned": pinned, "touched_at": stamp_or_none(touched_at)}
            change(db, "mark_crystal", {**self._some_organism(db, viewpoint), **values})
            return self._lineage(db, viewpoint, self._crystal(db, viewpoint, crystal_id))

    def compost_crystal(self, viewpoint: Viewpoint, crystal_id: str, now: datetime, *, hard: bool) -> Reaped:
        """Leave of a crystal its tombstone and summary, or with `hard` the tombstone."""
        with self._db.writing(viewpoint) as db:
            row = (self._crystal if hard else self._living)(db, viewpoint, crystal_id)
            if row[11] and row[19] is None:
                raise Pinned(f"{crystal_id} is cherished: uncherish it first", crystal_id=crystal_id)
            if hard:
                change(db, "empty_answers", {"world": viewpoint.world, "actor": viewpoint.actor_id})
            return self._buried(db, viewpoint, [(row[0], row[1])], now, hard=hard)

    def reap_crystals(self, viewpoint: Viewpoint, now: datetime) -> Reaped:
        """Compost every crystal whose time is over and that is not pinned."""
        with self._db.writing(viewpoint) as db:
            values = {**self._looking(db, viewpoint), "now": stamp(now)}
            overdue = run(db, "overdue_crystals", values, seen=_SEEN)
            reaped = self._buried(db, viewpoint, overdue, now, hard=False)
            [(pinned, others)] = run(db, "living_crystals", values, seen=_SEEN)
            return msgspec.structs.replace(reaped, skipped_pinned=pinned, skipped_unexpired=others)

    def _buried(self, db: Db, viewpoint: Viewpoint, rows: list[Any], now: datetime, *, hard: bool) -> Reaped:
        own = self._some_organism(db, viewpoint)
        for number, _ in rows:
            change(db, "remove_fragments", {**own, "number": number})
            change(db, "bury_crystal", {**own, "number": number, "now": stamp(now), "hard": hard})
        blobs = change(db, "remove_unused_blobs", own) if rows else 0
        return Reaped(ids=tuple(row[1] for row in rows), blobs=blobs)

    def _looking(self, db: Db, viewpoint: Viewpoint) -> dict[str, Any]:
        return {
            **self._some_organism(db, viewpoint),
            "node": viewpoint.node,
            "above": viewpoint.node.rstrip("/") + "/",
        }

    def _crystal(self, db: Db, viewpoint: Viewpoint, crystal_id: str) -> Any:
        values = {**self._looking(db, viewpoint), "id": crystal_id}
        rows = run(db, "crystal_of", values, columns=_COLUMNS, seen=_SEEN)
        if not rows:
            raise NotFound(f"there is no crystal {crystal_id!r} here", crystal_id=crystal_id)
        return rows[0]

    def _living(self, db: Db, viewpoint: Viewpoint, crystal_id: str) -> Any:
        row = self._crystal(db, viewpoint, crystal_id)
        if row[19] is not None:
            raise NotFound(f"{crystal_id} was reaped: only its summary is left", crystal_id=crystal_id)
        return row

    def _lineage(self, db: Db, viewpoint: Viewpoint, row: Any) -> Lineage:
        ends = None if row[11] else moment((row[4] if row[5] is None else row[5]) + row[10])
        return Lineage(
            crystal_id=row[1],
            agent=row[2],
            session_id=row[3],
            timestamp=moment(row[4]),
            parent_crystal=row[7],
            branch_reason=row[8],
            branch_depth=row[9],
            pinned=row[11],
            merged=row[13],
            turns=row[14],
            tokens=row[16] + row[17],
            fragments=row[18],
            reaped_at=moment_or_none(row[19]),
            history_summary=self._blob(db, viewpoint, row[20]),
            expires_at=ends,
        )

    def _put_blob(self, db: Db, organism: Organism, text: str) -> int:
        raw = text.encode()
        values = {**organism, "hash": _hash(raw), "data": zlib.compress(raw, 6)}
        return cast(int, value(db, "put_blob", values))

    def _blob(self, db: Db, viewpoint: Viewpoint, number: int | None) -> str:
        if number is None:
            return ""
        [(name, data)] = run(db, "blob_of", {**self._some_organism(db, viewpoint), "number": number})
        return _text(name, data)


def _values(organism: Organism, crystal: StateCrystal) -> dict[str, Any]:
    return {
        **organism,
        "id": crystal.crystal_id,
        "agent": crystal.agent,
        "session_id": crystal.session_id,
        "made_at": stamp(crystal.timestamp),
        "touched_at": stamp_or_none(crystal.touched_at),
        "uses": crystal.uses,
        "parent": crystal.parent_crystal,
        "reason": crystal.branch_reason,
        "depth": crystal.branch_depth,
        "ttl": crystal.ttl // _MICROSECOND,
        "pinned": crystal.pinned,
        "budget": crystal.budget,
        "merged": crystal.merged,
        "turns": crystal.turns,
        "dropped": crystal.dropped,
        "summary_tokens": crystal.summary_tokens,
        "focus_tokens": crystal.focus_tokens,
        "fragments": len(crystal.focus_fragments),
        "reaped_at": stamp_or_none(crystal.reaped_at),
    }


def _hash(raw: bytes) -> str:
    return blake2b(raw, digest_size=16).hexdigest()


def _text(name: str, data: bytes) -> str:
    try:
        raw = zlib.decompress(data)
    except zlib.error as error:
        raise Corrupt(f"the text {name} of a crystal cannot be read", hash=name) from error
    if _hash(raw) != name:
        raise Corrupt(f"the text {name} of a crystal is not what was stored", hash=name)
    return raw.decode()
