"""A manual clock, and builders of records, vectors and viewpoints for the suites."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Any, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from foveal.model.ids import new_id
from foveal.model.query import Access, Details, Viewpoint
from foveal.model.record import Record
from foveal.model.results import Change, Move, What
from foveal.model.search import CandidateTable, IndexQuery
from foveal.ports.store import Encoder, NewRecord, PlannedMove, Store
from foveal.rules.drafts import new_record, next_version
from foveal.rules.filters import parsed_filter
from foveal.rules.recall.index import code, codes, index_entry

DIMENSION = 16
ENCODER = Encoder(id="contract-1", dimension=DIMENSION)
START = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
ADA = Viewpoint(actor_id="ada")


class ManualClock:
    """A clock that stands still until it is turned forward."""

    def __init__(self, start: datetime = START) -> None:
        self._now = start

    def now(self) -> datetime:
        """The time that the clock shows."""
        return self._now

    def turn(self, span: timedelta) -> datetime:
        """Turn the clock forward. Returns the new time."""
        self._now += span
        return self._now


def vector_of(text: str, dimension: int = DIMENSION) -> NDArray[np.float32]:
    """A unit vector that depends only on the text: equal texts have equal vectors, others unrelated ones."""
    seed = int.from_bytes(blake2b(text.encode(), digest_size=8).digest())
    vector = np.random.default_rng(seed).standard_normal(dimension).astype(np.float32)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def record_of(text: str, now: datetime = START, viewpoint: Viewpoint = ADA, **said: Any) -> Record:
    """A record as the write flow drafts it, LOCAL unless a scope is given."""
    return new_record(text, cast(Details, {"scope": "local", **said}), viewpoint, now, new_id(now))


def entry_of(record: Record, vectors: NDArray[np.float32] | None = None) -> NewRecord:
    """The record with its trace and one vector, or with these vectors."""
    rows = vector_of(record.text)[None] if vectors is None else vectors
    return NewRecord(record=record, trace=index_entry(record, _pieces), vectors=rows)


def pending(record: Record) -> NewRecord:
    """The record as it is stored while the encoder is unavailable."""
    return NewRecord(record=record, trace=index_entry(record, _pieces), vectors=None)


def _pieces(text: str) -> list[int]:
    return [code(word) % 50_000 for word in text.split()]


def entry(text: str, now: datetime = START, viewpoint: Viewpoint = ADA, **said: Any) -> NewRecord:
    """A text ready for the store."""
    return entry_of(record_of(text, now, viewpoint, **said))


def version_after(newest: Record, text: str, now: datetime, **said: Any) -> NewRecord:
    """The next version of a record, ready for the store."""
    return entry_of(next_version(newest, text, cast(Details, said), now))


def seen_by(
    viewpoint: Viewpoint = ADA,
    now: datetime = START,
    *,
    filters: Mapping[str, Any] | None = None,
    **moments: Any,
) -> Access:
    """The access of a viewpoint at `now`."""
    return Access(viewpoint=viewpoint, now=now, where=parsed_filter(filters), **moments)


def recollected(
    store: Store, access: Access, probe: IndexQuery, limit: int, encoder: Encoder = ENCODER
) -> CandidateTable:
    """The candidates for a question, without their records."""
    return store.search.find(access, probe, limit, encoder, lambda _table, _look: ())[0]


def by_words(store: Store, access: Access, terms: Sequence[str], limit: int) -> dict[str, float]:
    """The records that match these terms best: id and score, best first."""
    frame = recollected(store, msgspec.structs.replace(access, for_recall=True), _probe(terms, None), limit)
    return _best(frame, frame.words[: len(frame.ids)], limit, above=0.0)


def by_vector(
    store: Store, access: Access, vector: NDArray[np.float32], limit: int, encoder: Encoder = ENCODER
) -> dict[str, float]:
    """The records nearest to a vector: id and cosine, best first."""
    frame = recollected(store, msgspec.structs.replace(access, for_recall=True), _probe([], vector), limit, encoder)
    return _best(frame, frame.cosine, limit, above=-2.0)


def _probe(terms: Sequence[str], vector: NDArray[np.float32] | None) -> IndexQuery:
    ones = np.ones(len(terms), np.float32)
    return IndexQuery(terms=codes(terms), factors=ones, pieces=np.empty(0, np.uint16), vector=vector)


def _best(frame: CandidateTable, scores: NDArray[np.float32], limit: int, above: float) -> dict[str, float]:
    order = sorted(range(len(frame.ids)), key=lambda row: -scores[row])
    return {frame.ids[row]: float(scores[row]) for row in order[:limit] if scores[row] > above}


def move_of(record: Record, now: datetime = START, what: What = What.PROMOTED, **life: Any) -> PlannedMove:
    """A move that changes the vitals of one record."""
    after = msgspec.structs.replace(record.vitals, **life)
    change = Change(record_id=record.id, before=record.vitals, after=after)
    return PlannedMove(move=Move(id=new_id(now), at=now, who="test", what=what, why="because", changes=(change,)))
