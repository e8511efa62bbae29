"""Publishes notices of changes and faults on the bus."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeVar, cast

from foveal.model.crystal import Lineage, Reaped, StateCrystal
from foveal.model.ledger import AgentState, Decision, Event, Goal, Pattern, Task, ToolCall
from foveal.model.notice import Kind, Notice, changed, fault_of, kind_of
from foveal.model.query import Access, Viewpoint
from foveal.model.record import Link, Record, Vitals
from foveal.model.results import Forgotten, Move
from foveal.ports.ledger import Row
from foveal.ports.store import Encoder, NewRecord, PlannedMove, Store
from foveal.ports.system import Bus, Clock


class StoreWrapper:
    """Passes every call on to a store; subclasses override the methods they observe."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._store, name)
        if callable(attribute):
            # The next lookup finds it without calling `__getattr__`.
            self.__dict__[name] = attribute
        return attribute


# The author of the moves that the lifecycle makes by itself.
WHO = "metabolism"
# How many ids a notice lists at most.
NAMED = 200
# The ledger rows that notices are sent for, with their names. Metrics and roll-ups change too often.
ROW_NAMES: dict[type[Row], str] = {
    **{Goal: "goal", Task: "task", ToolCall: "tool call", Decision: "decision", Pattern: "pattern"},
    **{AgentState: "agent state", Event: "event"},
}
# How long to wait before reporting the same failure again.
AGAIN = timedelta(minutes=1)

K = TypeVar("K")
R = TypeVar("R", bound=Row)


class Notifier:
    """Publishes notices on a bus."""

    def __init__(self, bus: Bus, clock: Clock) -> None:
        self.bus = bus
        self._clock = clock
        self._degraded: dict[tuple[str, type[BaseException]], datetime] = {}

    def changed(self, kind: Kind, viewpoint: Viewpoint, ids: Sequence[str], what: str = "") -> None:
        """Publish what happened to records; nothing is published if there were none, except for a read."""
        if ids or kind is Kind.READ:
            notice = Notice(
                at=self._clock.now(),
                kind=kind,
                what=what,
                world=viewpoint.world,
                actor_id=viewpoint.actor_id,
                node=viewpoint.node,
                session_id=viewpoint.session_id,
                ids=tuple(ids[:NAMED]),
                count=len(ids),
            )
            self.bus.publish(notice)

    def fault(
        self,
        component: str,
        error: BaseException,
        *,
        viewpoint: Viewpoint | None = None,
        request_id: str | None = None,
    ) -> None:
        """Publish an error, of one memory or of the whole process."""
        notice = Notice(
            at=self._clock.now(),
            kind=Kind.ERROR,
            world=viewpoint and viewpoint.world,
            actor_id=viewpoint and viewpoint.actor_id,
            fault=fault_of(error, component, request_id),
        )
        self.bus.publish(notice)

    def degraded(self, component: str, error: BaseException) -> None:
        """Publish that a part is unavailable and work continues without it, at most once a minute."""
        now, key = self._clock.now(), (component, type(error))
        last = self._degraded.get(key)
        if last is None or not timedelta(0) <= now - last < AGAIN:
            self._degraded[key] = now
            self.fault(component, error)


