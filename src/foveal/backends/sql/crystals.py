"""Crystals, whose texts are stored once each, and snapshots with the changes between them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from hashlib import blake2b
from typing import Any

import msgspec

from foveal.backends.sql.records import Records
from foveal.backends.sql.rows import from_micros, readable_row, struct_of, to_micros, to_micros_or_none, values_of
from foveal.backends.sql.session import Dialect, Organism, Session, Transaction
from foveal.backends.sql.visibility import Part, known_to
from foveal.errors import Conflict, Corrupt, NotFound, Pinned
from foveal.model.crystal import Changes, FocusFragment, Lineage, Reaped, Snapshot, StateCrystal, TaskState
from foveal.model.query import Access, Viewpoint
from foveal.model.record import Record
from foveal.rules.lifecycle import Span, changes_of
from foveal.rules.visibility import owned_name, owner_and_name

_COLUMNS = """c.number, c.id as crystal_id, c.agent, c.session_id, c.made_at as timestamp, c.touched_at, c.uses,
    c.parent as parent_crystal, c.reason as branch_reason, c.depth as branch_depth, c.ttl, c.pinned, c.budget,
    c.merged, c.turns, c.dropped, c.summary_tokens, c.focus_tokens, c.fragments, c.reaped_at, c.summary, c.state"""


class Crystals(Part):
    """The crystals of an organism."""

    @property
    def _seen_crystal(self) -> str:
        return self._dialect.text("seen_crystal")

    def put(self, viewpoint: Viewpoint, crystal: StateCrystal, *, instead: bool = False) -> None:
        """Store a crystal, all of it or nothing; with `instead` it replaces the one with its id."""
        with self._session.writing(viewpoint) as db:
            organism = db.own_organism(viewpoint)
            if instead:
                values = {**self._looking(db, viewpoint), "id": crystal.crystal_id}
                db.change("remove_crystal", values, seen=self._seen_crystal)
            if db.value("crystal_taken", {**organism, "id": crystal.crystal_id}):
                raise Conflict(f"the id {crystal.crystal_id} is taken", crystal_id=crystal.crystal_id)
            summary = self._put_text(db, organism, crystal.history_summary)
            state = self._put_text(db, organism, _state_text(crystal))
            row = {**organism, "summary": summary, "state": state, "fragments": len(crystal.focus_fragments)}
            # Both are in the text of the state.
            row |= {"task_state": None, "working_memory": None}
            number = db.value("add_crystal", values_of(crystal, **row))
            for place, fragment in enumerate(crystal.focus_fragments):
                content = self._put_text(db, organism, fragment.content)
                row = {**organism, "crystal": number, "place": place, "content": content}
                db.change("add_fragment", values_of(fragment, **row))
            if instead:
                db.change("remove_unused_blobs", organism)
        if instead:
            self._session.cut_log()

    def get(self, viewpoint: Viewpoint, crystal_id: str) -> StateCrystal:
        """A whole crystal; a reaped one has only its summary."""
        with self._session.reading(viewpoint) as db:
            row = self._crystal(db, viewpoint, crystal_id)
            organism = db.organism_or_nobody(viewpoint)
            with readable_row(StateCrystal, row):
                state = _State(TaskState(), {})
                if row.state is not None:
                    state = msgspec.json.decode(self._text(db, organism, row.state), type=_State)
                return struct_of(
                    StateCrystal,
                    row,
                    history_summary=self._text(db, organism, row.summary),
                    task_state=state.task_state,
                    working_memory=state.working_memory,
                    focus_fragments=tuple(
                        struct_of(FocusFragment, fragment, content=_unpacked(fragment.hash, fragment.data))
                        for fragment in db.rows("fragments_of", {**organism, "number": row.number})
                    ),
                )

    def lineages(self, viewpoint: Viewpoint) -> list[Lineage]:
        """Every crystal without its content, oldest first."""
        with self._session.reading(viewpoint) as db:
            rows = db.rows("crystals_of", self._looking(db, viewpoint), columns=_COLUMNS, seen=self._seen_crystal)
            return self._each(Lineage, rows, partial(self._lineage, db, viewpoint))

    def ancestry(self, viewpoint: Viewpoint, crystal_id: str) -> list[Lineage]:
        """A crystal and its ancestors, nearest first."""
        with self._session.reading(viewpoint) as db:
            values = self._looking(db, viewpoint)

            def find(above: str) -> Lineage | None:
                rows = db.rows("crystal_of", values | {"id": above}, columns=_COLUMNS, seen=self._seen_crystal)
                return self._lineage(db, viewpoint, rows[0]) if rows else None

            return _ancestry(self._lineage(db, viewpoint, self._crystal(db, viewpoint, crystal_id)), find)

    def mark(
        self,
        viewpoint: Viewpoint,
        crystal_id: str,
        *,
        pinned: bool | None = None,
        touched_at: datetime | None = None,
    ) -> Lineage:
        """Pin or unpin a crystal, or count a use of it."""
        with self._session.writing(viewpoint) as db:
            row = self._living(db, viewpoint, crystal_id)
            values = {"number": row.number, "pinned": pinned, "touched_at": to_micros_or_none(touched_at)}
            db.change("mark_crystal", {**db.organism_or_nobody(viewpoint), **values})
            return self._lineage(db, viewpoint, self._crystal(db, viewpoint, crystal_id))

    def compost(self, viewpoint: Viewpoint, crystal_id: str, now: datetime, *, hard: bool) -> Reaped:
        """Reduce a crystal to its tombstone and summary, or with `hard` to its tombstone."""
        with self._session.writing(viewpoint) as db:
            row = (self._crystal if hard else self._living)(db, viewpoint, crystal_id)
            _refuse_pinned(row)
            if hard:
                db.change("empty_answers", db.organism_or_nobody(viewpoint))
            reaped = self._bury(db, viewpoint, [(row.number, row.crystal_id)], now, hard=hard)
        if hard:
            self._session.cut_log()
        return reaped

    def reap(self, viewpoint: Viewpoint, now: datetime) -> Reaped:
        """Compost every expired crystal that is not pinned."""
        with self._session.writing(viewpoint) as db:
            values = {**self._looking(db, viewpoint), "now": to_micros(now)}
            overdue = db.run("overdue_crystals", values, seen=self._seen_crystal)
            reaped = self._bury(db, viewpoint, overdue, now, hard=False)
            [(pinned, others)] = db.run("living_crystals", values, seen=self._seen_crystal)
            return msgspec.structs.replace(reaped, skipped_pinned=int(pinned), skipped_unexpired=int(others))

    def overdue(self, now: datetime) -> list[Viewpoint]:
        """The organisms that have expired crystals, as their roots see them."""
        with self._session.reading() as db:
            owners = db.run("owners_of_overdue_crystals", {"now": to_micros(now)})
            return [Viewpoint(world=world, actor_id=actor) for world, actor in owners]

    def _bury(
        self, db: Transaction, viewpoint: Viewpoint, rows: Sequence[tuple[int, str]], now: datetime, *, hard: bool
    ) -> Reaped:
        own = db.organism_or_nobody(viewpoint)
        for number, _ in rows:
            db.change("remove_fragments", {**own, "number": number})
            db.change("bury_crystal", {**own, "number": number, "now": to_micros(now), "hard": hard})
        blobs = db.change("remove_unused_blobs", own) if rows else 0
        return Reaped(ids=tuple(crystal_id for _, crystal_id in rows), blobs=blobs)

    def _looking(self, db: Transaction, viewpoint: Viewpoint) -> dict[str, Any]:
        """The values that bind the viewpoint: a node sees its own crystals and those of the nodes below it."""
        above = viewpoint.node.rstrip("/") + "/"
        return {**db.organism_or_nobody(viewpoint), "node": viewpoint.node, "above": above}

    def _crystal(self, db: Transaction, viewpoint: Viewpoint, crystal_id: str) -> Any:
        values = {**self._looking(db, viewpoint), "id": crystal_id}
        rows = db.rows("crystal_of", values, columns=_COLUMNS, seen=self._seen_crystal)
        if not rows:
            raise NotFound(f"there is no crystal {crystal_id!r} here", crystal_id=crystal_id)
        return rows[0]

    def _living(self, db: Transaction, viewpoint: Viewpoint, crystal_id: str) -> Any:
        row = self._crystal(db, viewpoint, crystal_id)
        _refuse_reaped(row)
        return row

    def _lineage(self, db: Transaction, viewpoint: Viewpoint, row: Any) -> Lineage:
        used_at = row.timestamp if row.touched_at is None else row.touched_at
        return struct_of(
            Lineage,
            row,
            history_summary=self._text(db, db.organism_or_nobody(viewpoint), row.summary),
            tokens=row.summary_tokens + row.focus_tokens,
            expires_at=None if row.pinned else from_micros(used_at + row.ttl),
        )

    def _put_text(self, db: Transaction, organism: Organism, text: str | None) -> int | None:
        return None if text is None else db.value("put_blob", _text_values(organism, text))

    def _text(self, db: Transaction, organism: Organism, number: int | None) -> str:
        if number is None:
            return ""
        [(name, data)] = db.run("blob_of", {**organism, "number": number})
        return _unpacked(name, data)


def _snapshot_of(row: Any) -> Snapshot:
    node, label = owner_and_name(row.label)
    return struct_of(Snapshot, row, node=node, label=label)


class Snapshots(Part):
    """The snapshots of an organism, and the changes between two moments."""

    def __init__(self, session: Session, dialect: Dialect, records: Records) -> None:
        super().__init__(session, dialect)
        self._records = records

    def put(self, viewpoint: Viewpoint, snapshot: Snapshot, *, dated: bool = False) -> Snapshot:
        """Store a snapshot. Unless it is `dated`, its time is moved behind everything that is stored."""
        with self._session.writing(viewpoint) as db:
            organism = db.own_organism(viewpoint)
            if db.value("snapshot_taken", {**organism, "id": snapshot.id}):
                raise Conflict(f"the id {snapshot.id} is taken", snapshot_id=snapshot.id)
            newest = from_micros(db.value("newest_change", {**organism}))
            at = snapshot.taken_at if dated else max(snapshot.taken_at, newest)
            taken = msgspec.structs.replace(snapshot, taken_at=at)
            db.change("add_snapshot", values_of(taken, **organism, label=owned_name(taken.node, taken.label)))
            return taken

    def all(self, viewpoint: Viewpoint) -> list[Snapshot]:
        """The snapshots that a node may know of, oldest first."""
        with self._session.reading(viewpoint) as db:
            known, bound = known_to(self._dialect, viewpoint.node, "label")
            rows = db.rows("snapshots_of", {**db.organism_or_nobody(viewpoint), **bound}, known=known)
            return self._each(Snapshot, rows, _snapshot_of)

    def changes(self, access: Access, since: datetime, until: datetime) -> Changes:
        """The changes after `since` and up to `until` that `access` may see."""
        with self._session.reading(access.viewpoint) as db:
            organism = db.organism_or_nobody(access.viewpoint)
            between = {**organism, "since": to_micros(since), "until": to_micros(until)}
            ids = [record_id for (record_id,) in db.run("changed_between", between)]
            present = msgspec.structs.replace(access, include_hidden=True, as_of=None, valid_at=None, where=None)
            visible = [record.id for record in self._records.get_in(db, present, ids)]
            root = access.as_owner or access.viewpoint.node == "/"
            erased = [record_id for (record_id,) in db.run("erased_between", between)] if root else []
            histories = [self._history(db, organism, record_id) for record_id in visible]
            return changes_of(histories, erased, since, until)

    def _history(self, db: Transaction, organism: Organism, record_id: str) -> tuple[list[Record], list[Span]]:
        """The versions of a record, and the spans for which it was forgotten."""
        values = {**organism, "id": record_id}
        versions = self._sound(db.run("versions_of", values, columns=self._dialect.columns))
        rows = db.run("oblivions_of", values)
        return versions, [(from_micros(began_at), from_micros(ended_at)) for began_at, ended_at in rows]


class _State(msgspec.Struct, frozen=True):
    task_state: TaskState
    working_memory: dict[str, Any]


def _refuse_reaped(row: Any) -> None:
    """Raise `NotFound` for a reaped crystal."""
    if row.reaped_at is not None:
        raise NotFound(f"{row.crystal_id} was reaped: only its summary is left", crystal_id=row.crystal_id)


def _refuse_pinned(row: Any) -> None:
    """Raise `Pinned` for a living crystal that is cherished."""
    if row.pinned and row.reaped_at is None:
        raise Pinned(f"{row.crystal_id} is cherished: uncherish it first", crystal_id=row.crystal_id)


def _state_text(crystal: StateCrystal) -> str | None:
    """The state of a crystal as JSON, or None if it was reaped."""
    if crystal.reaped_at is not None:
        return None
    return msgspec.json.encode(_State(crystal.task_state, dict(crystal.working_memory))).decode()


def _ancestry(first: Lineage, find: Callable[[str], Lineage | None]) -> list[Lineage]:
    """A crystal and its ancestors, nearest first; `find` returns None for one that does not exist."""
    lineages, visited = [first], {first.crystal_id}
    while (above := lineages[-1].parent_crystal) is not None and above not in visited:
        visited.add(above)
        parent = find(above)
        if parent is None:
            break
        lineages.append(parent)
    return lineages


def _text_values(own: Mapping[str, Any], text: str) -> dict[str, Any]:
    """The values that `put_blob` binds: the compressed text and its hash, which is its name."""
    raw = text.encode()
    return {**own, "hash": _hash(raw), "data": zlib.compress(raw, 6)}


def _unpacked(name: str, data: bytes) -> str:
    """A compressed text; `Corrupt` if it does not match its hash."""
    try:
        raw = zlib.decompress(data)
    except zlib.error as error:
        raise Corrupt(f"the text {name} of a crystal cannot be read", hash=name) from error
    if _hash(raw) != name:
        raise Corrupt(f"the text {name} of a crystal is not what was stored", hash=name)
    return raw.decode()


def _hash(raw: bytes) -> str:
    return blake2b(raw, digest_size=16).hexdigest()
