"""Keeps an external vector index in step with the store."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import cast

import msgspec
import numpy as np

from foveal.engine.runtime.notices import Behind, Notifier
from foveal.errors import FovealError, Invalid, Unavailable
from foveal.model.query import Access, Viewpoint
from foveal.model.record import Record
from foveal.model.results import Forgotten, Move
from foveal.model.search import Floats, SyncPoint, VectorBatch, VectorHits
from foveal.ports.store import Encoder, NewRecord, PlannedMove, Store
from foveal.ports.system import Organism, VectorIndex
from foveal.rules.filters import kinds_named

# So many records are handed over at once. Until so many new ones wait, the store compares these itself.
BATCH, WAITING = 256, 128
# Clocks of processes differ, so erasures are looked for again for a while.
OVERLAP = timedelta(days=1)
PART = "vectors"

Progress = Callable[[int], None]


class VectorSync:
    """Keeps an index of vectors at the store's side, if there is one.

    The store stays the truth: it says who may see what the index finds, compares what the index does not have yet,
    and does all of it alone while the index is away.
    """

    def __init__(
        self, store: Store, notifier: Notifier | None = None, opener: Callable[[], VectorIndex] | None = None
    ) -> None:
        self._index: VectorIndex | None = None
        self._opener = opener
        self._own: VectorIndex | None = None
        self._store = store
        self._notifier = notifier
        self._turn = threading.RLock()
        self._waiting: Counter[Organism] = Counter()

    def use(self, index: VectorIndex | None) -> None:
        """Ask this index from now on, or none. It takes in what is there with `reindex`, and as memory is used."""
        self._index, self._opener = index, None

    @property
    def has_index(self) -> bool:
        """Whether there is an index, be it open or not."""
        return self._index is not None or self._opener is not None

    @property
    def index(self) -> VectorIndex | None:
        """The index, opened when it is first needed: most short commands never do."""
        if self._index is None and self._opener is not None:
            with self._turn:
                if self._own is None:
                    self._own = self._opener()
                self._index = self._own
        return self._index

    def near(self, access: Access, vector: Floats, k: int, encoder: Encoder) -> VectorHits | None:
        """What the index finds for a question of now; None when the store has to look itself."""
        if self.index is None or access.as_of is not None or access.valid_at is not None:
            return None
        organism = access.viewpoint.organism
        mark = self._mark(self.index, organism)
        # What others wrote, or this process before it, is handed over when it closes.
        self._waiting.setdefault(organism, 1)
        if mark is None or not mark.last or mark.encoder != encoder.id:
            return None
        kinds = kinds_named(access.where)
        found = self.index.query(organism, None if kinds is None else sorted(kinds), vector, k)
        return VectorHits(ids=tuple(one for one, _ in found), after=mark.seq, last=mark.last, all=len(found) < k)

    def sync(
        self, viewpoint: Viewpoint, encoder: Encoder, *, most: int | None = None, done: Progress | None = None
    ) -> int:
        """Hand over what the index does not have yet, batch by batch, and take out what was erased.

        Gives how many records were handed over, `most` at most. Each batch is noted in the index: a run that was
        stopped goes on where it was.
        """
        if self.index is None:
            return 0
        count = 0
        while most is None or count < most:
            # One batch at a time: whoever erases must not wait for all of them.
            with self._turn:
                shelf = self._followed(self.index, viewpoint, encoder)
            count += len(shelf.rows)
            if done is not None:
                done(len(shelf.rows))
            if len(shelf.rows) < BATCH:
                break
        self._waiting.pop(viewpoint.organism, None)
        return count

    def _followed(self, index: VectorIndex, viewpoint: Viewpoint, encoder: Encoder) -> VectorBatch:
        organism = viewpoint.organism
        mark = self._mark(index, organism)
        shelf = self._store.vectors_after(viewpoint, encoder, mark, BATCH)
        if shelf.anew:
            index.clear(organism)
        # After the records, so that what was erased meanwhile is not handed over.
        since = shelf.mark.erased_at and shelf.mark.erased_at - OVERLAP
        erased = dict(self._store.erased_since(viewpoint, since))
        rows = [one for one in shelf.rows if one.id not in erased]
        for kind in sorted({one.kind for one in rows}):
            some = [one for one in rows if one.kind == kind]
            ids = [one.id for one in some for _ in one.vectors]
            index.upsert(organism, kind, ids, np.concatenate([one.vectors for one in some]))
        if erased and not shelf.anew:
            index.delete(organism, list(erased))
        reached = msgspec.structs.replace(shelf.mark, erased_at=max(erased.values(), default=shelf.mark.erased_at))
        if reached != mark:
            index.set_mark(organism, msgspec.json.encode(reached).decode())
        return shelf

    def waiting(self, viewpoint: Viewpoint, encoder: Encoder) -> int:
        """How many records of an organism the index does not have yet."""
        if self.index is None:
            return 0
        return self._store.count_shelved(viewpoint, encoder, self._mark(self.index, viewpoint.organism))

    def on_write(self, organism: Organism, count: int, encoder: Encoder) -> None:
        """Records were written: when enough wait, hand them over."""
        if not self.has_index or not count:
            return
        self._waiting[organism] += count
        if self._waiting[organism] >= WAITING:
            self._waiting[organism] = 0
            with self._alone():
                self.sync(_viewpoint(organism), encoder, most=2 * BATCH)

    def on_erase(self, organism: Organism, ids: Sequence[str]) -> bool:
        """Records were erased: take them out at once. False while the index is away; it is made up for later."""
        with self._alone() as away, self._turn:
            if ids and self.index is not None:
                self.index.delete(organism, ids)
        return not away

    def close(self, encoder: Callable[[], Encoder]) -> None:
        """Hand over what waits, if the index is open, and close it if it was opened here."""
        for organism in [one for one, count in self._waiting.items() if count and self._index is not None]:
            with self._alone():
                self.sync(_viewpoint(organism), encoder(), most=2 * BATCH)
        if self._own is not None:
            self._own.close()

    def _mark(self, index: VectorIndex, organism: Organism) -> SyncPoint | None:
        told = index.mark(organism)
        try:
            return None if told is None else msgspec.json.decode(told, type=SyncPoint)
        except (msgspec.DecodeError, msgspec.ValidationError):
            # Not ours: begin anew.
            return None

    @contextmanager
    def _alone(self) -> Generator[list[FovealError], None, None]:
        """Go on without the index when it is away, and tell so: the store has everything."""
        away: list[FovealError] = []
        try:
            yield away
        except (Unavailable, Invalid) as error:
            away.append(error)
            if self._notifier is not None:
                self._notifier.degraded(PART, error)


class _Followed(Behind):
    """The store behind it, but that an index hears of what is written and erased."""

    def __init__(self, store: Store, vector_sync: VectorSync) -> None:
        super().__init__(store)
        self._vector_sync = vector_sync

    def append(self, entries: Sequence[NewRecord], encoder: Encoder) -> list[tuple[Record, bool]]:
        stored = self._store.append(entries, encoder)
        self._wrote([record for record, new in stored if new], encoder)
        return stored

    def supersede(self, access: Access, entry: NewRecord, encoder: Encoder) -> Record:
        record = self._store.supersede(access, entry, encoder)
        self._wrote([record], encoder)
        return record

    def write_batch(
        self, access: Access, fresh: Sequence[NewRecord], later: Sequence[NewRecord], encoder: Encoder
    ) -> list[Record]:
        stored = self._store.write_batch(access, fresh, later, encoder)
        self._wrote(stored, encoder)
        return stored

    def apply(self, access: Access, acts: Sequence[PlannedMove], encoder: Encoder) -> list[Move]:
        moves = self._store.apply(access, acts, encoder)
        self._wrote([entry.record for one in acts for entry in one.entries], encoder)
        return moves

    def erase(self, access: Access, ids: Sequence[str]) -> bool:
        gone = self._store.erase(access, ids)
        return self._vector_sync.on_erase(access.viewpoint.organism, ids) and gone

    def forget_tree(
        self, access: Access, ids: Sequence[str], *, hard: bool, move_id: str | None = None
    ) -> Forgotten:
        done = self._store.forget_tree(access, ids, hard=hard, move_id=move_id)
        if hard and not self._vector_sync.on_erase(access.viewpoint.organism, done.ids):
            return msgspec.structs.replace(done, lingers=True)
        return done

    def _wrote(self, records: Sequence[Record], encoder: Encoder) -> None:
        if self._vector_sync.has_index:
            for organism, count in Counter((one.world, one.actor_id) for one in records).items():
                self._vector_sync.on_write(organism, count, encoder)


def followed(store: Store, vector_sync: VectorSync) -> Store:
    """The store, with an index at its side."""
    return cast(Store, _Followed(store, vector_sync))


def _viewpoint(organism: Organism) -> Viewpoint:
    return Viewpoint(world=organism[0], actor_id=organism[1])
