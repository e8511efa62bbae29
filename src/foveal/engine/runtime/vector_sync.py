"""Keeps an external vector index in step with the store."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from datetime import timedelta

import msgspec
import numpy as np

from foveal.engine.runtime.notices import Notifier
from foveal.errors import FovealError, Invalid, Unavailable
from foveal.model.query import Access, Viewpoint
from foveal.model.search import Floats, SyncPoint, VectorBatch, VectorHits
from foveal.ports.store import Encoder, Store
from foveal.ports.system import Organism, VectorIndex
from foveal.rules.filters import kinds_named

# How many records are sent at once, and how many new ones must wait before they are sent. Until then the store
# compares the new ones itself.
BATCH, WAITING = 256, 128
# The clocks of processes differ, so erasures of this long before the last one are looked up again.
OVERLAP = timedelta(days=1)
PART = "vectors"

Progress = Callable[[int], None]


class VectorSync:
    """Keeps a vector index, if there is one, in step with the store.

    The store stays authoritative: it decides who may see what the index finds, compares the records that the index
    does not have yet, and answers alone while the index is unavailable.
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
        """Use this index from now on, or none. `reindex` fills it, and so does using the memory."""
        self._index, self._opener = index, None

    @property
    def has_index(self) -> bool:
        """Whether there is an index, open or not."""
        return self._index is not None or self._opener is not None

    @property
    def index(self) -> VectorIndex | None:
        """The index, opened when it is first needed; most short commands never need it."""
        if self._index is None and self._opener is not None:
            with self._turn:
                if self._own is None:
                    self._own = self._opener()
                self._index = self._own
        return self._index

    def near(self, access: Access, vector: Floats, k: int, encoder: Encoder) -> VectorHits | None:
        """What the index finds for a question about the present; None if the store has to search by itself."""
        if self.index is None or access.as_of is not None or access.valid_at is not None:
            return None
        organism = access.viewpoint.organism
        mark = self._mark(self.index, organism)
        # Records that other processes wrote, or this one before, are sent when this one closes.
        self._waiting.setdefault(organism, 1)
        if mark is None or not mark.last or mark.encoder != encoder.id:
            return None
        kinds = kinds_named(access.where)
        hits = self.index.query(organism, None if kinds is None else sorted(kinds), vector, k)
        ids = tuple(record_id for record_id, _ in hits)
        return VectorHits(ids=ids, after=mark.seq, last=mark.last, all=len(hits) < k)

    def sync(
        self, viewpoint: Viewpoint, encoder: Encoder, *, most: int | None = None, done: Progress | None = None
    ) -> int:
        """Send the records that the index does not have yet, batch by batch, and delete the erased ones.

        Returns how many records were sent; no new batch starts after `most`. The index notes each batch, so an
        interrupted run resumes where it stopped.
        """
        if self.index is None:
            return 0
        count = 0
        while most is None or count < most:
            # The lock is held for one batch at a time, so that an erasure need not wait for all of them.
            with self._turn:
                batch = self._send_batch(self.index, viewpoint, encoder)
            count += len(batch.rows)
            if done is not None:
                done(len(batch.rows))
            if len(batch.rows) < BATCH:
                break
        self._waiting.pop(viewpoint.organism, None)
        return count

    def _send_batch(self, index: VectorIndex, viewpoint: Viewpoint, encoder: Encoder) -> VectorBatch:
        organism = viewpoint.organism
        mark = self._mark(index, organism)
        batch = self._store.vectors.after(viewpoint, encoder, mark, BATCH)
        if batch.anew:
            index.clear(organism)
        # Read after the records, so that a record erased in between is not sent.
        since = batch.mark.erased_at and batch.mark.erased_at - OVERLAP
        erased = dict(self._store.vectors.erased_since(viewpoint, since))
        rows = [row for row in batch.rows if row.id not in erased]
        for kind in sorted({row.kind for row in rows}):
            of_kind = [row for row in rows if row.kind == kind]
            ids = [row.id for row in of_kind for _ in row.vectors]
            index.upsert(organism, kind, ids, np.concatenate([row.vectors for row in of_kind]))
        if erased and not batch.anew:
            index.delete(organism, list(erased))
        reached = msgspec.structs.replace(batch.mark, erased_at=max(erased.values(), default=batch.mark.erased_at))
        if reached != mark:
            index.set_mark(organism, msgspec.json.encode(reached).decode())
        return batch

    def waiting(self, viewpoint: Viewpoint, encoder: Encoder) -> int:
        """How many records of an organism the index does not have yet."""
        if self.index is None:
            return 0
        return self._store.vectors.count_after(viewpoint, encoder, self._mark(self.index, viewpoint.organism))

    def on_write(self, organism: Organism, count: int, encoder: Encoder) -> None:
        """Note that records were written, and send the waiting ones when there are enough."""
        if not self.has_index or not count:
            return
        self._waiting[organism] += count
        if self._waiting[organism] >= WAITING:
            self._waiting[organism] = 0
            with self._tolerating_outage():
                self.sync(_viewpoint(organism), encoder, most=2 * BATCH)

    def on_erase(self, organism: Organism, ids: Sequence[str]) -> bool:
        """Delete erased records from the index at once. False if it is unavailable; `sync` deletes them later."""
        with self._tolerating_outage() as errors, self._turn:
            if ids and self.index is not None:
                self.index.delete(organism, ids)
        return not errors

    def close(self, encoder: Callable[[], Encoder]) -> None:
        """Send the waiting records, if the index is open, and close it if it was opened here."""
        waiting = [organism for organism, count in self._waiting.items() if count and self._index is not None]
        for organism in waiting:
            with self._tolerating_outage():
                self.sync(_viewpoint(organism), encoder(), most=2 * BATCH)
        if self._own is not None:
            self._own.close()

    def _mark(self, index: VectorIndex, organism: Organism) -> SyncPoint | None:
        text = index.mark(organism)
        try:
            return None if text is None else msgspec.json.decode(text, type=SyncPoint)
        except (msgspec.DecodeError, msgspec.ValidationError):
            # Foveal did not write this mark: start from the beginning.
            return None

    @contextmanager
    def _tolerating_outage(self) -> Generator[list[FovealError], None, None]:
        """Continue without the index when it is unavailable, and report that; the store has everything."""
        errors: list[FovealError] = []
        try:
            yield errors
        except (Unavailable, Invalid) as error:
            errors.append(error)
            if self._notifier is not None:
                self._notifier.degraded(PART, error)


def _viewpoint(organism: Organism) -> Viewpoint:
    return Viewpoint(world=organism[0], actor_id=organism[1])
