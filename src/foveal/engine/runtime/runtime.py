"""`Runtime`, the parts that every flow works with; `WritePath`, which changes with a notice pass; the policies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from threading import Lock
from typing import Any, TypeVar

import msgspec

from foveal.engine.runtime.event_ring import EventRings
from foveal.engine.runtime.notices import Notifier
from foveal.engine.runtime.reads import Echoes, PendingReads, RankingCache
from foveal.engine.runtime.second_look import SecondLook
from foveal.engine.runtime.vector_sync import VectorSync
from foveal.errors import FovealError, ModelUnavailable
from foveal.model.crystal import Lineage, Reaped, StateCrystal
from foveal.model.ledger import AgentState, Decision, Engram, Event, Goal, Pattern, Task, ToolCall
from foveal.model.notice import Kind, changed, kind_of
from foveal.model.policy import MemoryConfig, MemoryPolicyConfig, Override, PolicyValue
from foveal.model.query import Access, Filter, Viewpoint
from foveal.model.record import Link, Record, Vitals
from foveal.model.results import Forgotten, Move
from foveal.ports.ledger import Row
from foveal.ports.models import LLM, Embedder, Extractive, Pieces, Reader, Reranker, Summarizer, TokenCounter
from foveal.ports.store import Encoder, Erasure, NewRecord, PlannedMove, Store
from foveal.ports.system import Clock, Machine
from foveal.ports.waiting import committed, require_wanted, stored
from foveal.rules.lifecycle import amended, governed, told
from foveal.rules.summaries import Summarise, remembering, summary

# The author of the moves that the lifecycle makes by itself.
WHO = "metabolism"
# The ledger rows that notices are sent for, with their names. Metrics and roll-ups change too often.
ROW_NAMES: dict[type[Row], str] = {
    **{Goal: "goal", Task: "task", ToolCall: "tool call", Decision: "decision", Pattern: "pattern"},
    **{AgentState: "agent state", Engram: "engram", Event: "event"},
}

K = TypeVar("K")
R = TypeVar("R", bound=Row)


class WritePath:
    """Changes a store, then tells the vector index what was written and erased, then publishes a notice.

    Flows make every change for which there is a notice through this path; they read from the store itself.
    """

    def __init__(
        self,
        store: Store,
        vector_sync: VectorSync,
        notifier: Notifier | None,
        second_look: SecondLook | None = None,
    ) -> None:
        self._store, self._vector_sync, self._notifier = store, vector_sync, notifier
        self._second_look = second_look

    def append(self, entries: Sequence[NewRecord], encoder: Encoder) -> list[tuple[Record, bool]]:
        """Store new records, all or none."""
        records = self._store.records.append(entries, encoder)
        new = [record for record, is_new in records if is_new]
        stored(len(new))
        self._index(new, encoder)
        self._notify_written(new)
        return records

    def supersede(self, access: Access, entry: NewRecord, encoder: Encoder) -> Record:
        """Add the next version of a record."""
        record = self._store.records.supersede(access, entry, encoder)
        self._index([record], encoder)
        self._notify(Kind.CHANGE, access.viewpoint, [record.id], "superseded")
        return record

    def write_batch(
        self, access: Access, fresh: Sequence[NewRecord], later: Sequence[NewRecord], encoder: Encoder
    ) -> list[Record]:
        """Store new records and next versions of others together, all or none."""
        records = self._store.records.write_batch(access, fresh, later, encoder)
        stored(len(fresh))
        self._index(records, encoder)
        self._notify_written(records[: len(fresh)])
        self._notify(Kind.CHANGE, access.viewpoint, [record.id for record in records[len(fresh) :]], "superseded")
        return records

    def shadow(self, access: Access, tombstones: Sequence[NewRecord], encoder: Encoder) -> None:
        """Store the tombstones of records that are forgotten in a fork only."""
        records = [record for record, _ in self._store.records.append(tombstones, encoder)]
        self._index(records, encoder)
        self._notify(Kind.FORGET, access.viewpoint, [record.id for record in records], "forgotten")

    def revise(self, access: Access, ids: Sequence[str], change: Callable[[Record], Vitals]) -> list[Record]:
        """Change the vitals of records, all or none."""
        names: dict[str, str] = {}

        def noted(record: Record) -> Vitals:
            after = change(record)
            names[record.id] = changed(record.vitals, after)
            return after

        records = self._store.records.revise(access, ids, noted)
        committed()
        for what, changed_ids in _grouped((name, record_id) for record_id, name in names.items() if name):
            kind = Kind.FORGET if what == "forgotten" else Kind.CHANGE
            self._notify(kind, access.viewpoint, changed_ids, what)
        return records

    def erase(self, access: Access, ids: Sequence[str]) -> Erasure:
        """Delete records for good. It is not settled while bytes linger in the store's files or in the index."""
        gone = self._store.records.erase(access, ids)
        deleted = self._vector_sync.on_erase(access.viewpoint.organism, ids)
        self._notify(Kind.FORGET, access.viewpoint, ids, "erased")
        return msgspec.structs.replace(gone, settled=deleted and gone.settled)

    def erase_all(self, viewpoint: Viewpoint, ids: Sequence[str]) -> Erasure:
        """Delete everything of an organism for good; `ids` are its records, which the vector index deletes."""
        gone = self._store.records.erase_all(viewpoint)
        deleted = self._vector_sync.on_erase(viewpoint.organism, ids)
        self._notify(Kind.FORGET, viewpoint, ids, "erased")
        return msgspec.structs.replace(gone, settled=deleted and gone.settled)

    def forget_tree(
        self, access: Access, ids: Sequence[str], *, hard: bool, move_id: str | None = None
    ) -> Forgotten:
        """Forget or erase records with all their descendants."""
        forgotten = self._store.trees.forget(access, ids, hard=hard, move_id=move_id)
        if hard and not self._vector_sync.on_erase(access.viewpoint.organism, forgotten.ids):
            forgotten = msgspec.structs.replace(forgotten, lingers=True)
        self._notify(Kind.FORGET, access.viewpoint, forgotten.ids, "erased" if hard else "forgotten")
        return forgotten

    def apply(self, access: Access, acts: Sequence[PlannedMove], encoder: Encoder) -> list[Move]:
        """Make moves and journal them. Returns the moves that were made."""
        moves = self._store.lifecycle.apply(access, acts, encoder)
        made = {move.id for move in moves}
        stored(sum(len(act.entries) for act in acts if act.move.id in made))
        self._index([entry.record for act in acts for entry in (*act.entries, *act.versions)], encoder)
        touched = (((move.what, move.who == WHO), change.record_id) for move in moves for change in move.changes)
        for (what, by_itself), ids in _grouped(touched):
            self._notify(kind_of(what, by_itself=by_itself), access.viewpoint, ids, what.value)
        return moves

    def link(self, access: Access, link: Link) -> None:
        """Link two visible records."""
        self._store.links.link(access, link)
        self._notify(Kind.CHANGE, access.viewpoint, [link.source_id, link.target_id], "linked")

    def unlink(self, access: Access, source_id: str, target_id: str, kind: str | None) -> int:
        """Remove links. Returns how many there were."""
        gone = self._store.links.unlink(access, source_id, target_id, kind)
        self._notify(Kind.CHANGE, access.viewpoint, [source_id, target_id] if gone else [], "unlinked")
        return gone

    def join(self, access: Access, group_id: str, ids: Sequence[str]) -> None:
        """Add visible records to a group."""
        self._store.links.join(access, group_id, ids)
        self._notify(Kind.CHANGE, access.viewpoint, ids, "grouped")

    def leave(self, access: Access, group_id: str, ids: Sequence[str]) -> None:
        """Remove records from a group."""
        self._store.links.leave(access, group_id, ids)
        self._notify(Kind.CHANGE, access.viewpoint, ids, "ungrouped")

    def put_row(self, place: Viewpoint, row: Row, *, by: Viewpoint | None = None) -> bool:
        """Store a row of the ledger unless its key is taken. Returns whether it is new.

        `place` is the viewpoint whose ledger it is, and `by` the caller if that is another.
        """
        new = self._store.ledger.put_row(place, row)
        self._notify_row(by or place, type(row), [getattr(row, row.key)] if new else [], "stored")
        return new

    def set_row(self, place: Viewpoint, row: Row, *, by: Viewpoint | None = None) -> None:
        """Store a row of the ledger, in place of the one with its key."""
        self._store.ledger.set_row(place, row)
        self._notify_row(by or place, type(row), [getattr(row, row.key)], "stored")

    def change_row(
        self, place: Viewpoint, kind: type[R], key: str, change: Callable[[R], R], *, by: Viewpoint | None = None
    ) -> R:
        """Replace a row of the ledger with what `change` makes of it."""
        row = self._store.ledger.change_row(place, kind, key, change)
        self._notify_row(by or place, kind, [key], "changed")
        return row

    def remove_rows(
        self, place: Viewpoint, kind: type[Row], keys: Sequence[str], *, by: Viewpoint | None = None
    ) -> int:
        """Remove rows of the ledger, and the rows that depend on them. Returns how many there were."""
        gone = self._store.ledger.remove_rows(place, kind, keys)
        self._notify_row(by or place, kind, keys if gone else [], "removed")
        return gone

    def put_crystal(self, viewpoint: Viewpoint, crystal: StateCrystal, *, instead: bool = False) -> None:
        """Store a crystal; with `instead`, in place of the one with its id."""
        self._store.crystals.put(viewpoint, crystal, instead=instead)
        self._notify(Kind.CRYSTAL, viewpoint, [crystal.crystal_id], "stored")

    def mark_crystal(
        self,
        viewpoint: Viewpoint,
        crystal_id: str,
        *,
        pinned: bool | None = None,
        touched_at: datetime | None = None,
    ) -> Lineage:
        """Pin or unpin a crystal, or count a use of it."""
        lineage = self._store.crystals.mark(viewpoint, crystal_id, pinned=pinned, touched_at=touched_at)
        self._notify(Kind.CRYSTAL, viewpoint, [crystal_id], "changed")
        return lineage

    def compost_crystal(self, viewpoint: Viewpoint, crystal_id: str, now: datetime, *, hard: bool) -> Reaped:
        """Reduce a crystal to its tombstone and summary, or with `hard` to the tombstone alone."""
        reaped = self._store.crystals.compost(viewpoint, crystal_id, now, hard=hard)
        self._notify(Kind.CRYSTAL, viewpoint, reaped.ids, "composted")
        return reaped

    def reap_crystals(self, viewpoint: Viewpoint, now: datetime) -> Reaped:
        """Compost every expired crystal that is not pinned."""
        reaped = self._store.crystals.reap(viewpoint, now)
        self._notify(Kind.CRYSTAL, viewpoint, reaped.ids, "composted")
        return reaped

    def built_tape(self, viewpoint: Viewpoint, tape: int) -> None:
        """Mark a tape as ready."""
        self._store.tapes.finish(viewpoint, tape)
        self._notify(Kind.TAPE, viewpoint, [str(tape)], "built")

    def use_tape(self, viewpoint: Viewpoint, tape: int) -> None:
        """Switch all records to their addresses on a tape."""
        self._store.tapes.use(viewpoint, tape)
        self._notify(Kind.TAPE, viewpoint, [str(tape)], "used")

    def drop_tape(self, viewpoint: Viewpoint, tape: int) -> None:
        """Remove a tape and everything on it."""
        self._store.tapes.drop(viewpoint, tape)
        self._notify(Kind.TAPE, viewpoint, [str(tape)], "dropped")

    def _index(self, records: Sequence[Record], encoder: Encoder) -> None:
        if self._vector_sync.has_index or self._second_look is not None:
            for organism, count in Counter((record.world, record.actor_id) for record in records).items():
                self._vector_sync.on_write(organism, count, encoder)
                if self._second_look is not None:
                    self._second_look.wrote(organism, count)

    def _notify_written(self, records: Sequence[Record]) -> None:
        for writer, ids in _grouped((_writer(record), record.id) for record in records):
            self._notify(Kind.WRITE, writer, ids)

    def _notify(self, kind: Kind, viewpoint: Viewpoint, ids: Sequence[str], what: str = "") -> None:
        committed()
        if self._notifier is not None:
            self._notifier.changed(kind, viewpoint, ids, what)

    def _notify_row(self, viewpoint: Viewpoint, kind: type[Row], keys: Sequence[str], what: str) -> None:
        committed()
        if kind in ROW_NAMES:
            self._notify(Kind.LEDGER, viewpoint, keys, f"{ROW_NAMES[kind]} {what}")