class _NotifyingStore(StoreWrapper):
    """A store that publishes a notice of every change once it is stored."""

    def __init__(self, store: Store, notifier: Notifier) -> None:
        super().__init__(store)
        self._notifier = notifier

    def append(self, entries: Sequence[NewRecord], encoder: Encoder) -> list[tuple[Record, bool]]:
        stored = self._store.append(entries, encoder)
        by_place: dict[Viewpoint, list[str]] = {}
        for record, new in stored:
            if new:
                by_place.setdefault(_writer(record), []).append(record.id)
        for place, ids in by_place.items():
            self._notifier.changed(Kind.WRITE, place, ids)
        return stored

    def supersede(self, access: Access, entry: NewRecord, encoder: Encoder) -> Record:
        record = self._store.supersede(access, entry, encoder)
        self._notifier.changed(Kind.CHANGE, access.viewpoint, [record.id], "superseded")
        return record

    def revise(self, access: Access, ids: Sequence[str], change: Callable[[Record], Vitals]) -> list[Record]:
        names: dict[str, str] = {}

        def noted(record: Record) -> Vitals:
            after = change(record)
            names[record.id] = changed(record.vitals, after)
            return after

        records = self._store.revise(access, ids, noted)
        for what, changed_ids in _grouped((name, record_id) for record_id, name in names.items() if name):
            kind = Kind.FORGET if what == "forgotten" else Kind.CHANGE
            self._notifier.changed(kind, access.viewpoint, changed_ids, what)
        return records

    def erase(self, access: Access, ids: Sequence[str]) -> bool:
        gone = self._store.erase(access, ids)
        self._notifier.changed(Kind.FORGET, access.viewpoint, ids, "erased")
        return gone

    def forget_tree(
        self, access: Access, ids: Sequence[str], *, hard: bool, move_id: str | None = None
    ) -> Forgotten:
        gone = self._store.forget_tree(access, ids, hard=hard, move_id=move_id)
        self._notifier.changed(Kind.FORGET, access.viewpoint, gone.ids, "erased" if hard else "forgotten")
        return gone

    def link(self, access: Access, link: Link) -> None:
        self._store.link(access, link)
        self._notifier.changed(Kind.CHANGE, access.viewpoint, [link.source_id, link.target_id], "linked")

    def unlink(self, access: Access, source_id: str, target_id: str, kind: str | None) -> int:
        gone = self._store.unlink(access, source_id, target_id, kind)
        self._notifier.changed(Kind.CHANGE, access.viewpoint, [source_id, target_id] if gone else [], "unlinked")
        return gone

    def join(self, access: Access, group_id: str, ids: Sequence[str]) -> None:
        self._store.join(access, group_id, ids)
        self._notifier.changed(Kind.CHANGE, access.viewpoint, ids, "grouped")

    def leave(self, access: Access, group_id: str, ids: Sequence[str]) -> None:
        self._store.leave(access, group_id, ids)
        self._notifier.changed(Kind.CHANGE, access.viewpoint, ids, "ungrouped")

    def put_row(self, viewpoint: Viewpoint, row: Row) -> bool:
        new = self._store.put_row(viewpoint, row)
        self._row(viewpoint, type(row), [getattr(row, row.key)] if new else [], "stored")
        return new

    def set_row(self, viewpoint: Viewpoint, row: Row) -> None:
        self._store.set_row(viewpoint, row)
        self._row(viewpoint, type(row), [getattr(row, row.key)], "stored")

    def change_row(self, viewpoint: Viewpoint, kind: type[R], key: str, change: Callable[[R], R]) -> R:
        row = self._store.change_row(viewpoint, kind, key, change)
        self._row(viewpoint, kind, [key], "changed")
        return row

    def remove_rows(self, viewpoint: Viewpoint, kind: type[Row], keys: Sequence[str]) -> int:
        gone = self._store.remove_rows(viewpoint, kind, keys)
        self._row(viewpoint, kind, keys if gone else [], "removed")
        return gone

    def _row(self, viewpoint: Viewpoint, kind: type[Row], keys: Sequence[str], what: str) -> None:
        if kind in ROW_NAMES:
            self._notifier.changed(Kind.LEDGER, viewpoint, keys, f"{ROW_NAMES[kind]} {what}")

    def put_crystal(self, viewpoint: Viewpoint, crystal: StateCrystal, *, instead: bool = False) -> None:
        self._store.put_crystal(viewpoint, crystal, instead=instead)
        self._notifier.changed(Kind.CRYSTAL, viewpoint, [crystal.crystal_id], "stored")

    def mark_crystal(
        self,
        viewpoint: Viewpoint,
        crystal_id: str,
        *,
        pinned: bool | None = None,
        touched_at: datetime | None = None,
    ) -> Lineage:
        line = self._store.mark_crystal(viewpoint, crystal_id, pinned=pinned, touched_at=touched_at)
        self._notifier.changed(Kind.CRYSTAL, viewpoint, [crystal_id], "changed")
        return line

    def compost_crystal(self, viewpoint: Viewpoint, crystal_id: str, now: datetime, *, hard: bool) -> Reaped:
        reaped = self._store.compost_crystal(viewpoint, crystal_id, now, hard=hard)
        self._notifier.changed(Kind.CRYSTAL, viewpoint, reaped.ids, "composted")
        return reaped

    def reap_crystals(self, viewpoint: Viewpoint, now: datetime) -> Reaped:
        reaped = self._store.reap_crystals(viewpoint, now)
        self._notifier.changed(Kind.CRYSTAL, viewpoint, reaped.ids, "composted")
        return reaped

    def use_tape(self, viewpoint: Viewpoint, tape: int) -> None:
        self._store.use_tape(viewpoint, tape)
        self._notifier.changed(Kind.TAPE, viewpoint, [str(tape)], "used")

    def drop_tape(self, viewpoint: Viewpoint, tape: int) -> None:
        self._store.drop_tape(viewpoint, tape)
        self._notifier.changed(Kind.TAPE, viewpoint, [str(tape)], "dropped")

    def apply(self, access: Access, acts: Sequence[PlannedMove], encoder: Encoder) -> list[Move]:
        moves = self._store.apply(access, acts, encoder)
        touched = (((move.what, move.who == WHO), change.record_id) for move in moves for change in move.changes)
        for (what, by_itself), ids in _grouped(touched):
            self._notifier.changed(kind_of(what, by_itself=by_itself), access.viewpoint, ids, what.value)
        return moves


def telling(store: Store, notifier: Notifier) -> Store:
    """The store, publishing a notice of every change."""
    return cast(Store, _NotifyingStore(store, notifier))


def _writer(record: Record) -> Viewpoint:
    return Viewpoint(world=record.world, actor_id=record.actor_id, node=record.node, session_id=record.session_id)


def _grouped(pairs: Iterable[tuple[K, str]]) -> Iterable[tuple[K, list[str]]]:
    groups: dict[K, list[str]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups.items()