def _writer(record: Record) -> Viewpoint:
    return Viewpoint(world=record.world, actor_id=record.actor_id, node=record.node, session_id=record.session_id)


def _grouped(pairs: Iterable[tuple[K, str]]) -> Iterable[tuple[K, list[str]]]:
    groups: dict[K, list[str]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups.items()


@dataclass
class CurrentRuntime:
    """Holds the runtime that replaced the earlier ones when the encoder changed.

    A verb takes the newest runtime once, at its start, so it ends with the encoder it began with.
    """

    runtime: Runtime | None = None
    lock: Lock = field(default_factory=Lock)


def _unchanged(embedder: Embedder) -> Embedder:
    return embedder


@dataclass(frozen=True)
class Runtime:
    """The store, the encoder, the word pieces, the token counter and the clock of one memory."""

    store: Store
    embedder: Embedder
    pieces: Pieces
    counter: TokenCounter
    clock: Clock
    touches: PendingReads
    machine: Machine
    vector_sync: VectorSync
    config: MemoryConfig = field(default_factory=MemoryConfig)
    summarizer: Summarizer = field(default_factory=Extractive)
    llm: LLM | None = None
    # How many calls a day a model may make to read the turns of an actor.
    llm_calls: int = 0
    reranker: Reranker | None = None
    reranker_limit: timedelta = timedelta(milliseconds=150)
    policy: MemoryPolicyConfig = field(default_factory=MemoryPolicyConfig)
    readers: Mapping[str, Reader] = field(default_factory=dict[str, Reader])
    rings: EventRings = field(default_factory=EventRings)
    echoes: Echoes = field(default_factory=Echoes)
    rankings: RankingCache = field(default_factory=RankingCache)
    second_look: SecondLook | None = None
    notifier: Notifier | None = None
    wrote: Callable[[Viewpoint, int], None] = lambda _viewpoint, _count: None
    remembered: Callable[[Viewpoint, Sequence[Record]], None] = lambda _viewpoint, _turns: None
    summarise: Summarise = field(default_factory=lambda: remembering(summary))
    encoder_of: Callable[[Any], Embedder] = _unchanged
    current: CurrentRuntime = field(default_factory=CurrentRuntime)
    # Copies a store that makes no copy itself.
    backup: Callable[[str], None] | None = None

    @cached_property
    def writes(self) -> WritePath:
        """The path of every change for which there is a notice."""
        return WritePath(self.store, self.vector_sync, self.notifier, self.second_look)

    @property
    def newest(self) -> Runtime:
        """This runtime, or the one that replaced it. A fork has a store of its own and is never replaced."""
        now = self.current.runtime
        return now if now is not None and now.store is self.store else self

    @property
    def encoder(self) -> Encoder:
        """The id and dimension of the encoder, taken from the store while the encoder is unavailable."""
        try:
            return Encoder(id=self.embedder.id, dimension=self.embedder.dimension)
        except ModelUnavailable:
            known = self.store.vectors.encoder()
            if known is None or known.id != self.embedder.id:
                raise
            return known

    def tokens(self, text: str) -> int:
        """What a text costs; `TimedOut` if nobody waits for the answer any longer."""
        require_wanted()
        return self.counter.count(text)

    def degraded(self, component: str, error: FovealError) -> None:
        """Publish a notice, if there is a bus, that a part is unavailable and work continues without it."""
        if self.notifier is not None:
            self.notifier.degraded(component, error)

    def access(
        self,
        viewpoint: Viewpoint,
        *,
        where: Filter | None = None,
        as_of: datetime | None = None,
        valid_at: datetime | None = None,
        as_owner: bool = False,
        include_hidden: bool = False,
        for_recall: bool = False,
    ) -> Access:
        """What a call may see from this viewpoint now."""
        return Access(
            viewpoint=viewpoint,
            now=self.clock.now(),
            where=where,
            as_of=as_of,
            valid_at=valid_at,
            as_owner=as_owner,
            include_hidden=include_hidden,
            for_recall=for_recall,
        )


def with_overrides(runtime: Runtime) -> Runtime:
    """The runtime with the overrides that its store holds at this moment; other processes may change them."""
    overrides = runtime.store.server.overrides()
    if not overrides:
        return runtime
    policy, config = governed(runtime.policy, runtime.config, _values(overrides))
    return replace(runtime, policy=policy, config=config)


def listed(runtime: Runtime) -> list[PolicyValue]:
    """Every policy value, and where it comes from."""
    return told(runtime.policy, runtime.config, runtime.store.server.overrides().values())


def amend(runtime: Runtime, values: Mapping[str, Any], reset: Collection[str]) -> list[PolicyValue]:
    """Set some overrides in the store and remove others. Returns every policy value as it is then."""
    now = runtime.clock.now()

    def change(overrides: Mapping[str, Override]) -> dict[str, Override]:
        wanted = amended(_values(overrides), values, reset, runtime.policy, runtime.config)
        return {
            name: overrides[name]
            if name in overrides and overrides[name].value == value
            else Override(name=name, value=value, changed_at=now)
            for name, value in wanted.items()
        }

    return told(runtime.policy, runtime.config, runtime.store.server.override(change).values())


def _values(overrides: Mapping[str, Override]) -> dict[str, Any]:
    return {name: override.value for name, override in overrides.items()}
